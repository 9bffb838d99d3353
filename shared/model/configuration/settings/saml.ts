// The section `saml` of settings.yaml.
import * as z from 'zod';
import { fields } from '../field.ts';
import {
  assertionLifetime,
  digestAlgorithm,
  notBefore,
  sessionEnd,
  signatureAlgorithm,
  signedPart,
} from '../saml-response-form.ts';
import { serviceProviderEntryModel } from '../service-provider-entry.ts';
import { problemOfHttpUrl } from '../text-formats.ts';
import { flag, judged, oneOf, optionalText, section, text, texts, wholeNumber } from '../value-kinds.ts';

export const c14nAlgorithms = ['exc_c14n', 'c14n', 'c14n11'] as const;
export type C14nAlgorithm = (typeof c14nAlgorithms)[number];

const nameOrDefault = (byDefault: string) =>
  text()
    .nullable()
    .transform((value) => (value === null || value.trim() === '' ? byDefault : value))
    .prefault(byDefault);

/** Text that consists only of white space counts as blank. */
const algorithm = z.preprocess(
  (value) => (typeof value === 'string' && value.trim() === '' ? '' : value),
  z
    .enum([...c14nAlgorithms, ''], `must be one of ${c14nAlgorithms.join(', ')}`)
    .nullable()
    .transform((value): C14nAlgorithm => (value === null || value === '' ? 'exc_c14n' : value)),
);

