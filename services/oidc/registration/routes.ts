// The paths of dynamic registration, which exist only while the feature is on (DCR-01, DCR-28).

import * as z from 'zod';
import { readsNoCookie } from '#shared/engine/exchange/audience.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { keyAuthMethod, tokenEndpointAuthMethods } from '#shared/model/configuration/client-authentication.ts';
import { registrationRefusals } from '#shared/model/refusals/families/registration.ts';
import { signingAlgorithms } from '#shared/protocol/jose/signing-algorithms.ts';
import { deleteRegistration, readRegistration } from './manage.ts';
import { register } from './register.ts';

const existsWhile: Route['existsWhile'] = ({ settings }) => settings.oauth.dynamic_registration.enabled;

const texts = z.array(z.string());

const registeredMethods = [...tokenEndpointAuthMethods, keyAuthMethod] as const;

/** The members that are returned only with `metadata: full` (SSO-49). */
const fullModel = z.object({
  application_type: z.enum(['web', 'native']),
  contacts: texts,
  client_uri: z.string(),
  id_token_signed_response_alg: z.literal(signingAlgorithms),
  subject_type: z.literal('public'),
  default_max_age: z.int(),
  jwks: z.looseObject({ keys: z.array(z.looseObject({})) }),
  jwks_uri: z.string(),
  request_uris: texts,
  userinfo_signed_response_alg: z.literal(signingAlgorithms),
  dpop_bound_access_tokens: z.boolean(),
  require_pushed_authorization_requests: z.boolean(),
  initiate_login_uri: z.string(),
  logo_uri: z.string(),
  policy_uri: z.string(),
  tos_uri: z.string(),
  backchannel_logout_uri: z.string(),
  backchannel_logout_session_required: z.boolean(),
  frontchannel_logout_uri: z.string(),
  frontchannel_logout_session_required: z.boolean(),
});

/** A null member counts as not sent (DCR-04). Members that only `metadata: full` reads may otherwise have any form. */
const metadataModel = z
  .looseObject({
    redirect_uris: texts.min(1),
    token_endpoint_auth_method: z.enum(registeredMethods).nullish(),
    grant_types: texts.nullish(),
    response_types: texts.nullish(),
    post_logout_redirect_uris: texts.nullish(),
    scope: z.string().nullish(),
    client_name: z.string().nullish(),
    ...Object.fromEntries(Object.keys(fullModel.shape).map((name) => [name, z.unknown().optional()])),
  })
  .meta({ id: 'ClientMetadata' });

const registrationModel = z
  .strictObject({
    client_id: z.string(),
    client_id_issued_at: z.int(),
    client_secret: z.string().optional(),
    client_secret_expires_at: z.literal(0).optional(),
    redirect_uris: texts,
    post_logout_redirect_uris: texts.optional(),
    token_endpoint_auth_method: z.enum(registeredMethods),
    grant_types: texts,
    scope: z.string(),
    dropped_scope: z
      .string()
      .optional()
      .describe('Scopes that were sent and not stored. Only in the response to the registration.'),
    client_name: z.string().optional(),
    response_types: texts.optional(),
    ...fullModel.partial().shape,
    registration_access_token: z.string(),
    registration_client_uri: z.string(),
  })
  .meta({ id: 'Registration' });

const { registration_access_token_wrong, registration_being_promoted, ...metadataRefusalRows } = registrationRefusals;
const metadataRefusals = Object.values(metadataRefusalRows);

export const registrationRoutes: readonly Route[] = [
  {
    path: '/register',
    faultyAs: 'register',
    audience: 'protocol',
    overrides: readsNoCookie,
    existsWhile,
    methods: { POST: register },
    operations: {
      POST: {
        id: 'registerClient',
        summary: 'Registers a client (RFC 7591).',
        body: metadataModel,
        answers: { 201: registrationModel },
        refusals: metadataRefusals,
      },
    },
    noStore: ['POST'],
    rateBucket: 'register',
  },
  {
    path: '/register/:client_id',
    faultyAs: 'register',
    audience: 'protocol',
    overrides: readsNoCookie,
    existsWhile,
    methods: { GET: readRegistration, DELETE: deleteRegistration },
    operations: {
      GET: {
        id: 'readRegistration',
        summary: 'Returns a registration to its owner (RFC 7592).',
        answers: { 200: registrationModel },
        refusals: [registration_access_token_wrong],
        credential: 'registration_access_token',
      },
      DELETE: {
        id: 'deleteRegistration',
        summary: 'Deletes a registration, its client and the client’s tokens (RFC 7592).',
        answers: { 204: 'empty' },
        refusals: [registration_access_token_wrong, registration_being_promoted],
        credential: 'registration_access_token',
      },
    },
    noStore: ['GET'],
  },
];
