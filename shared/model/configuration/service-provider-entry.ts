// One entry of saml.service_providers[]: every field with its type, bound and default (SPM-01 to SPM-05). Absent fields
// may come from the provider's own metadata, so absence differs from every value.
// service-providers/effective-service-provider.ts creates the effective service provider (service-provider.ts).
import * as z from 'zod';
import { nulProblem } from '#shared/base/untrusted-values.ts';
import { isAttributeNameFormat, nameIdFormatUri } from '#shared/protocol/saml/name-formats.ts';
import { claimSource } from './claim-source.ts';
import { fields } from './field.ts';
import {
  assertionLifetime,
  digestAlgorithm,
  notBefore,
  sessionEnd,
  signatureAlgorithm,
  signedPartOrNone,
} from './saml-response-form.ts';
import { problemOfHttpUrl } from './text-formats.ts';
import {
  filledText,
  judged,
  oneOf,
  optionalText,
  section,
  text,
  texts,
  textsOrText,
  wholeNumber,
} from './value-kinds.ts';

const serviceProviderBindings = ['HTTP-POST', 'HTTP-Redirect', 'HTTP-Artifact', 'SOAP', 'PAOS'] as const;
const logoutBindings = ['HTTP-Redirect', 'HTTP-POST', 'SOAP'] as const;
const encryptedParts = ['assertion', 'name_id', 'attributes'] as const;
export const contentCiphers = ['aes256-gcm', 'aes128-gcm', 'aes256-cbc', 'aes128-cbc'] as const;
export const keyTransports = ['rsa-oaep-mgf1p', 'rsa-oaep', 'rsa-1_5'] as const;
export const encryptionDigests = ['sha1', 'sha256', 'sha512'] as const;
const keyPlaces = ['inside', 'beside'] as const;

export type EncryptedPart = (typeof encryptedParts)[number];
export type ContentCipher = (typeof contentCiphers)[number];
export type KeyTransport = (typeof keyTransports)[number];
export type EncryptionDigest = (typeof encryptionDigests)[number];
/** Whether the EncryptedKey is in the KeyInfo of the EncryptedData, or follows the EncryptedData (SRE-11). */
export type KeyPlace = (typeof keyPlaces)[number];

const address = () => judged(problemOfHttpUrl);
const index = () => wholeNumber(0, 65_535).optional();
const isDefault = () => z.boolean('must be true or false').optional();

const consumer = section({
  url: address(),
  index: index(),
  default: isDefault(),
  binding: oneOf(serviceProviderBindings).optional(),
});

const logoutService = section({
  url: address(),
  response_url: address().optional(),
  binding: oneOf(logoutBindings),
});

const mappedAttribute = section({
  name: filledText(),
  name_format: judged((value) =>
    isAttributeNameFormat(value) ? undefined : 'must be uri, basic, unspecified or a URI',
  ).optional(),
  friendly_name: filledText().optional(),
  from: claimSource().optional(),
  values: texts().optional(),
  as: oneOf(['list', 'text', 'always']).optional(),
}).superRefine((attribute, context) => {
  if ((attribute.from === undefined) === (attribute.values === undefined)) {
    context.addIssue({ code: 'custom', path: ['from'], message: 'or values is required, but not both' });
  }
});

const audiencesMax = 20;

const attributeService = section({
  index: wholeNumber(0, 65_535),
  default: isDefault(),
  attributes: texts(),
});

const encryption = section({
  content: oneOf(contentCiphers).optional(),
  key: oneOf(keyTransports).optional(),
  digest: oneOf(encryptionDigests).optional(),
  mgf: oneOf(encryptionDigests).optional(),
  key_place: oneOf(keyPlaces).optional(),
});

const listOf = <Item extends z.ZodType>(item: Item, what: string) => z.array(item, `must be a list of ${what}`);

const optionalFlag = () => z.boolean('must be true or false').optional();

