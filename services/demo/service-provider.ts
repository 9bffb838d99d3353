// A correct SAML service provider: it stores its request, accepts only a response to that request, and reads only what
// the provider signed. docs/guides/demo.md shows this file.
import { X509Certificate } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { xmlText } from '#shared/base/xml-text.ts';
import { verifyEnvelopedSignature } from '#shared/engine/saml-signing/verify-enveloped.ts';
import { readSamlInstant } from '#shared/protocol/saml/instants.ts';
import {
  assertionNamespace,
  bearerConfirmation,
  httpPostBinding,
  httpRedirectBinding,
  metadataNamespace,
  protocolNamespace,
  signatureNamespace,
} from '#shared/protocol/saml/vocabulary.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import {
  attributeValue,
  childElements,
  elementsOf,
  isNamed,
  textOf,
  withInheritedNamespaces,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import type { RelyingPartyContext } from './relying-party.ts';

const success = 'urn:oasis:names:tc:SAML:2.0:status:Success';
const clockSkewMilliseconds = 30_000;

export interface Provider {
  readonly entityId: string;
  readonly acs: string;
}

/** A login in progress. It belongs to the browser that started it. */
export interface BegunSamlLogin {
  readonly requestId: string;
  /** As its metadata said when it was asked. */
  readonly provider: IdentityProvider;
}

export interface AssertedUser {
  readonly nameId: string;
  readonly attributes: Readonly<Record<string, readonly string[]>>;
}

export interface IdentityProvider {
  readonly entityId: string;
  readonly sso: string;
  /** All that it may sign with. */
  readonly certificates: readonly X509Certificate[];
}

export class ServiceProvider {
  readonly #self: Provider;
  readonly #surroundings: RelyingPartyContext;

  constructor(self: Provider, surroundings: RelyingPartyContext) {
    this.#self = self;
    this.#surroundings = surroundings;
  }

  /** What a provider needs to know of it (SAML metadata §2.4.4). */
  metadata(): string {
    const { entityId, acs } = this.#self;
    return `<md:EntityDescriptor xmlns:md="${metadataNamespace}" entityID="${xmlText(entityId)}"><md:SPSSODescriptor AuthnRequestsSigned="false" WantAssertionsSigned="false" protocolSupportEnumeration="${protocolNamespace}"><md:AssertionConsumerService Binding="${httpPostBinding}" Location="${xmlText(acs)}" index="0"/></md:SPSSODescriptor></md:EntityDescriptor>`;
  }

  /** Where the browser is sent, and what must be kept for it meanwhile. `metadata`: where the provider's lie. */
  async begin(metadata: string): Promise<{ readonly location: string; readonly login: BegunSamlLogin }> {
    const { random, now } = this.#surroundings;
    const provider = await readIdentityProvider(metadata, now());
    const { sso } = provider;
    const requestId = `_${random()}`;
    const request = `<samlp:AuthnRequest xmlns:samlp="${protocolNamespace}" ID="${requestId}" Version="2.0" IssueInstant="${new Date(now()).toISOString()}" Destination="${xmlText(sso)}" ProtocolBinding="${httpPostBinding}" AssertionConsumerServiceURL="${xmlText(this.#self.acs)}"><saml:Issuer xmlns:saml="${assertionNamespace}">${xmlText(this.#self.entityId)}</saml:Issuer></samlp:AuthnRequest>`;
    const location = new URL(sso);
    location.searchParams.set('SAMLRequest', deflateRawSync(request).toString('base64'));
    location.searchParams.set('RelayState', requestId);
    return { location: location.href, login: { requestId, provider } };
  }

