// A summary of a SAML message, for people who read an exchange (REC-05). Nothing is verified, and an unreadable message
// has no summary.

import { readLeniently } from '#shared/engine/saml-signing/read-leniently.ts';
import type { SamlSummary } from '#shared/model/domain/exchange.ts';
import { assertionNamespace, protocolNamespace, signatureNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { decodeXml } from '#shared/protocol/saml/xml/decode-xml.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import {
  attributeValue,
  childElements,
  elementsOf,
  firstChild,
  isNamed,
  textOf,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';

/** A message in a parameter, in either binding. */
export function lookIntoSamlParameter(value: string): SamlSummary | undefined {
  return lookIntoSaml(() => readLeniently(value));
}

/** A message in a body, in an envelope. */
export function lookIntoSamlBody(body: Buffer): SamlSummary | undefined {
  return lookIntoSaml(() => parseXml(decodeXml(body)));
}

function lookIntoSaml(read: () => XmlElement): SamlSummary | undefined {
  let root: XmlElement;
  try {
    root = read();
  } catch {
    return undefined;
  }
  const elements = [...elementsOf(root)];
  const message = elements.find(({ namespace }) => namespace === protocolNamespace);
  if (message === undefined) return undefined;
  const first = (namespace: string, local: string) => elements.find((element) => isNamed(element, namespace, local));
  const textFirst = (local: string) => {
    const element = first(assertionNamespace, local);
    return element && textOf(element).trim();
  };
  const issuer = firstChild(message, assertionNamespace, 'Issuer');
  const status = first(protocolNamespace, 'Status');
  const signature = firstChild(message, signatureNamespace, 'Signature');
  const codes = status === undefined ? [] : [...elementsOf(status)].filter(({ local }) => local === 'StatusCode');
  return {
    message: message.local,
    id: attributeValue(message, 'ID'),
    issuer: issuer && textOf(issuer).trim(),
    destination: attributeValue(message, 'Destination'),
    in_response_to: attributeValue(message, 'InResponseTo'),
    audience: textFirst('Audience'),
    name_id: textFirst('NameID'),
    status: codes.map((code) => shortStatus(attributeValue(code, 'Value') ?? '')).join(' / ') || undefined,
    issue_instant: attributeValue(message, 'IssueInstant'),
    acs_url: attributeValue(message, 'AssertionConsumerServiceURL'),
    is_passive: flagOf(attributeValue(message, 'IsPassive')),
    force_authn: flagOf(attributeValue(message, 'ForceAuthn')),
    signature_methods: signature && methodsOf(signature),
    signed: elements
      .filter((element) => childElements(element).some((child) => isNamed(child, signatureNamespace, 'Signature')))
      .map(({ local }) => local),
  };
}

function shortStatus(uri: string): string {
  return uri.replace(/^urn:oasis:names:tc:SAML:2\.0:status:/, '');
}

function flagOf(value: string | undefined): boolean | undefined {
  const lexical = value?.trim();
  return lexical === undefined ? undefined : lexical === 'true' || lexical === '1';
}

function methodsOf(signature: XmlElement): string[] {
  return [...elementsOf(signature)]
    .filter(({ local }) => local === 'SignatureMethod' || local === 'DigestMethod')
    .flatMap((method) => attributeValue(method, 'Algorithm') ?? []);
}
