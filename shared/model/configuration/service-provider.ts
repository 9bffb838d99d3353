// A service provider as every flow sees it, merged from its entry, its metadata and the defaults. Pure: files and
// certificates are read before.
import type {
  AssertionConsumer,
  AttributeService,
  ContentCipher,
  EncryptedPart,
  EncryptionDigest,
  KeyPlace,
  KeyTransport,
  LogoutService,
  MappedAttribute,
  ServiceProviderEntry,
} from './service-provider-entry.ts';

export interface EncryptionMethods {
  readonly content: ContentCipher;
  readonly key: KeyTransport;
  readonly digest: EncryptionDigest;
  /** Only used by `rsa-oaep`. */
  readonly mgf: EncryptionDigest;
  readonly key_place: KeyPlace;
}

/** A registered service provider in the form that all flows use, for every origin. Certificates as PEM. */
export interface ServiceProvider {
  readonly entity_id: string;
  readonly title: string | undefined;
  /** In order. Only those with the HTTP-POST binding are used. */
  readonly acs: readonly AssertionConsumer[];
  readonly certificates: readonly string[];
  readonly want_signed_requests: boolean;
  /** undefined: that of `saml`, as with the next ones (saml-rules/response-form.ts). */
  readonly sign: ServiceProviderEntry['sign'];
  readonly signature_algorithm: ServiceProviderEntry['signature_algorithm'];
  readonly digest_algorithm: ServiceProviderEntry['digest_algorithm'];
  readonly assertion_lifetime_seconds: number | undefined;
  readonly not_before_seconds: number | undefined;
  readonly session_not_on_or_after: ServiceProviderEntry['session_not_on_or_after'];
  /** Empty: its entity ID. */
  readonly audiences: readonly string[];
  readonly name_id_format: string | undefined;
  readonly name_id_from: ServiceProviderEntry['name_id_from'];
  /** undefined: the default attributes. */
  readonly attributes: readonly MappedAttribute[] | undefined;
  readonly attribute_services: readonly AttributeService[];
  readonly slo: readonly LogoutService[];
  readonly encrypt: readonly EncryptedPart[];
  readonly encryption: EncryptionMethods;
  readonly encryption_certificate: string | undefined;
  readonly idp_initiated: boolean;
  /** Of logins that start here. undefined: none. */
  readonly relay_state: string | undefined;
}

/** What its metadata may contain. */
type Described = Partial<
  Pick<ServiceProvider, 'acs' | 'certificates' | 'name_id_format' | 'attribute_services' | 'slo'>
> & {
  readonly want_signed_requests: boolean | undefined;
  readonly encryption: Partial<EncryptionMethods> | undefined;
};

const defaultMethods: EncryptionMethods = {
  content: 'aes256-gcm',
  key: 'rsa-oaep-mgf1p',
  digest: 'sha1',
  mgf: 'sha256',
  key_place: 'inside',
};

/** Responses use HTTP-POST only. */
export function usedConsumers(acs: readonly AssertionConsumer[]): readonly AssertionConsumer[] {
  return acs.filter(({ binding = 'HTTP-POST' }) => binding === 'HTTP-POST');
}

/**
 * Of several endpoints, the first marked as default, else the first that is not marked as non-default (SAML metadata
 * §2.2.3).
 */
export function defaultConsumer(used: readonly AssertionConsumer[]): AssertionConsumer | undefined {
  return used.find((each) => each.default === true) ?? used.find((each) => each.default !== false) ?? used[0];
}

/** The entry's value, else the metadata's, else the default (SPM-04, SPM-05). */
export function merged(
  entityId: string,
  entry: ServiceProviderEntry,
  described: Described | undefined,
  certificates: readonly string[] | undefined,
): ServiceProvider {
  return {
    entity_id: entityId,
    title: entry.title,
    acs: entry.acs ?? described?.acs ?? [],
    certificates: certificates ?? described?.certificates ?? [],
    want_signed_requests: entry.want_signed_requests ?? described?.want_signed_requests ?? false,
    sign: entry.sign,
    signature_algorithm: entry.signature_algorithm,
    digest_algorithm: entry.digest_algorithm,
    assertion_lifetime_seconds: entry.assertion_lifetime_seconds,
    not_before_seconds: entry.not_before_seconds,
    session_not_on_or_after: entry.session_not_on_or_after,
    audiences: entry.audiences ?? [],
    name_id_format: entry.name_id_format ?? described?.name_id_format,
    name_id_from: entry.name_id_from,
    attributes: entry.attributes,
    attribute_services: entry.attribute_services ?? described?.attribute_services ?? [],
    slo: entry.slo ?? described?.slo ?? [],
    encrypt: entry.encrypt ?? [],
    // Metadata cannot say where the key belongs, so a place alone leaves the algorithms to it.
    encryption: complete({
      ...(namesAlgorithms(entry.encryption) ? undefined : described?.encryption),
      ...entry.encryption,
    }),
    encryption_certificate: undefined,
    idp_initiated: entry.idp_initiated ?? true,
    // A stored entry of an earlier version has an empty text for none.
    relay_state: entry.relay_state || undefined,
  };
}

type Named = { readonly [Key in keyof EncryptionMethods]?: EncryptionMethods[Key] | undefined };

function complete({ content, key, digest, mgf, key_place }: Named): EncryptionMethods {
  return {
    content: content ?? defaultMethods.content,
    key: key ?? defaultMethods.key,
    digest: digest ?? defaultMethods.digest,
    mgf: mgf ?? defaultMethods.mgf,
    key_place: key_place ?? defaultMethods.key_place,
  };
}

function namesAlgorithms({ key_place: _place, ...algorithms }: Named = {}): boolean {
  return Object.values(algorithms).some((named) => named !== undefined);
}

/** The service provider of a complete entry, created by `completeEntry`. */
export function serviceProviderOfEntry(entityId: string, entry: ServiceProviderEntry): ServiceProvider {
  const { certificates, encryption_certificate } = entry;
  return { ...merged(entityId, entry, undefined, certificates), encryption_certificate };
}

/** A complete entry of a service provider, without files or metadata. */
export function completeEntry(provider: ServiceProvider): ServiceProviderEntry {
  const lists = { ...provider, acs: [...provider.acs], certificates: [...provider.certificates] };
  return {
    ...lists,
    metadata_file: undefined,
    audiences: [...provider.audiences],
    attributes: provider.attributes && [...provider.attributes],
    attribute_services: [...provider.attribute_services],
    slo: [...provider.slo],
    encrypt: [...provider.encrypt],
    encryption:
      provider.encryption.key === 'rsa-oaep' ? provider.encryption : { ...provider.encryption, mgf: undefined },
  };
}