export const samlSettings = section({
  entity_id: optionalText().register(fields, {
    description: 'Entity ID. Absent: `<issuer>/saml`.',
    label: 'Entity ID',
    form: { section: 'saml' },
    name: 'saml_entity_id',
    sandbox: true,
    tool: { description: 'Entity ID of the SAML identity provider. Empty: `<issuer>/saml`.' },
  }),
  sso_url: optionalText().register(fields, {
    description: 'Address for logins. Absent: `<issuer>/saml/sso`.',
    label: 'Single sign-on address',
    form: { section: 'saml' },
    name: 'saml_sso_url',
    sandbox: true,
    tool: { description: 'Address for SAML logins. Empty: `<issuer>/saml/sso`.' },
  }),
  slo_url: z
    .union([z.literal(''), judged(problemOfHttpUrl)])
    .nullable()
    .transform((value) => (value === null || value === '' ? undefined : value))
    .optional()
    .register(fields, {
      description:
        'Address for logouts in metadata. Absent: `<issuer>/saml/slo`, at the host of `sso_url` if that is set.',
      label: 'Single logout address',
      form: { section: 'saml' },
      name: 'saml_slo_url',
      sandbox: true,
      tool: {
        description: 'Address for SAML logouts in metadata. Empty: `<issuer>/saml/slo`, at the host of saml_sso_url.',
      },
    }),
  /** Empty: a request without an address is rejected (CFG-K32). */
  default_acs_url: text()
    .default('http://localhost:8080/login/saml2/sso/samlIdp')
    .register(fields, {
      description: 'Response address for requests that name none. Empty: such requests are rejected.',
      label: 'Default ACS address',
      form: { section: 'saml', blank: '' },
      sandbox: true,
      example: 'http://localhost:3000/saml/acs',
    }),
  sign_responses: flag(true).register(fields, {
    description: 'Sign responses. `false` removes every signature of responses.',
    label: 'Sign responses',
    form: { section: 'saml' },
    name: 'saml_sign_responses',
    sandbox: true,
  }),
  sign: signedPart()
    .default('both')
    .register(fields, {
      description: 'The signed parts of a login: `both` (Response and Assertion), `response` or `assertion`.',
      tool: { description: 'The signed parts of a login. Default: both.' },
      label: 'Signed parts',
      form: {
        section: 'saml',
        choices: { both: 'Response and Assertion', response: 'The Response', assertion: 'The Assertion' },
      },
      name: 'saml_sign',
      sandbox: true,
      yaml: 'unless-default',
    }),
  export_roles: flag(false).register(fields, {
    description: 'Send the roles as an attribute.',
    label: 'Send the roles',
    form: { section: 'saml' },
    name: 'saml_export_roles',
    sandbox: true,
  }),
  export_groups: flag(false).register(fields, {
    description: 'Send the groups as an attribute.',
    label: 'Send the groups',
    form: { section: 'saml' },
    name: 'saml_export_groups',
    sandbox: true,
  }),
  roles_attr_name: nameOrDefault('roles').register(fields, {
    description: 'Name of the attribute with the roles.',
    label: 'Attribute of the roles',
    form: { section: 'saml' },
    name: 'saml_roles_attr_name',
    sandbox: true,
  }),
  groups_attr_name: nameOrDefault('groups').register(fields, {
    description: 'Name of the attribute with the groups.',
    label: 'Attribute of the groups',
    form: { section: 'saml' },
    name: 'saml_groups_attr_name',
    sandbox: true,
  }),
  c14n_algorithm: algorithm.prefault('exc_c14n').register(fields, {
    description: 'Canonicalisation of signatures. Blank: the default.',
    label: 'Canonicalisation',
    form: { section: 'saml' },
    name: 'saml_c14n_algorithm',
    sandbox: true,
    tool: { description: 'Canonicalisation of signatures. Default: exc_c14n.' },
  }),
  signature_algorithm: signatureAlgorithm()
    .default('rsa-sha256')
    .register(fields, {
      description: 'Algorithm of signatures, for service providers whose entry names none.',
      tool: { description: 'Algorithm of signatures. Default: rsa-sha256.' },
      label: 'Signature algorithm',
      form: { section: 'saml' },
      name: 'saml_signature_algorithm',
      sandbox: true,
      yaml: 'unless-default',
    }),
  digest_algorithm: digestAlgorithm()
    .optional()
    .register(fields, {
      description: 'Digest inside signatures. Absent: the hash of the signature algorithm.',
      tool: { description: 'Digest inside signatures.' },
      label: 'Digest algorithm',
      whenAbsent: 'the hash of the signature algorithm',
      form: { section: 'saml' },
      name: 'saml_digest_algorithm',
      sandbox: true,
    }),
  assertion_lifetime_seconds: assertionLifetime()
    .default(300)
    .register(fields, {
      description: "Seconds from the issue of a login's assertion to its `NotOnOrAfter`.",
      label: 'Assertion, seconds',
      form: { section: 'saml' },
      name: 'saml_assertion_lifetime_seconds',
      sandbox: true,
      yaml: 'unless-default',
    }),
  not_before_seconds: notBefore()
    .default(0)
    .register(fields, {
      description: 'Seconds from `NotBefore` of a login to its issue, for clocks that are slow.',
      label: 'NotBefore, seconds earlier',
      form: { section: 'saml' },
      name: 'saml_not_before_seconds',
      sandbox: true,
      yaml: 'unless-default',
    }),
  session_not_on_or_after: sessionEnd()
    .default('session')
    .register(fields, {
      description:
        '`SessionNotOnOrAfter` of a login: `session` (end of the browser session, while sessions are on), `never`, or seconds after the issue.',
      tool: { description: '`SessionNotOnOrAfter`: session, never, or seconds after the issue.' },
      label: 'SessionNotOnOrAfter',
      form: { section: 'saml' },
      name: 'saml_session_not_on_or_after',
      sandbox: true,
      yaml: 'unless-default',
    }),
  want_authn_requests_signed: flag(false).register(fields, {
    description: 'Accept only signed AuthnRequests.',
    label: 'Require signed requests',
    form: { section: 'saml' },
    name: 'saml_want_authn_requests_signed',
    sandbox: true,
    api: false,
  }),
  sp_certificates: texts()
    .default([])
    .register(fields, {
      description: 'Signing certificates of unregistered service providers, as PEM files or texts.',
      tool: { description: 'Signing certificates, as PEM files or texts.' },
      label: 'Certificates of service providers',
      form: { section: 'saml', pem: true },
      name: 'saml_sp_certificates',
      sandbox: true,
      api: false,
      example: '["../certificates/sp.pem"]',
    }),
  strict_binding: flag(false).register(fields, {
    description:
      'Reject AuthnRequests with a wrong encoding, root element, Version or Destination, and signed ones without Destination.',
    label: 'Strict bindings',
    form: { section: 'saml' },
    tool: { description: 'Reject AuthnRequests with a wrong encoding, root element, Version or Destination.' },
    name: 'strict_saml_binding',
    sandbox: true,
  }),
  service_providers: z
    .array(serviceProviderEntryModel, 'must be a list of service providers. Write [] for none')
    .default([])
    .register(fields, {
      description: 'The registered service providers.',
      form: 'elsewhere',
      tool: false,
      api: false,
      sandbox: true,
    }),
  unregistered: oneOf(['allow', 'refuse']).default('allow').register(fields, {
    description: 'Whether to accept messages of unregistered service providers.',
    fileOnly: true,
    sandbox: true,
  }),
  single_logout: flag(false).register(fields, {
    description: 'Enable Single Logout at /saml/slo. Needs `login.session: on`.',
    fileOnly: true,
    sandbox: true,
  }),
  idp_initiated: flag(false).register(fields, {
    description: 'Enable logins that start here, at /saml/idp-initiated, for registered service providers.',
    fileOnly: true,
    sandbox: true,
  }),
  encryption_key: flag(false).register(fields, {
    description: 'Create a key for service providers to encrypt identifiers with, and publish it in the metadata.',
    fileOnly: true,
    sandbox: true,
  }),
  metadata_valid_hours: wholeNumber(0, 8760).default(0).register(fields, {
    description: 'Hours until `validUntil` of the metadata. 0 omits it.',
    fileOnly: true,
    sandbox: true,
  }),
  metadata_cache_minutes: wholeNumber(0, 10_080).default(0).register(fields, {
    description: '`cacheDuration` of the metadata, in minutes. 0 omits it.',
    fileOnly: true,
    sandbox: true,
  }),
  metadata_next_key: flag(false).register(fields, {
    description: 'Also publish the certificates of the next signing key and of the previous keys in the metadata.',
    fileOnly: true,
    sandbox: true,
  }),
}).prefault({});