export const serviceProviderEntryModel = section({
  entity_id: optionalText().register(fields, {
    description: 'Its entity ID, the Issuer of its requests. Absent: the one in `metadata_file`.',
    label: 'Entity ID',
    form: { section: 'identity', blank: '' },
  }),
  title: optionalText().register(fields, {
    description: 'Its display name. Absent: the entity ID.',
    tool: { description: 'Its display name.' },
    label: 'Title',
    form: { section: 'identity', prose: true },
  }),
  metadata_file: optionalText().register(fields, {
    description: 'File with its metadata. Each member of the entry overrides the metadata.',
    tool: { description: 'File with its metadata.' },
    label: 'Metadata file',
    form: { section: 'identity', wide: true },
    example: '"sp-metadata.xml"',
  }),
  acs: z
    .union(
      [
        listOf(z.union([consumer, address().transform((url): AssertionConsumer => ({ url }))]), 'addresses'),
        address().transform((url): AssertionConsumer[] => [{ url }]),
      ],
      'must be a list of URLs, or of mappings with url, index, default and binding',
    )
    .optional()
    .register(fields, {
      description: 'Its assertion consumer services: strings, or mappings of `url`, `index`, `default` and `binding`.',
      tool: { description: 'Mappings of url, index, default.' },
      label: 'Assertion consumer services',
      form: { section: 'login', json: true },
      example: '[{"url": "https://app.example.org/acs", "index": 0, "default": true}]',
    }),
  certificates: textsOrText()
    .optional()
    .register(fields, {
      description: 'RSA certificates for its signatures, as PEM files or texts.',
      tool: { description: 'Its signing certificates, as PEM.' },
      label: 'Certificates',
      form: { section: 'login', pem: true },
      example: '["../certificates/sp.pem"]',
    }),
  want_signed_requests: optionalFlag().register(fields, {
    description: 'Accept only AuthnRequests signed with one of its certificates.',
    tool: { description: 'Reject unsigned AuthnRequests.' },
    label: 'Require signed requests',
    whenAbsent: 'AuthnRequestsSigned in its metadata, else false',
    form: { section: 'login', choices: { '': 'Not set: value from its metadata, else no' } },
  }),
  sign: signedPartOrNone()
    .optional()
    .register(fields, {
      description: 'The signed parts of a Response: `both`, `response`, `assertion` or `none`. Absent: `saml.sign`.',
      tool: { description: 'The signed parts of a Response.' },
      label: 'Signed parts',
      whenAbsent: 'the one in the settings',
      form: {
        section: 'login',
        choices: {
          '': 'Not set: as in the settings',
          both: 'Both',
          response: 'The Response',
          assertion: 'The Assertion',
          none: 'Nothing',
        },
      },
    }),
  signature_algorithm: signatureAlgorithm()
    .optional()
    .register(fields, {
      description: 'Algorithm of signatures for it. Absent: `saml.signature_algorithm`.',
      tool: { description: 'Algorithm of signatures for it.' },
      label: 'Signature algorithm',
      whenAbsent: 'the one in the settings',
      form: { section: 'login' },
    }),
  digest_algorithm: digestAlgorithm()
    .optional()
    .register(fields, {
      description: 'Digest inside signatures for it. Absent: `saml.digest_algorithm`.',
      tool: { description: 'Digest inside signatures for it.' },
      label: 'Digest algorithm',
      whenAbsent: 'the one in the settings',
      form: { section: 'login' },
    }),
  assertion_lifetime_seconds: assertionLifetime()
    .optional()
    .register(fields, {
      description: 'Seconds until `NotOnOrAfter` of its logins. Absent: `saml.assertion_lifetime_seconds`.',
      tool: { description: 'Seconds until NotOnOrAfter.' },
      label: 'Assertion, seconds',
      form: { section: 'login' },
    }),
  not_before_seconds: notBefore()
    .optional()
    .register(fields, {
      description: 'Seconds from `NotBefore` of its logins to their issue. Absent: `saml.not_before_seconds`.',
      tool: { description: 'Seconds from NotBefore to the issue.' },
      label: 'NotBefore, seconds earlier',
      form: { section: 'login' },
    }),
  session_not_on_or_after: sessionEnd()
    .optional()
    .register(fields, {
      description:
        '`SessionNotOnOrAfter` of its logins: `session`, `never` or seconds. Absent: `saml.session_not_on_or_after`.',
      tool: { description: 'SessionNotOnOrAfter: session, never or seconds.' },
      label: 'SessionNotOnOrAfter',
      form: { section: 'login' },
    }),
  audiences: z
    .array(filledText(), 'must be a list, such as [a, b]')
    .max(audiencesMax, `must have at most ${audiencesMax} items`)
    .optional()
    .register(fields, {
      description: 'The audiences of its assertions, instead of its entity ID.',
      tool: { description: 'Its audiences.' },
      label: 'Audiences',
      form: { section: 'login' },
      example: '["https://app.example.org", "urn:app"]',
    }),
  name_id_format: judged((name) =>
    nameIdFormatUri(name) === undefined
      ? 'must be unspecified, emailAddress, persistent or transient, or the full URI of one'
      : undefined,
  )
    .transform((name) => nameIdFormatUri(name) ?? name)
    .optional()
    .register(fields, {
      description: 'Default format of the NameID: unspecified, emailAddress, persistent or transient.',
      tool: { description: 'unspecified, emailAddress, persistent, transient.' },
      label: 'NameID format',
      form: { section: 'subject' },
    }),
  name_id_from: claimSource()
    .optional()
    .register(fields, {
      description: 'Source of an unspecified or emailAddress NameID, such as `username` or `attributes.staff_number`.',
      tool: { description: 'Source of the NameID: `email`.' },
      label: 'NameID from',
      form: { section: 'subject' },
    }),
  attributes: listOf(mappedAttribute, 'mappings with name and from or values')
    .optional()
    .register(fields, {
      description:
        'Its attributes, instead of the default ones: mappings of `name`, `name_format`, `friendly_name`, `from` or `values`, and `as`.',
      tool: { description: 'Mappings of name, from or values, name_format, as.' },
      label: 'Attributes',
      form: { section: 'subject', json: true },
      example: '[{"name": "mail", "from": "email"}]',
    }),
  attribute_services: listOf(attributeService, 'mappings with index and attributes')
    .optional()
    .register(fields, {
      description: 'Sets of attribute names, selected by an AttributeConsumingServiceIndex.',
      tool: { description: 'Mappings of index, attributes.' },
      label: 'Attribute consuming services',
      form: { section: 'subject', json: true },
      example: '[{"index": 1, "default": true, "attributes": ["mail"]}]',
    }),
  slo: listOf(logoutService, 'mappings with url, response_url and binding')
    .optional()
    .register(fields, {
      description: 'Its single logout services: mappings of `url`, `response_url` and `binding`.',
      tool: { description: 'Mappings of url, response_url, binding.' },
      label: 'Single logout services',
      form: { section: 'logout', json: true },
      example: '[{"url": "https://app.example.org/slo", "binding": "HTTP-Redirect"}]',
    }),
  encrypt: listOf(oneOf(encryptedParts), `${encryptedParts.join(', ')}`)
    .optional()
    .register(fields, {
      description: 'The parts to encrypt: `assertion`, `name_id`, `attributes`.',
      tool: { description: 'The parts to encrypt.' },
      label: 'Encrypted parts',
      form: { section: 'encryption', commas: true },
      example: '["assertion"]',
    }),
  encryption: encryption.optional().register(fields, {
    description:
      'Encryption algorithms: a mapping of `content`, `key`, `digest`, `mgf` and `key_place` (`inside` or `beside` the EncryptedData).',
    tool: { description: 'content, key, digest, mgf, key_place.' },
    label: 'Encryption algorithms',
    form: { section: 'encryption', json: true },
    example: '{"content": "aes256-gcm", "key": "rsa-oaep-mgf1p"}',
  }),
  encryption_certificate: optionalText().register(fields, {
    description: 'RSA certificate to encrypt with, as PEM file or text.',
    tool: { description: 'PEM text or file.' },
    label: 'Encryption certificate',
    form: { section: 'encryption', pem: true },
  }),
  idp_initiated: optionalFlag().register(fields, {
    description: 'Allow logins that start here, while `saml.idp_initiated` is on.',
    tool: { description: 'Allow logins that start here.' },
    label: 'Logins that start here',
    whenAbsent: 'true',
    form: { section: 'begun-here', choices: { '': 'Not set: yes' } },
  }),
  relay_state: text()
    .optional()
    .register(fields, {
      description: 'Default RelayState of logins that start here.',
      tool: { description: 'Their default RelayState.' },
      label: 'Default RelayState',
      form: { section: 'begun-here', verbatim: true },
    }),
});

