// Faults of an Assertion's statements: validity period, audience, subject and issuer.
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import { replacing, replacingAt, withAttributes, withText } from '#shared/protocol/saml/edit-tree.ts';
import { freshIdentifier } from '#shared/protocol/saml/identifiers.ts';
import { samlInstant } from '#shared/protocol/saml/instants.ts';
import { assertionNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { attributeValue, firstChild, textOf, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { type Edit, rebuilding, type SamlChange, type SamlSite } from './saml-change.ts';

const hour = 3600;
/** The usual lifetime of an Assertion. */
const assertionSeconds = 300;
const strangersAcs = 'https://someone-else.example/acs';

const after = (start: Instant, seconds: number) => samlInstant(plusSeconds(start, seconds));

type Attributes = Readonly<Record<string, string | undefined>>;

const conditions = ['Conditions'];
const confirmation = ['Subject', 'SubjectConfirmation'];
const confirmationData = [...confirmation, 'SubjectConfirmationData'];

/** Changes attributes of an element of the Assertion. */
const setting =
  (path: readonly string[], values: (site: SamlSite, element: XmlElement) => Attributes): Edit =>
  (assertion, site) =>
    replacingAt(assertion, assertionNamespace, path, (found) => withAttributes(found, values(site, found)));

/** Removes an element of the Assertion. */
const dropping =
  (path: readonly string[]): Edit =>
  (assertion) =>
    replacingAt(assertion, assertionNamespace, path, () => undefined);

const both =
  (first: Edit, second: Edit): Edit =>
  (element, site) => {
    const changed = first(element, site);
    return changed && second(changed, site);
  };

const dropsPresent =
  (name: string): Edit =>
  (element) =>
    attributeValue(element, name) === undefined ? undefined : withAttributes(element, { [name]: undefined });

export const expired = rebuilding({
  assertion: both(
    setting(conditions, ({ now }) => ({
      NotBefore: after(now, -hour - assertionSeconds),
      NotOnOrAfter: after(now, -hour),
    })),
    setting(confirmationData, ({ now }) => ({ NotOnOrAfter: after(now, -hour) })),
  ),
});

export const notYetValid = rebuilding({
  assertion: both(
    setting(conditions, ({ now }) => ({ NotBefore: after(now, hour), NotOnOrAfter: after(now, 2 * hour) })),
    setting(confirmationData, ({ now }) => ({ NotOnOrAfter: after(now, 2 * hour) })),
  ),
});

export const confirmationExpired = rebuilding({
  assertion: setting(confirmationData, ({ now }) => ({ NotOnOrAfter: after(now, -hour) })),
});

export const notOnOrAfterMissing = rebuilding({
  assertion: setting(confirmationData, () => ({ NotOnOrAfter: undefined })),
});

const issuedLater: Edit = (element, { now }) => withAttributes(element, { IssueInstant: after(now, hour) });
export const issueInstantFuture = rebuilding({ response: issuedLater, assertion: issuedLater });

const audienceRestriction = [...conditions, 'AudienceRestriction'];
export const audienceWrong = rebuilding({
  assertion: (assertion) =>
    replacingAt(assertion, assertionNamespace, [...audienceRestriction, 'Audience'], (audience) =>
      withText(audience, 'https://someone-else.example'),
    ),
});
export const audienceMissing = rebuilding({ assertion: dropping(audienceRestriction) });

export const recipientWrong = rebuilding({ assertion: setting(confirmationData, () => ({ Recipient: strangersAcs })) });
export const recipientMissing = rebuilding({ assertion: setting(confirmationData, () => ({ Recipient: undefined })) });

export const destinationWrong = rebuilding({
  response: (response) => withAttributes(response, { Destination: strangersAcs }),
});
export const destinationMissing = rebuilding({ response: dropsPresent('Destination') });

const issuedBy =
  (issuer: string): Edit =>
  (element) =>
    replacing(element, [assertionNamespace, 'Issuer'], (found) => withText(found, issuer));
export const issuerWrong = rebuilding({
  response: issuedBy('https://attacker.example/saml'),
  assertion: issuedBy('https://attacker.example/saml'),
});
export const responseIssuerDiffers = rebuilding({ response: issuedBy('https://someone-else.example/saml') });

/** Changes both occurrences of the request's ID to the same other value, or removes them. */
function inResponseTo(other: (site: SamlSite) => string | undefined): SamlChange {
  return (answer, site) => {
    if (attributeValue(answer.response, 'InResponseTo') === undefined) return undefined;
    const values = { InResponseTo: other(site) };
    const change = rebuilding({
      response: (response) => withAttributes(response, values),
      assertion: setting(confirmationData, () => values),
    });
    return change(answer, site);
  };
}
export const inResponseToWrong = inResponseTo(({ random }) => freshIdentifier(random));
export const inResponseToMissing = inResponseTo(() => undefined);

export const authnStatementMissing = rebuilding({ assertion: dropping(['AuthnStatement']) });
export const nameIdMissing = rebuilding({ assertion: dropping(['Subject', 'NameID']) });
export const confirmationMissing = rebuilding({ assertion: dropping(confirmation) });
export const confirmationMethodWrong = rebuilding({
  assertion: setting(confirmation, () => ({ Method: 'urn:oasis:names:tc:SAML:2.0:cm:holder-of-key' })),
});
export const versionWrong = rebuilding({ response: (response) => withAttributes(response, { Version: '1.1' }) });

/** The Assertion with that name as its subject; undefined when it has no name. */
export function withNameId(assertion: XmlElement, nameId: string): XmlElement | undefined {
  return replacingAt(assertion, assertionNamespace, ['Subject', 'NameID'], (found) => withText(found, nameId));
}

/** The name of the Assertion's subject; undefined when it has none. */
export function nameIdOf(assertion: XmlElement): string | undefined {
  const subject = firstChild(assertion, assertionNamespace, 'Subject');
  const nameId = subject && firstChild(subject, assertionNamespace, 'NameID');
  return nameId && textOf(nameId);
}

/** A different name at every login, in the format of the correct one. */
export const nameIdChanges = rebuilding({
  assertion: (assertion, { random }) =>
    replacingAt(assertion, assertionNamespace, ['Subject', 'NameID'], (found) => {
      const fresh = freshIdentifier(random);
      return withText(found, textOf(found).includes('@') ? `${fresh.slice(1)}@example.org` : fresh);
    }),
});

export const otherSubject = rebuilding({ assertion: (assertion) => withNameId(assertion, 'someone-else') });
