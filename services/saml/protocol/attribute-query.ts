// Reads an AttributeQuery below the root of the posted document (SAML core §3.3.2; SAM-60, SAM-61). The id is read as
// early as the body allows, so that a rejection can name it. Signatures are not read (SAM-59).

import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { type Refused, refused } from '#shared/model/refusals/refusal.ts';
import type { NameId } from '#shared/model/saml-rules/name-id.ts';
import { unspecifiedFormat } from '#shared/protocol/saml/name-formats.ts';
import { mandatoryHeaderBlock } from '#shared/protocol/saml/soap.ts';
import { assertionNamespace, protocolNamespace } from '#shared/protocol/saml/vocabulary.ts';
import {
  attributeValue,
  childElements,
  elementsOf,
  firstChild,
  isNamed,
  textOf,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import type { RequestedAttributes } from './attributes.ts';

/** The query's ID, if it could be read: undefined when it has none, the empty string when it is empty (SAM-55). */
interface QueryIdentity {
  readonly id: string | undefined;
  readonly issuer: string | undefined;
}

export interface AttributeQuery extends QueryIdentity {
  /** As received. Format is unspecified when the query had none (SAM-64). */
  readonly nameId: NameId;
  readonly attributes: RequestedAttributes;
}

export type ReadQuery =
  | { readonly outcome: 'query'; readonly query: AttributeQuery }
  /** The rejection names what is missing. `id` is the ID if it could be read. */
  | { readonly outcome: 'incomplete'; readonly id: string | undefined; readonly refused: Refused }
  /** The envelope has a header block with mustUnderstand that is unknown here (SOAP 1.1 §4.2.3). */
  | { readonly outcome: 'not_understood'; readonly id: string | undefined; readonly refused: Refused };

export function readAttributeQuery(root: XmlElement): ReadQuery {
  const query = queryBelow(root);
  if (query === undefined) {
    // A query without an envelope is rejected too, but its id is known (SAM-61).
    const id = isAttributeQuery(root) ? attributeValue(root, 'ID') : undefined;
    return { outcome: 'incomplete', id, refused: refused(samlRefusals.attribute_query_missing) };
  }
  const id = attributeValue(query, 'ID');
  const subject = firstChild(query, assertionNamespace, 'Subject');
  if (subject === undefined) {
    return { outcome: 'incomplete', id, refused: refused(samlRefusals.attribute_query_without_subject) };
  }
  const nameId = firstChild(subject, assertionNamespace, 'NameID');
  if (nameId === undefined) {
    return { outcome: 'incomplete', id, refused: refused(samlRefusals.attribute_query_without_name_id) };
  }
  const header = mandatoryHeaderBlock(root);
  if (header !== undefined) {
    const sentence = `The header block ${header.local} has mustUnderstand, and this server does not support it.`;
    return { outcome: 'not_understood', id, refused: refused(samlRefusals.soap_header_not_understood, { sentence }) };
  }
  const issuer = firstChild(query, assertionNamespace, 'Issuer');
  const issuerName = issuer && textOf(issuer).trim();
  return {
    outcome: 'query',
    query: {
      id,
      issuer: issuerName === '' ? undefined : issuerName,
      nameId: readNameId(nameId),
      attributes: requestedAttributes(query),
    },
  };
}

function queryBelow(root: XmlElement): XmlElement | undefined {
  for (const element of elementsOf(root)) if (element !== root && isAttributeQuery(element)) return element;
  return undefined;
}

function isAttributeQuery(element: XmlElement): boolean {
  return isNamed(element, protocolNamespace, 'AttributeQuery');
}

function readNameId(element: XmlElement): NameId {
  return {
    value: textOf(element),
    Format: attributeValue(element, 'Format') ?? unspecifiedFormat,
    NameQualifier: attributeValue(element, 'NameQualifier'),
    SPNameQualifier: attributeValue(element, 'SPNameQualifier'),
    SPProvidedID: attributeValue(element, 'SPProvidedID'),
  };
}

/** A repeated name requests the values of both, or any value when one of them lists none. */
function requestedAttributes(query: XmlElement): RequestedAttributes {
  const requested = new Map<string, readonly string[]>();
  for (const attribute of childElements(query)) {
    const name = isNamed(attribute, assertionNamespace, 'Attribute') ? attributeValue(attribute, 'Name') : undefined;
    if (name === undefined) continue;
    const values = childElements(attribute)
      .filter((child) => isNamed(child, assertionNamespace, 'AttributeValue'))
      .map(textOf);
    const earlier = requested.get(name);
    const isAny = values.length === 0 || earlier?.length === 0;
    requested.set(name, isAny ? [] : [...(earlier ?? []), ...values]);
  }
  return requested;
}
