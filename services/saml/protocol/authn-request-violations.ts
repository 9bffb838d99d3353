// Violations of SAML in an AuthnRequest that this identity provider tolerates. A stricter one may reject the request,
// so the log reports them to the developer of the service provider. Sentences are fixed and repeat nothing of the
// request.

import { assertionNamespace, protocolNamespace, signatureNamespace } from '#shared/protocol/saml/vocabulary.ts';
import {
  attributeValue,
  childElements,
  firstChild,
  isNamed,
  textOf,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import type { Binding } from './bindings.ts';

const entityFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:entity';
const relayStateBytesMax = 80;

/** xs:ID, as precisely as needed: the usual mistake is a leading digit. */
const xmlId = /^[\p{L}_][\p{L}\p{N}\p{M}._\-·]*$/u;
const utcInstant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z?$/;

export interface Transmission {
  readonly binding: Binding;
  readonly relayState: string | undefined;
}

/** One sentence for each violation, with the paragraph it violates. */
export function violationsOf(root: XmlElement, { binding, relayState }: Transmission): readonly string[] {
  if (!isNamed(root, protocolNamespace, 'AuthnRequest')) {
    return ['the message is not an AuthnRequest of the SAML 2.0 protocol (core §3.4.1)'];
  }
  const value = (name: string) => attributeValue(root, name);
  const issuer = firstChild(root, assertionNamespace, 'Issuer');
  const issuerFormat = issuer && attributeValue(issuer, 'Format');
  const subject = firstChild(root, assertionNamespace, 'Subject');
  const isIndexed = value('AssertionConsumerServiceIndex') !== undefined;
  const found: readonly (readonly [isBroken: boolean, sentence: string])[] = [
    [
      !xmlId.test(value('ID') ?? ''),
      'the ID is missing or not an xs:ID, which begins with a letter or _ (core §3.2.1)',
    ],
    [value('Version') !== '2.0', 'the Version is not 2.0 (core §3.2.1)'],
    [
      !utcInstant.test(value('IssueInstant') ?? ''),
      'the IssueInstant is missing or not a time in UTC (core §3.2.1, §1.3.3)',
    ],
    [issuer === undefined || textOf(issuer).trim() === '', 'the Issuer is missing (profiles §4.1.4.1)'],
    [
      issuerFormat !== undefined && issuerFormat !== entityFormat,
      'the Format of the Issuer is not entity (profiles §4.1.4.1)',
    ],
    [
      isIndexed && (value('AssertionConsumerServiceURL') ?? value('ProtocolBinding')) !== undefined,
      'AssertionConsumerServiceIndex excludes AssertionConsumerServiceURL and ProtocolBinding (core §3.4.1)',
    ],
    [
      subject !== undefined &&
        childElements(subject).some((child) => isNamed(child, assertionNamespace, 'SubjectConfirmation')),
      'the Subject has a SubjectConfirmation (profiles §4.1.4.1)',
    ],
    [
      binding === 'GET' && firstChild(root, signatureNamespace, 'Signature') !== undefined,
      'a message in the query has an XML signature, but its signature belongs in the query (bindings §3.4.4.1)',
    ],
    [
      Buffer.byteLength(relayState ?? '') > relayStateBytesMax,
      `the RelayState is longer than ${relayStateBytesMax} bytes (bindings §3.4.3, §3.5.3)`,
    ],
  ];
  return found.filter(([isBroken]) => isBroken).map(([, sentence]) => sentence);
}