export type ServiceProviderEntry = Readonly<z.output<typeof serviceProviderEntryModel>>;

export interface AssertionConsumer {
  readonly url: string;
  readonly index?: number | undefined;
  readonly default?: boolean | undefined;
  readonly binding?: (typeof serviceProviderBindings)[number] | undefined;
}

export type LogoutService = Readonly<z.output<typeof logoutService>>;
export type MappedAttribute = Readonly<z.output<typeof mappedAttribute>>;
export type AttributeService = Readonly<z.output<typeof attributeService>>;

type Problem = { readonly field: string; readonly message: string };

/** The rules over several fields of one entry. Returns the first violated one (SPM-02, ENC-02). */
export function checkServiceProviderEntry(entry: ServiceProviderEntry): Problem | undefined {
  const { acs = [], attribute_services = [], encryption: algorithms } = entry;
  if (entry.entity_id?.includes('\0')) return { field: 'entity_id', message: nulProblem };
  if (repeated(acs.map((each) => each.index))) {
    return { field: 'acs', message: 'repeats an index' };
  }
  if (acs.filter((each) => each.default === true).length > 1) {
    return { field: 'acs', message: 'has more than one default' };
  }
  if (repeated(attribute_services.map((each) => each.index))) {
    return { field: 'attribute_services', message: 'repeats an index' };
  }
  if (attribute_services.filter((each) => each.default === true).length > 1) {
    return { field: 'attribute_services', message: 'has more than one default' };
  }
  if (algorithms?.mgf !== undefined && algorithms.key !== 'rsa-oaep') {
    return { field: 'encryption.mgf', message: 'is allowed only with key: rsa-oaep' };
  }
  return undefined;
}

function repeated(indexes: readonly (number | undefined)[]): boolean {
  const given = indexes.filter((each) => each !== undefined);
  return new Set(given).size < given.length;
}
