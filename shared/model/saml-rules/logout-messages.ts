// Parses and creates LogoutRequest and LogoutResponse (SAML core §3.7). Pure.
import type { Instant } from '#shared/base/clock.ts';
import type { SamlNameId } from '#shared/model/domain/saml-logout.ts';
import { readSamlInstant, samlInstant, samlInstantAfter } from '#shared/protocol/saml/instants.ts';
import { unspecifiedFormat } from '#shared/protocol/saml/name-formats.ts';
import { type SamlStatus, statusElement, statusPrefix } from '#shared/protocol/saml/status.ts';
import { assertionNamespace, protocolNamespace, saml2, saml2p } from '#shared/protocol/saml/vocabulary.ts';
import {
  attributeValue,
  childElements,
  declaring,
  firstChild,
  isNamed,
  scopeWith,
  textOf,
  withInheritedNamespaces,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import { nameIdElement } from './name-id.ts';

export interface LogoutRequest {
  readonly id: string;
  readonly notOnOrAfter: Instant | undefined;
  /** undefined: it is encrypted. */
  readonly nameId: XmlElement | undefined;
  /** As an independent element. */
  readonly encryptedId: XmlElement | undefined;
  readonly sessionIndexes: readonly string[];
}

interface LogoutResponse {
  readonly inResponseTo: string | undefined;
  readonly isSuccess: boolean;
}

export type LogoutMessageProblem =
  | 'saml_logout_of_another_kind'
  | 'saml_logout_version_wrong'
  | 'saml_logout_incomplete'
  | 'saml_logout_principal_unclear';

export function issuerOf(root: XmlElement): string | undefined {
  const issuer = firstChild(root, assertionNamespace, 'Issuer');
  const text = issuer && textOf(issuer).trim();
  return text === '' ? undefined : text;
}

/** The parsed request, or the code of what is wrong with its form (SLO-07). */
export function readLogoutRequest(root: XmlElement): LogoutRequest | LogoutMessageProblem {
  if (!isNamed(root, protocolNamespace, 'LogoutRequest')) return 'saml_logout_of_another_kind';
  if (attributeValue(root, 'Version') !== '2.0') return 'saml_logout_version_wrong';
  const id = attributeValue(root, 'ID');
  const issued = readSamlInstant(attributeValue(root, 'IssueInstant'));
  if (id === undefined || id === '' || issued === undefined) return 'saml_logout_incomplete';
  const named = (local: string) => childElements(root).filter((each) => isNamed(each, assertionNamespace, local));
  const [nameIds, encrypted] = [named('NameID'), named('EncryptedID')];
  if (nameIds.length + encrypted.length !== 1) return 'saml_logout_principal_unclear';
  const until = attributeValue(root, 'NotOnOrAfter');
  const notOnOrAfter = readSamlInstant(until);
  if (until !== undefined && notOnOrAfter === undefined) return 'saml_logout_incomplete';
  const sessionIndexes = childElements(root)
    .filter((each) => isNamed(each, protocolNamespace, 'SessionIndex'))
    .map((each) => textOf(each).trim());
  const encryptedId = encrypted[0] && withInheritedNamespaces(encrypted[0], scopeWith(root.declarations, new Map()));
  return { id, notOnOrAfter, nameId: nameIds[0], encryptedId, sessionIndexes };
}

export function readLogoutResponse(root: XmlElement): LogoutResponse | LogoutMessageProblem {
  if (!isNamed(root, protocolNamespace, 'LogoutResponse')) return 'saml_logout_of_another_kind';
  if (attributeValue(root, 'Version') !== '2.0') return 'saml_logout_version_wrong';
  const status = firstChild(root, protocolNamespace, 'Status');
  const code = status && firstChild(status, protocolNamespace, 'StatusCode');
  if (code === undefined) return 'saml_logout_incomplete';
  // Something that the service provider could not do for other participants does not count as success.
  const isWhole = firstChild(code, protocolNamespace, 'StatusCode') === undefined;
  const isSuccess = attributeValue(code, 'Value') === `${statusPrefix}Success` && isWhole;
  return { inResponseTo: attributeValue(root, 'InResponseTo'), isSuccess };
}

export function nameIdIn(element: XmlElement): SamlNameId {
  const given = (name: string) => attributeValue(element, name) || undefined;
  return {
    value: textOf(element).trim(),
    format: given('Format'),
    name_qualifier: given('NameQualifier'),
    sp_name_qualifier: given('SPNameQualifier'),
  };
}

interface Head {
  readonly id: string;
  /** A whole second. */
  readonly at: Instant;
  readonly entityId: string;
  readonly destination: string;
}

const requestSeconds = 300;

/** Without signature. `sessionIndexes`: all of the session (SLO-14). */
export function logoutRequest(
  head: Head,
  { name_id, session_indexes }: { readonly name_id: SamlNameId; readonly session_indexes: readonly string[] },
): XmlElement {
  const { value, format, name_qualifier, sp_name_qualifier } = name_id;
  const attributes = { NotOnOrAfter: samlInstantAfter(head.at, requestSeconds) };
  return message('LogoutRequest', head, attributes, [
    nameIdElement({
      value,
      Format: format ?? unspecifiedFormat,
      NameQualifier: name_qualifier,
      SPNameQualifier: sp_name_qualifier,
    }),
    ...session_indexes.map((index) => saml2p('SessionIndex', {}, [index])),
  ]);
}

export function logoutResponse(head: Head, inResponseTo: string, status: SamlStatus): XmlElement {
  return message('LogoutResponse', head, { InResponseTo: inResponseTo }, [statusElement(status)]);
}

function message(
  local: string,
  { id, at, entityId, destination }: Head,
  attributes: Readonly<Record<string, string>>,
  children: readonly XmlElement[],
): XmlElement {
  const root = saml2p(
    local,
    { ID: id, IssueInstant: samlInstant(at), Version: '2.0', Destination: destination, ...attributes },
    [saml2('Issuer', {}, [entityId]), ...children],
  );
  return declaring(root, [
    ['saml2p', protocolNamespace],
    ['saml2', assertionNamespace],
  ]);
}
