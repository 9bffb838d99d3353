// /api/service-providers: the registered service providers, and checking metadata before it is registered (SPM-24 to
// SPM-26).
import { X509Certificate } from 'node:crypto';
import * as z from 'zod';
import { parseJsonBody } from '#shared/engine/exchange/json-body.ts';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { apiError, type Route } from '#shared/engine/exchange/route.ts';
import {
  type EffectiveServiceProvider,
  effectiveServiceProviders,
} from '#shared/engine/identities/effective-identities.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { sessionEndOf, signedPartOf, signingAlgorithms, validityOf } from '#shared/model/saml-rules/response-form.ts';
import { digestAlgorithms, signatureAlgorithms } from '#shared/protocol/saml/signature-algorithms.ts';
import { checkMetadata } from '#shared/state/configuration/service-providers/check-metadata.ts';
import { fetchMetadata } from '../service-providers/fetch-metadata.ts';

const certificateModel = z.strictObject({
  subject: z.string(),
  fingerprint: z.string().describe('SHA-256 of the certificate, in hexadecimal pairs.'),
  valid_to: z.iso.datetime(),
});

const listed = z.array(z.record(z.string(), z.unknown()));

export const serviceProviderModel = z
  .strictObject({
    entity_id: z.string(),
    title: z.string().nullable(),
    origin: z.enum(['declared', 'runtime']),
    acs: listed,
    certificates: z.array(certificateModel),
    want_signed_requests: z.boolean(),
    sign: z.string(),
    signature_algorithm: z.enum(signatureAlgorithms),
    digest_algorithm: z.enum(digestAlgorithms),
    assertion_lifetime_seconds: z.int(),
    not_before_seconds: z.int(),
    session_not_on_or_after: z.union([z.enum(['session', 'never']), z.int()]),
    audiences: z.array(z.string()).describe('Empty: the entity ID.'),
    name_id_format: z.string().nullable(),
    name_id_from: z.string().nullable(),
    attributes: listed.nullable().describe('null: the default attributes.'),
    attribute_services: listed,
    slo: listed,
    encrypt: z.array(z.string()),
    encryption: z.record(z.string(), z.string()),
    encryption_certificate: certificateModel.nullable(),
    idp_initiated: z.boolean(),
    relay_state: z.string(),
  })
  .meta({ id: 'ServiceProvider' });

const checkModel = z.union([
  z.strictObject({ metadata: z.string().describe('The XML text.') }),
  z.strictObject({
    url: z
      .string()
      .describe(
        'Address to fetch it from, once. It must be http or https on a host of `oauth.client_fetch`, or on loopback while the server is bound to loopback.',
      ),
  }),
]);

const findingModel = z.strictObject({
  level: z.enum(['error', 'warning']),
  line: z.int().min(1),
  column: z.int().min(1),
  message: z.string(),
});

const { service_provider_check_invalid, metadata_not_fetched, body_not_json } = managementRefusals;

export const serviceProvidersApiRoutes: readonly Route[] = [
  {
    path: '/api/service-providers',
    audience: 'api',
    largeRead: 'whole',
    methods: { GET: listServiceProviders },
    operations: {
      GET: {
        id: 'listServiceProviders',
        summary: 'Lists the registered SAML service providers with their effective values.',
        answers: { 200: z.strictObject({ service_providers: z.array(serviceProviderModel), count: z.int().min(0) }) },
      },
    },
  },
  {
    path: '/api/service-providers/check',
    audience: 'api',
    methods: { POST: check },
    operations: {
      POST: {
        id: 'checkServiceProviderMetadata',
        summary: 'Checks metadata and returns its problems and the resulting entry. Changes nothing.',
        body: checkModel,
        answers: {
          200: z.strictObject({
            valid: z.boolean(),
            findings: z.array(findingModel),
            entry: z.record(z.string(), z.unknown()).nullable(),
          }),
        },
        refusals: [body_not_json, service_provider_check_invalid, metadata_not_fetched],
      },
    },
  },
];

async function listServiceProviders(_request: ParsedRequest, { snapshot, store }: ProtocolContext): Promise<Reply> {
  const all = await effectiveServiceProviders(snapshot, store);
  return json(200, { service_providers: all.map((each) => shownServiceProvider(each, snapshot)), count: all.length });
}

export function shownServiceProvider(
  { serviceProvider, origin }: EffectiveServiceProvider,
  { settings: { saml } }: Pick<ConfigurationSnapshot, 'settings'>,
) {
  const { signature, digest } = signingAlgorithms(saml, serviceProvider);
  const { lifetimeSeconds, notBeforeSeconds } = validityOf(saml, serviceProvider);
  const {
    certificates,
    encryption_certificate,
    title,
    name_id_format,
    name_id_from,
    attributes,
    relay_state = '',
    ...members
  } = serviceProvider;
  return {
    ...members,
    sign: signedPartOf(saml, serviceProvider),
    signature_algorithm: signature,
    digest_algorithm: digest,
    assertion_lifetime_seconds: lifetimeSeconds,
    not_before_seconds: notBeforeSeconds,
    session_not_on_or_after: sessionEndOf(saml, serviceProvider),
    title: title ?? null,
    relay_state,
    name_id_format: name_id_format ?? null,
    name_id_from: name_id_from ?? null,
    attributes: attributes ?? null,
    origin,
    certificates: certificates.map(shownCertificate),
    encryption_certificate: encryption_certificate === undefined ? null : shownCertificate(encryption_certificate),
  };
}

export function shownCertificate(pem: string) {
  const { subject, fingerprint256, validTo } = new X509Certificate(pem);
  return { subject, fingerprint: fingerprint256, valid_to: new Date(validTo).toISOString() };
}

async function check(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const read = checkModel.safeParse(parseJsonBody(request));
  if (!read.success) throw apiError(service_provider_check_invalid);
  const text = 'metadata' in read.data ? read.data.metadata : await fetched(read.data.url, context);
  return json(200, checkMetadata(text, context.clock.now()));
}

/** @throws ApiError */
async function fetched(address: string, context: ProtocolContext): Promise<string> {
  const found = await fetchMetadata(address, context);
  if ('reason' in found) throw apiError(metadata_not_fetched, { reason: found.reason });
  return found.text;
}
