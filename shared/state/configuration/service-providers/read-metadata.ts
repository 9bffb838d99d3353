// Reads the metadata that a service provider publishes (SAML metadata §2.3 to §2.4.4) into the members of an entry. All
// errors are reported at once, each with its position in the text (SPM-04 to SPM-07).
import { pemOfCertificate } from '#shared/base/certificates/pem-of-certificate.ts';
import type { Instant } from '#shared/base/clock.ts';
import { isLoopbackName } from '#shared/base/loopback.ts';
import { type EncryptionMethods, usedConsumers } from '#shared/model/configuration/service-provider.ts';
import type {
  AssertionConsumer,
  AttributeService,
  LogoutService,
} from '#shared/model/configuration/service-provider-entry.ts';
import { problemOfHttpUrl } from '#shared/model/configuration/text-formats.ts';
import { readEndpointIndex, withOneDefault } from '#shared/protocol/saml/indexed-endpoints.ts';
import { readSamlInstant } from '#shared/protocol/saml/instants.ts';
import { isSignedBy } from '#shared/protocol/saml/is-signed-by.ts';
import { nameIdFormatUri } from '#shared/protocol/saml/name-formats.ts';
import {
  assertionConsumerBindings,
  logoutBindingNames,
  metadataNamespace,
  protocolNamespace,
  signatureNamespace,
} from '#shared/protocol/saml/vocabulary.ts';
import { type PlacedXml, parseXmlWithPlaces } from '#shared/protocol/saml/xml/parse-xml.ts';
import { XmlUnreadableError } from '#shared/protocol/saml/xml/xml-unreadable.ts';
import {
  attributeValue,
  childElements,
  elementsOf,
  firstChild,
  isNamed,
  textOf,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import { methodsNamed } from './encryption-methods.ts';
import { readCertificates } from './rsa-certificates.ts';

export interface MetadataFinding {
  readonly level: 'error' | 'warning';
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** The values of a service provider in metadata; absent: metadata has no such value. */
export interface DescribedServiceProvider {
  readonly entity_id: string;
  readonly acs: readonly AssertionConsumer[];
  readonly certificates: readonly string[];
  readonly want_signed_requests: boolean | undefined;
  readonly want_assertions_signed: boolean | undefined;
  readonly name_id_format: string | undefined;
  readonly attribute_services: readonly AttributeService[];
  readonly slo: readonly LogoutService[];
  readonly encryption_certificate: string | undefined;
  readonly encryption: Partial<EncryptionMethods> | undefined;
}

interface MetadataReading {
  readonly findings: readonly MetadataFinding[];
  /** undefined with a finding of level `error`. */
  readonly described: DescribedServiceProvider | undefined;
}

interface MetadataOptions {
  /** Selects one of several; undefined: there is only one. */
  readonly entityId: string | undefined;
  /** PEM certificates that may have signed the document. */
  readonly signers: readonly string[];
  readonly now: Instant;
}

export function readMetadata(source: string, options: MetadataOptions): MetadataReading {
  try {
    return new Reader(parseXmlWithPlaces(source.replace(/^\uFEFF/, '')), options).read();
  } catch (error) {
    if (!(error instanceof XmlUnreadableError)) throw error;
    const place = error.place ?? { line: 1, column: 1 };
    const what = error.what === undefined ? `cannot be read: ${error.message}` : `is not valid XML: it ${error.what}`;
    return { findings: [{ level: 'error', ...place, message: what }], described: undefined };
  }
}

const knownInEntity = new Set([
  ...['Extensions', 'RoleDescriptor', 'IDPSSODescriptor', 'SPSSODescriptor', 'AuthnAuthorityDescriptor'],
  ...['AttributeAuthorityDescriptor', 'PDPDescriptor', 'AffiliationDescriptor', 'Organization', 'ContactPerson'],
  'AdditionalMetadataLocation',
]);
const knownInRole = new Set([
  ...['Extensions', 'KeyDescriptor', 'Organization', 'ContactPerson', 'ArtifactResolutionService'],
  ...['SingleLogoutService', 'ManageNameIDService', 'NameIDFormat', 'AssertionConsumerService'],
  'AttributeConsumingService',
]);

class Reader {
  readonly #findings: MetadataFinding[] = [];
  readonly #document: PlacedXml;
  readonly #wanted: MetadataOptions;

  constructor(document: PlacedXml, options: MetadataOptions) {
    this.#document = document;
    this.#wanted = options;
  }

  read(): MetadataReading {
    const entity = this.#entity(this.#document.root);
    const described = entity && this.#describe(entity);
    const failed = this.#findings.some(({ level }) => level === 'error');
    const findings = this.#findings.sort((one, other) => one.line - other.line || one.column - other.column);
    return { findings, described: failed ? undefined : described };
  }

  #note(level: MetadataFinding['level'], element: XmlElement, message: string, attribute?: string): void {
    this.#findings.push({ level, ...this.#document.placeOf(element, attribute), message });
  }

  #entity(root: XmlElement): XmlElement | undefined {
    this.#checkValidity(root);
    this.#checkSignature(root);
    if (isNamed(root, metadataNamespace, 'EntityDescriptor')) return root;
    if (!isNamed(root, metadataNamespace, 'EntitiesDescriptor')) {
      this.#note('error', root, 'the root element must be an EntityDescriptor of SAML 2.0 metadata');
      return undefined;
    }
    const entities = [...elementsOf(root)].filter((each) => isNamed(each, metadataNamespace, 'EntityDescriptor'));
    const { entityId } = this.#wanted;
    const found = entities.filter((each) => attributeValue(each, 'entityID') === entityId);
    if (found.length === 1) return found[0];
    const message =
      entityId === undefined
        ? 'this EntitiesDescriptor has several entities. Select one with entity_id'
        : `this EntitiesDescriptor has ${found.length === 0 ? 'no' : 'more than one'} entity with this entity_id`;
    this.#note('error', root, message);
    return undefined;
  }

  #checkValidity(element: XmlElement): void {
    const until = attributeValue(element, 'validUntil');
    if (until !== undefined && (readSamlInstant(until) ?? 0) <= this.#wanted.now) {
      this.#note('warning', element, 'validUntil is in the past or not a valid time', 'validUntil');
    }
  }

  #checkSignature(element: XmlElement): void {
    const signature = firstChild(element, signatureNamespace, 'Signature');
    if (signature === undefined || isSignedBy(element, this.#wanted.signers)) return;
    this.#note('warning', signature, 'no certificate of the entry verifies this signature');
  }

  #describe(entity: XmlElement): DescribedServiceProvider | undefined {
    if (entity !== this.#document.root) {
      this.#checkValidity(entity);
      this.#checkSignature(entity);
    }
    this.#checkKnown(entity, knownInEntity);
    const entityId = attributeValue(entity, 'entityID') ?? '';
    if (entityId.trim() === '') this.#note('error', entity, 'entityID is missing', 'entityID');
    const role = childElements(entity).find(
      (child) =>
        isNamed(child, metadataNamespace, 'SPSSODescriptor') &&
        (attributeValue(child, 'protocolSupportEnumeration') ?? '').split(/\s+/).includes(protocolNamespace),
    );
    if (role === undefined) {
      this.#note('error', entity, 'an SPSSODescriptor for SAML 2.0 is missing');
      return undefined;
    }
    this.#checkValidity(role);
    this.#checkKnown(role, knownInRole);
    const keys = this.#keys(role);
    const formats = this.#children(role, 'NameIDFormat').map((element) => textOf(element).trim());
    return {
      entity_id: entityId,
      acs: this.#consumers(role),
      certificates: keys.signing,
      want_signed_requests: truth(attributeValue(role, 'AuthnRequestsSigned')),
      want_assertions_signed: truth(attributeValue(role, 'WantAssertionsSigned')),
      name_id_format: formats.map(nameIdFormatUri).find((uri) => uri !== undefined),
      attribute_services: this.#attributeServices(role),
      slo: this.#logoutServices(role),
      encryption_certificate: keys.encryption,
      encryption: keys.methods,
    };
  }

  #children(parent: XmlElement, local: string): readonly XmlElement[] {
    return childElements(parent).filter((child) => isNamed(child, metadataNamespace, local));
  }

  #checkKnown(parent: XmlElement, known: ReadonlySet<string>): void {
    for (const child of childElements(parent)) {
      const isKnown =
        (child.namespace === metadataNamespace && known.has(child.local)) ||
        isNamed(child, signatureNamespace, 'Signature');
      if (!isKnown) this.#note('warning', child, `unknown element ${child.local}. It is ignored`);
    }
  }

  #keys(role: XmlElement) {
    const signing: string[] = [];
    let encryption: string | undefined;
    let methods: Partial<EncryptionMethods> | undefined;
    for (const descriptor of this.#children(role, 'KeyDescriptor')) {
      const use = attributeValue(descriptor, 'use');
      const elements = [...elementsOf(descriptor)].filter((each) =>
        isNamed(each, signatureNamespace, 'X509Certificate'),
      );
      if (elements.length === 0) this.#note('warning', descriptor, 'this KeyDescriptor has no X509Certificate');
      for (const element of elements) {
        const pem = pemOfCertificate(textOf(element));
        const read = readCertificates(pem, this.#wanted.now);
        if (read.outcome === 'refused') {
          this.#note('error', element, `the certificate ${read.message}`);
          continue;
        }
        if (read.expired) this.#note('warning', element, 'the certificate has expired. The server still uses it');
        if (use !== 'encryption') signing.push(pem);
        if (use === 'signing' || encryption !== undefined) continue;
        encryption = pem;
        methods = methodsNamed(this.#children(descriptor, 'EncryptionMethod'));
      }
    }
    return { signing, encryption, methods };
  }

  /** undefined: its error was reported. */
  #location(element: XmlElement, name: 'Location' | 'ResponseLocation'): string | undefined {
    const location = attributeValue(element, name)?.trim() ?? '';
    if (problemOfHttpUrl(location) !== undefined) {
      this.#note('error', element, `${name} must be an absolute http or https URL`, name);
      return undefined;
    }
    const { protocol, hostname } = new URL(location);
    if (protocol === 'http:' && !isLoopbackName(hostname)) {
      this.#note(
        'warning',
        element,
        `${name} is an http URL of another machine, so messages are sent unencrypted`,
        name,
      );
    }
    return location;
  }

  #consumers(role: XmlElement): readonly AssertionConsumer[] {
    const consumers: AssertionConsumer[] = [];
    const indexes = new Set<number>();
    let posted = false;
    for (const element of this.#children(role, 'AssertionConsumerService')) {
      const url = this.#location(element, 'Location');
      const index = this.#index(element, indexes);
      const binding = assertionConsumerBindings.get(attributeValue(element, 'Binding') ?? '');
      if (binding === undefined) {
        this.#note('warning', element, 'the Binding of this AssertionConsumerService is not supported', 'Binding');
      }
      if (binding === 'HTTP-POST') posted = true;
      if (url === undefined || index === undefined || binding === undefined) continue;
      consumers.push({ url, index, default: truth(attributeValue(element, 'isDefault')), binding });
    }
    if (!posted) this.#note('error', role, 'an AssertionConsumerService with HTTP-POST is missing');
    return withOneDefault(consumers, usedConsumers(consumers));
  }

  #index(element: XmlElement, taken: Set<number>): number | undefined {
    const index = readEndpointIndex(attributeValue(element, 'index') ?? '');
    if (index === undefined) {
      this.#note('error', element, 'index must be a whole number from 0 to 65535', 'index');
      return undefined;
    }
    if (taken.has(index)) {
      this.#note('error', element, `index is already the index of an earlier ${element.local}`, 'index');
      return undefined;
    }
    taken.add(index);
    return index;
  }

  #logoutServices(role: XmlElement): readonly LogoutService[] {
    return this.#children(role, 'SingleLogoutService').flatMap((element) => {
      const url = this.#location(element, 'Location');
      const answers = attributeValue(element, 'ResponseLocation');
      const response_url = answers === undefined ? undefined : this.#location(element, 'ResponseLocation');
      const binding = logoutBindingNames.get(attributeValue(element, 'Binding') ?? '');
      if (url === undefined || binding === undefined) return [];
      return [{ url, binding, ...(response_url === undefined ? {} : { response_url }) }];
    });
  }

  #attributeServices(role: XmlElement): readonly AttributeService[] {
    const indexes = new Set<number>();
    const services = this.#children(role, 'AttributeConsumingService').flatMap((element) => {
      const index = this.#index(element, indexes);
      if (index === undefined) return [];
      const attributes = this.#children(element, 'RequestedAttribute').flatMap(
        (requested) => attributeValue(requested, 'Name') ?? [],
      );
      return [{ index, default: truth(attributeValue(element, 'isDefault')), attributes }];
    });
    return withOneDefault(services, services);
  }
}

function truth(value: string | undefined): boolean | undefined {
  if (value === undefined) return undefined;
  return value.trim() === 'true' || value.trim() === '1';
}
