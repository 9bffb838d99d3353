// The service provider's side of SAML, written for tests and independent of the product: AuthnRequests as text, both
// bindings, signatures by node:crypto and xml-crypto, and what a service provider reads from the response page.
import { sign } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { DOMParser, type Element } from '@xmldom/xmldom';
import { C14nCanonicalization, SignedXml } from 'xml-crypto';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import type { Page } from '#test/support/browser-client.ts';

export const namespaces = {
  protocol: 'urn:oasis:names:tc:SAML:2.0:protocol',
  assertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  signature: 'http://www.w3.org/2000/09/xmldsig#',
  soap: 'http://schemas.xmlsoap.org/soap/envelope/',
} as const;

export const statusPrefix = 'urn:oasis:names:tc:SAML:2.0:status:';
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

export interface RequestParts {
  readonly id?: string | undefined;
  readonly issuer?: string | undefined;
  readonly acs?: string | undefined;
  /** Further attributes of the root, as text. */
  readonly attributes?: string;
  /** Further children of the root, as text. */
  readonly children?: string;
  readonly version?: string;
}

let drawn = 0;

/** A new ID. */
export function newId(): string {
  drawn += 1;
  return `_request-${process.pid}-${drawn}`;
}

/** An AuthnRequest, without arguments a usual one. `undefined` removes a part. */
export function authnRequest(parts: RequestParts = {}): string {
  const { id, issuer, acs } = {
    id: newId(),
    issuer: 'https://sp.example',
    acs: 'https://sp.example/acs',
    ...parts,
  };
  const attribute = (name: string, value: string | undefined) => (value === undefined ? '' : ` ${name}="${value}"`);
  return (
    `<samlp:AuthnRequest xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}"` +
    `${attribute('ID', id)} Version="${parts.version ?? '2.0'}" IssueInstant="2026-01-01T00:00:00Z"` +
    `${attribute('AssertionConsumerServiceURL', acs)} ${parts.attributes ?? ''}>` +
    `${issuer === undefined ? '' : `<saml:Issuer>${issuer}</saml:Issuer>`}${parts.children ?? ''}</samlp:AuthnRequest>`
  );
}

export function nameIdPolicy(format: string): string {
  return `<samlp:NameIDPolicy Format="${format}" AllowCreate="true"/>`;
}

export const encodePost = (xml: string): string => Buffer.from(xml).toString('base64');
export const encodeRedirect = (xml: string): string => deflateRawSync(Buffer.from(xml)).toString('base64');

/** The query of the redirect binding, unsigned. */
export function redirectQuery(xml: string, relayState?: string): string {
  const relayed = relayState === undefined ? '' : `&RelayState=${encodeURIComponent(relayState)}`;
  return `SAMLRequest=${encodeURIComponent(encodeRedirect(xml))}${relayed}`;
}

/** The query of the redirect binding with its signature. */
export function signedQuery(
  xml: string,
  key: SigningKey,
  options: { relayState?: string; algorithm?: string; digest?: string } = {},
): string {
  const unsigned = `${redirectQuery(xml, options.relayState)}&SigAlg=${encodeURIComponent(options.algorithm ?? rsaSha256)}`;
  const signature = sign(options.digest ?? 'sha256', Buffer.from(unsigned), key.privateKey).toString('base64');
  return `${unsigned}&Signature=${encodeURIComponent(signature)}`;
}

interface EnvelopedOptions {
  readonly c14n?: string;
  readonly algorithm?: string;
  readonly digest?: string;
  readonly transforms?: readonly string[];
  readonly reference?: string;
  readonly emptyUri?: boolean;
  readonly prefixList?: readonly string[];
  /** XPath of the element before the signature. The default is the Issuer. */
  readonly after?: string;
}

export const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';
export const enveloped = 'http://www.w3.org/2000/09/xmldsig#enveloped-signature';

/** The request with an enveloped signature after its Issuer. */
export function signedXml(xml: string, key: SigningKey, options: EnvelopedOptions = {}): string {
  const c14n = options.c14n ?? exclusive;
  const signer = new SignedXml({
    privateKey: key.privateKey,
    publicCert: key.certificatePem,
    signatureAlgorithm: options.algorithm ?? rsaSha256,
    canonicalizationAlgorithm: c14n,
  });
  // xml-crypto does not support Canonical XML 1.1, which equals 1.0 for these documents.
  Object.assign(signer.CanonicalizationAlgorithms, {
    'http://www.w3.org/2006/12/xml-c14n11': C14nCanonicalization,
  });
  signer.addReference({
    xpath: options.reference ?? '/*',
    transforms: [...(options.transforms ?? [enveloped, c14n])],
    digestAlgorithm: options.digest ?? 'http://www.w3.org/2001/04/xmlenc#sha256',
    ...(options.emptyUri === true ? { uri: '', isEmptyUri: true } : {}),
    ...(options.prefixList === undefined ? {} : { inclusiveNamespacesPrefixList: [...options.prefixList] }),
  });
  signer.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: options.after ?? "/*/*[local-name()='Issuer']", action: 'after' },
  });
  return signer.getSignedXml();
}

/** What the page posts to the ACS automatically. */
export interface Delivered {
  readonly acs: string;
  /** undefined: the page has no such field. */
  readonly relayState: string | undefined;
  /** The document as sent. */
  readonly xml: string;
  readonly root: Element;
  /** Top-level and nested status code without their prefix. */
  readonly status: readonly string[];
}

export function delivered(page: Page): Delivered {
  const form = page.forms.find(({ fields }) => fields.some(([name]) => name === 'SAMLResponse'));
  if (form === undefined) throw new Error(`${page.status}: the page carries no SAMLResponse:\n${page.text}`);
  const field = (wanted: string) => form.fields.find(([name]) => name === wanted)?.[1];
  const xml = Buffer.from(field('SAMLResponse') ?? '', 'base64').toString('utf8');
  const root = rootOf(xml);
  return { acs: form.action, relayState: field('RelayState'), xml, root, status: statusOf(root) };
}

export function rootOf(xml: string): Element {
  const root = new DOMParser({ onError: () => undefined }).parseFromString(xml, 'text/xml').documentElement;
  if (root === null) throw new Error('the document has no root');
  return root;
}

export function statusOf(root: Element): string[] {
  return all(root, namespaces.protocol, 'StatusCode').map((code) =>
    (code.getAttribute('Value') ?? '').replace(statusPrefix, ''),
  );
}

export function all(root: Element, namespace: string, local: string): Element[] {
  return [...root.getElementsByTagNameNS(namespace, local)];
}

/** The only element of that name. */
export function only(root: Element, namespace: string, local: string): Element {
  const found = all(root, namespace, local);
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`${found.length} elements ${local}`);
  return first;
}

/** The assertion's attributes: name and values in document order. */
export function attributesIn(root: Element): [name: string, values: string[]][] {
  return all(root, namespaces.assertion, 'Attribute').map((attribute) => [
    attribute.getAttribute('Name') ?? '',
    all(attribute, namespaces.assertion, 'AttributeValue').map((value) => value.textContent ?? ''),
  ]);
}

export function nameIdIn(root: Element): { value: string; attributes: Record<string, string> } {
  const nameId = only(root, namespaces.assertion, 'NameID');
  const attributes = Object.fromEntries([...nameId.attributes].map(({ name, value }) => [name, value]));
  return { value: nameId.textContent ?? '', attributes };
}
