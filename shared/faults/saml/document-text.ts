// Faults of the document as text: comments, document types, entities and prefixes, which the tree of a right answer does
// not have. The signature is made over what a parser reads, so that it is valid for whoever reads it all.
import { mapElements, replacingAt, withText } from '#shared/protocol/saml/edit-tree.ts';
import { assertionNamespace, saml2 } from '#shared/protocol/saml/vocabulary.ts';
import { firstChild, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import {
  isSigned,
  ofLogin,
  rebuilding,
  type SamlChange,
  type SamlSite,
  unsigned,
  withAssertions,
} from './saml-change.ts';
import { withNameId } from './subject.ts';

const strangersSuffix = '.attacker.example';

const commented = (text: string) => text.replace(`${strangersSuffix}</`, () => `<!-- -->${strangersSuffix}</`);

/** A comment inside the NameID, wherever it is encrypted, too: whoever reads up to it takes the name of somebody else. */
export const nameIdComment =
  (nameId: string): SamlChange =>
  async (answer, site) => {
    const change = rebuilding({ assertion: (assertion) => withNameId(assertion, nameId + strangersSuffix) });
    const changed = await change(answer, site);
    const { encryption } = answer;
    const encrypted = encryption && { ...encryption, written: commented };
    return changed && { ...changed, written: commented, encryption: encrypted };
  };

export const doctype: SamlChange = writing(
  ofLogin((_login, answer) => answer),
  () => withDoctype(''),
);

const expandedLength = 1024 * 1024;
const expanded = 'x'.repeat(expandedLength);
const repeated = (name: string, times: number) => `&${name};`.repeat(times);
/** 64 characters, then 16, 32 and 32 times as many. */
const nestedEntities = [
  ['e0', 'x'.repeat(64)],
  ['e1', repeated('e0', 16)],
  ['e2', repeated('e1', 32)],
  ['e3', repeated('e2', 32)],
] as const;

/** Entities that expand to 1 MiB in an attribute's value. */
export const entityExpansion: SamlChange = writing(firstValue(expanded), () => {
  const declared = nestedEntities.map(([name, value]) => `<!ENTITY ${name} "${value}">`).join('');
  return (document) => withDoctype(` [${declared}]`)(document.replace(expanded, '&e3;'));
});

/** What the material of `saml_external_entity` holds (FLT-23): the signature is valid for whoever fetches it. */
export const externalEntityText = 'This text was fetched from the material of a fault.';

/** An external entity in an attribute's value. */
export const externalEntity: SamlChange = writing(firstValue(externalEntityText), ({ materialUrl }) => {
  const declared = `<!ENTITY material SYSTEM "${materialUrl}">`;
  return (document) => withDoctype(` [${declared}]`)(document.replace(externalEntityText, '&material;'));
});

function withDoctype(subset: string): (document: string) => string {
  return (document) => document.replace('?>\n', () => `?>\n<!DOCTYPE saml2p:Response${subset}>\n`);
}

/**
 * The first attribute value of the login is another text. What is encrypted is read by itself, where no document type
 * declares an entity: such a value cannot name one.
 */
function firstValue(text: string): SamlChange {
  const change = rebuilding({
    assertion: (assertion) => {
      let isFirst = true;
      const path = ['AttributeStatement', 'Attribute', 'AttributeValue'];
      return replacingAt(assertion, assertionNamespace, path, (value) => {
        const becomes = isFirst ? withText(value, text) : value;
        isFirst = false;
        return becomes;
      });
    },
  });
  return (answer, site) => {
    const { parts } = answer.encryption ?? { parts: new Set() };
    return parts.has('assertion') || parts.has('attributes') ? undefined : change(answer, site);
  };
}

/** The change, and then the document written otherwise. */
function writing(change: SamlChange, written: (site: SamlSite) => (document: string) => string): SamlChange {
  return async (answer, site) => {
    const changed = await change(answer, site);
    return changed && { ...changed, written: written(site) };
  };
}

const otherPrefixes = new Map([
  ['saml2p', 'samlp'],
  ['saml2', 'saml'],
  ['ds', 'dsig'],
]);
const otherPrefix = (prefix: string) => otherPrefixes.get(prefix) ?? prefix;

function renamed(element: XmlElement): XmlElement {
  return mapElements(element, (each) => ({
    ...each,
    prefix: otherPrefix(each.prefix),
    declarations: each.declarations.map(([prefix, uri]) => [otherPrefix(prefix), uri] as const),
  }));
}

export const prefixesChanged: SamlChange = ofLogin(async ({ response, assertion }, answer, { answerTools }) => {
  const around = renamed(unsigned(response));
  const bare = renamed(unsigned(assertion));
  const shaped = { shaped: renamed };
  const sealed = isSigned(assertion) ? await answerTools.signed(bare, { within: around }, shaped) : bare;
  const whole = withAssertions(around, [sealed]);
  const signed = isSigned(response) ? await answerTools.signed(whole, {}, shaped) : whole;
  return { ...answer, response: signed, signature: shaped };
});

/** An attribute that makes the document so many octets long. */
export const responseLarge =
  (bytes: number): SamlChange =>
  async (answer, site) => {
    const padded = (length: number) =>
      rebuilding({ assertion: (assertion) => withPadding(assertion, 'x'.repeat(length)) })(answer, site);
    const least = await padded(0);
    return least && padded(Math.max(0, bytes - site.answerTools.size(least)));
  };

function withPadding(assertion: XmlElement, padding: string): XmlElement {
  const attribute = saml2('Attribute', { Name: 'padding' }, [saml2('AttributeValue', {}, [padding])]);
  const statement = firstChild(assertion, assertionNamespace, 'AttributeStatement');
  const children = assertion.children.filter((child) => child !== statement);
  const extended = saml2('AttributeStatement', {}, [...(statement?.children ?? []), attribute]);
  return { ...assertion, children: [...children, extended] };
}
