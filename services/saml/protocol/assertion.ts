// Builds the two kinds of Assertion as trees. A login's is carried by the browser to one service provider, by default
// within five minutes (SAM-49 to SAM-51). An attribute query's is valid for an hour and bound to no recipient (SAM-56). Signing,
// time and randomness belong to the caller. SAML core §2.3.3.
import type { Instant } from '#shared/base/clock.ts';
import type { AuthenticationMethod } from '#shared/model/domain/authorization-request.ts';
import { type NameId, nameIdElement } from '#shared/model/saml-rules/name-id.ts';
import type { Validity } from '#shared/model/saml-rules/response-form.ts';
import { samlInstant, samlInstantAfter } from '#shared/protocol/saml/instants.ts';
import { bearerConfirmation, saml2 } from '#shared/protocol/saml/vocabulary.ts';
import type { XmlElement, XmlNode } from '#shared/protocol/saml/xml-element.ts';
import { attributeStatement, type SamlAttribute } from './attributes.ts';
import { contextClasses } from './requested-authn-context.ts';

const queryAssertionSeconds = 3600;

interface AssertionBase {
  readonly id: string;
  /** A whole second: the time of the document. */
  readonly at: Instant;
  readonly entityId: string;
  readonly nameId: NameId;
  readonly attributes: readonly SamlAttribute[];
}

interface LoginAssertion extends AssertionBase {
  /** In order. */
  readonly audiences: readonly string[];
  readonly validity: Validity;
  /** undefined: no SessionNotOnOrAfter. */
  readonly sessionEnd?: Instant | undefined;
  readonly acsUrl: string;
  /** The request's ID. undefined when it had none. */
  readonly inResponseTo: string | undefined;
  /** The login of the session. */
  readonly authenticatedAt: Instant;
  readonly method: AuthenticationMethod;
  /** AuthnContextClassRef if the request named one. undefined: that of the method. */
  readonly contextClass?: string | undefined;
  readonly sessionIndex: string;
}

export function loginAssertion(login: LoginAssertion): XmlElement {
  const end = samlInstantAfter(login.at, login.validity.lifetimeSeconds);
  const confirmation = saml2('SubjectConfirmation', { Method: bearerConfirmation }, [
    saml2('SubjectConfirmationData', {
      InResponseTo: login.inResponseTo,
      NotOnOrAfter: end,
      Recipient: login.acsUrl,
    }),
  ]);
  const authentication = saml2(
    'AuthnStatement',
    {
      AuthnInstant: samlInstant(login.authenticatedAt),
      SessionIndex: login.sessionIndex,
      SessionNotOnOrAfter: login.sessionEnd && samlInstant(login.sessionEnd),
    },
    [
      saml2('AuthnContext', {}, [
        saml2('AuthnContextClassRef', {}, [login.contextClass ?? contextClasses[login.method]]),
      ]),
    ],
  );
  return assertion(login, [
    saml2('Subject', {}, [nameIdElement(login.nameId), confirmation]),
    saml2(
      'Conditions',
      { NotBefore: samlInstantAfter(login.at, -login.validity.notBeforeSeconds), NotOnOrAfter: end },
      [
        saml2(
          'AudienceRestriction',
          {},
          login.audiences.map((audience) => saml2('Audience', {}, [audience])),
        ),
      ],
    ),
    authentication,
    attributeStatement(login.attributes),
  ]);
}

export function queryAssertion(answer: AssertionBase): XmlElement {
  return assertion(answer, [
    saml2('Subject', {}, [nameIdElement(answer.nameId)]),
    saml2('Conditions', {
      NotBefore: samlInstant(answer.at),
      NotOnOrAfter: samlInstantAfter(answer.at, queryAssertionSeconds),
    }),
    attributeStatement(answer.attributes),
  ]);
}

function assertion({ id, at, entityId }: AssertionBase, statements: readonly (XmlNode | undefined)[]): XmlElement {
  return saml2('Assertion', { ID: id, IssueInstant: samlInstant(at), Version: '2.0' }, [
    saml2('Issuer', {}, [entityId]),
    ...statements,
  ]);
}