  /** `samlResponse`: as it was posted. @throws Error that says what is wrong with it. */
  async finish({ requestId, provider }: BegunSamlLogin, samlResponse: string): Promise<AssertedUser> {
    const response = parseXml(Buffer.from(samlResponse, 'base64').toString('utf8'));
    if (!isNamed(response, protocolNamespace, 'Response')) throw new Error('the message is not a SAML Response');
    requireSame(attributeValue(response, 'Version'), '2.0', 'Version');
    requireSame(attributeValue(response, 'Destination'), this.#self.acs, 'Destination');
    requireSame(attributeValue(response, 'InResponseTo'), requestId, 'InResponseTo');
    requireSame(textOf(only(response, 'Issuer')), provider.entityId, 'Issuer');
    const statusCode = only(only(response, 'Status', protocolNamespace), 'StatusCode', protocolNamespace);
    const status = attributeValue(statusCode, 'Value');
    if (status !== success) throw new Error(`the provider returned ${status}: ${statusMessage(response)}`);
    return this.#asserted(await signedAssertion(response, provider), requestId, provider);
  }

  #asserted(assertion: XmlElement, requestId: string, provider: IdentityProvider): AssertedUser {
    requireSame(attributeValue(assertion, 'Version'), '2.0', 'Version of the Assertion');
    const now = this.#surroundings.now();
    requireSame(textOf(only(assertion, 'Issuer')), provider.entityId, 'Issuer of the Assertion');
    const subject = only(assertion, 'Subject');
    const confirmation = only(subject, 'SubjectConfirmation');
    requireSame(attributeValue(confirmation, 'Method'), bearerConfirmation, 'Method of the SubjectConfirmation');
    const data = only(confirmation, 'SubjectConfirmationData');
    requireSame(attributeValue(data, 'Recipient'), this.#self.acs, 'Recipient');
    requireSame(attributeValue(data, 'InResponseTo'), requestId, 'InResponseTo of the Assertion');
    if (instant(data, 'NotOnOrAfter') <= now - clockSkewMilliseconds) throw new Error('the Response has expired');
    const conditions = only(assertion, 'Conditions');
    if (instant(conditions, 'NotBefore') > now + clockSkewMilliseconds)
      throw new Error('the Assertion is not valid yet');
    if (instant(conditions, 'NotOnOrAfter') <= now - clockSkewMilliseconds)
      throw new Error('the Assertion has expired');
    const audiences = all(only(conditions, 'AudienceRestriction'), 'Audience').map(textOf);
    if (!audiences.includes(this.#self.entityId)) throw new Error('the Assertion is for another service provider');
    if (all(assertion, 'AuthnStatement').length === 0) missing('AuthnStatement');
    const attributes = all(assertion, 'AttributeStatement').flatMap((statement) => all(statement, 'Attribute'));
    return {
      nameId: textOf(only(subject, 'NameID')),
      attributes: Object.fromEntries(
        attributes.map((each) => [attributeValue(each, 'Name') ?? '', all(each, 'AttributeValue').map(textOf)]),
      ),
    };
  }
}

/** The one Assertion as it was signed: whatever else the answer holds is gone from here on. */
async function signedAssertion(response: XmlElement, { certificates }: IdentityProvider): Promise<XmlElement> {
  const assertions = [...elementsOf(response)].filter(({ local }) => /^(?:Encrypted)?Assertion$/.test(local));
  if (assertions.length !== 1) throw new Error('the Response must have exactly one Assertion');
  const found = only(response, 'Assertion');
  // Alone it still has the namespaces that were declared around it.
  const alone = withInheritedNamespaces(found, new Map(response.declarations));
  refuseSha1(alone);
  const keys = certificates.map(({ publicKey }) => publicKey);
  return (await verifyEnvelopedSignature(alone, keys)).root;
}

/** Who it is, where it is asked and which certificates it signs with, as its metadata say now. */
async function readIdentityProvider(address: string, now: number): Promise<IdentityProvider> {
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(`${address} returned ${answer.status}`);
  const entity = parseXml(await answer.text());
  const validUntil = attributeValue(entity, 'validUntil');
  if (validUntil !== undefined && (readSamlInstant(validUntil) ?? 0) <= now)
    throw new Error(`${address} was valid until ${validUntil}`);
  const role = only(entity, 'IDPSSODescriptor', metadataNamespace);
  const services = all(role, 'SingleSignOnService', metadataNamespace);
  const sso =
    services.find((each) => attributeValue(each, 'Binding') === httpRedirectBinding) ?? missing('HTTP-Redirect');
  const signing = all(role, 'KeyDescriptor', metadataNamespace).filter((key) => {
    return (attributeValue(key, 'use') ?? 'signing') === 'signing';
  });
  const certificates = signing
    .flatMap((key) => [...elementsOf(key)])
    .filter((element) => isNamed(element, signatureNamespace, 'X509Certificate'))
    .map((element) => new X509Certificate(Buffer.from(textOf(element), 'base64')));
  return {
    entityId: attributeValue(entity, 'entityID') ?? missing('entityID'),
    sso: attributeValue(sso, 'Location') ?? missing('Location'),
    certificates,
  };
}

/** SHA-1 proves nothing any more. */
function refuseSha1(signed: XmlElement): void {
  for (const element of elementsOf(signed)) {
    const algorithm = element.namespace === signatureNamespace ? attributeValue(element, 'Algorithm') : undefined;
    if (algorithm?.endsWith('sha1'))
      throw new Error(`the Response is signed with ${algorithm}, which is not supported`);
  }
}

function all(parent: XmlElement, local: string, namespace: string = assertionNamespace): XmlElement[] {
  return childElements(parent).filter((child) => isNamed(child, namespace, local));
}

function only(parent: XmlElement, local: string, namespace: string = assertionNamespace): XmlElement {
  const [found, ...others] = all(parent, local, namespace);
  return found === undefined || others.length > 0 ? missing(`one ${local} in ${parent.local}`) : found;
}

function missing(what: string): never {
  throw new Error(`the Response has no ${what}`);
}

function requireSame(found: string | undefined, expected: string, what: string): void {
  if (found !== expected) throw new Error(`${what} is ${found ?? 'missing'}, but must be ${expected}`);
}

function instant(element: XmlElement, name: string): number {
  return readSamlInstant(attributeValue(element, name)) ?? missing(name);
}

function statusMessage(response: XmlElement): string {
  const message = [...elementsOf(response)].find((each) => isNamed(each, protocolNamespace, 'StatusMessage'));
  return message === undefined ? 'without a message' : textOf(message);
}
