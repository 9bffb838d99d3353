// The section `oauth` of settings.yaml: issuer, lifetimes, scopes, clients and client registration (CFG-K09 to
// CFG-K27).
import * as z from 'zod';
import { responseModes, responseTypes } from '#shared/model/domain/authorization-request.ts';
import { clientEntryModel } from '../client-entry.ts';
import { fields } from '../field.ts';
import {
  problemOfAllowedHost,
  problemOfAllowlistedOrigin,
  problemOfBaseUrl,
  withoutTrailingSlash,
} from '../text-formats.ts';
import { filledText, flag, judged, oneOf, optionalText, section, texts, wholeNumber } from '../value-kinds.ts';

/** The bounds, in minutes, of every token lifetime that can be chosen. */
export const tokenLifetimeMinutes = { least: 1, most: 1440 } as const;

/** Test tokens may also have a negative lifetime, which means expired that many minutes ago (D46). */
export function isTestTokenLifetime(minutes: number): boolean {
  return minutes !== 0 && Math.abs(minutes) <= tokenLifetimeMinutes.most;
}

/** How DPoP proofs are handled. `off`: they are ignored. */
const dpopModes = ['off', 'on', 'nonce'] as const;

/** Whether authorization requests may or must be pushed first. `off`: /par does not exist. */
const pushedRequestModes = ['off', 'on', 'required'] as const;

const defaultScopes = ['openid', 'profile', 'email', 'offline_access'];

const allowedHost = () => judged(problemOfAllowedHost).transform((host) => host.toLowerCase());

export const oauthSettings = section({
  issuer: judged(problemOfBaseUrl)
    .transform(withoutTrailingSlash)
    .prefault('http://127.0.0.1:8000')
    .register(fields, {
      description: 'The issuer: `iss` of tokens and base of every address.',
      pattern: '^https?://[^?#]+$',
      label: 'Issuer',
      form: { section: 'issuer' },
      tool: {
        unjudged: true,
        description: 'The issuer, such as `http://127.0.0.1:8000`: `iss` of tokens and base of every address.',
      },
    }),
  issuer_from_request: flag(false).register(fields, {
    description: 'Take scheme and host of each request as the issuer instead.',
    label: 'Issuer from the request',
    form: { section: 'issuer' },
  }),
  issuer_from_proxy_headers: flag(false).register(fields, {
    description: 'Trust the X-Forwarded-* headers of exactly one proxy.',
    restart: true,
    label: 'Believe the proxy’s headers',
    form: { section: 'issuer' },
    tool: { description: 'Trust the X-Forwarded-* headers of exactly one proxy; needs a restart of the server.' },
  }),
  issuer_allowlist: z
    .array(judged(problemOfAllowlistedOrigin), 'must be a list of origins')
    .nullable()
    .transform((value) => value ?? [])
    .prefault([])
    .register(fields, {
      description: 'Origins that a request may make the issuer; others fall back to `issuer`. Empty: any.',
      label: 'Allowed origins of requests',
      form: { section: 'issuer' },
      example: '["https://idp.example.org"]',
    }),
  device_verification_base_url: z
    .union([z.literal(''), judged(problemOfBaseUrl)])
    .nullable()
    .transform((value) => (value === null || value === '' ? undefined : withoutTrailingSlash(value)))
    .optional()
    .register(fields, {
      description: 'Base of the addresses shown in the device flow; with `issuer_from_request` only.',
      label: 'Base address of the device page',
      form: { section: 'issuer' },
      tool: {
        description: 'Base of the addresses shown in the device flow; with issuer_from_request only. Empty clears it.',
      },
    }),
  backchannel_base_url: z
    .union([z.literal(''), judged(problemOfBaseUrl)])
    .nullable()
    .transform((value) => (value === null || value === '' ? undefined : withoutTrailingSlash(value)))
    .optional()
    .register(fields, {
      description:
        'Base of the addresses that applications ask themselves (token, keys, registration and so on), where they reach this server by another name than the browser does.',
      label: 'Base address for applications',
      form: { section: 'issuer' },
      tool: {
        description:
          'Base of those addresses in discovery that applications ask themselves, such as `http://test-idp:8000`. Empty clears it.',
      },
      sandbox: true,
      api: false,
    }),
  audience: filledText()
    .default('default')
    .register(fields, {
      description: '`aud` of access tokens.',
      label: 'Audience',
      form: { section: 'tokens' },
      sandbox: true,
      example: 'my-api',
    }),
  token_expiry_minutes: wholeNumber(tokenLifetimeMinutes.least, tokenLifetimeMinutes.most)
    .default(60)
    .register(fields, {
      description: 'Lifetime of access and ID tokens, in minutes.',
      label: 'Access token, minutes',
      form: { section: 'tokens' },
      sandbox: true,
    }),
  refresh_token_expiry_minutes: wholeNumber(1, 43_200)
    .default(10_080)
    .register(fields, {
      description: 'Lifetime of refresh tokens, in minutes.',
      label: 'Refresh token, minutes',
      form: { section: 'tokens' },
      sandbox: true,
      yaml: 'unless-default',
    }),
  refresh_token_rotation: flag(false).register(fields, {
    description: 'A refresh token is used once (always for public clients and under `oauth21`).',
    label: 'Rotate refresh tokens',
    form: { section: 'tokens' },
    sandbox: true,
    api: false,
  }),
  response_modes: z
    .array(oneOf(responseModes), 'must be a list of response modes')
    .superRefine((modes, context) => {
      if (!modes.includes('query')) context.addIssue({ code: 'custom', message: 'must contain query' });
    })
    .default(['query', 'form_post'])
    .register(fields, {
      description: 'How answers of /authorize may travel: `query` (always), `form_post`, `fragment`.',
      label: 'Response modes',
      form: { section: 'tokens', commas: true },
      example: '["query", "form_post", "fragment"]',
      sandbox: true,
      api: false,
      yaml: 'unless-default',
    }),
  response_types: z
    .array(oneOf(responseTypes), 'must be a list of response types')
    .superRefine((types, context) => {
      if (!types.includes('code')) context.addIssue({ code: 'custom', message: 'must contain code' });
    })
    .default(['code'])
    .register(fields, {
      description: 'What /authorize answers: `code` (always), `id_token`, `id_token token` (not under `oauth21`).',
      example: '["code", "id_token", "id_token token"]',
      fileOnly: true,
    }),
  authorize_by_post: flag(false).register(fields, {
    description: 'Take an authorization request as a posted form, too.',
    label: 'Authorization requests by POST',
    form: { section: 'tokens' },
    sandbox: true,
    api: false,
    yaml: 'unless-default',
  }),
  request_objects: oneOf(['off', 'on']).default('off').register(fields, {
    description: '`on`: read `request` and `request_uri` of authorization requests (OIDC Core §6).',
    fileOnly: true,
  }),
  client_fetch: section({
    allowed_hosts: z.array(allowedHost(), 'must be a list of hosts').default([]).register(fields, {
      description:
        'Hosts that clients keep keys and request objects at (`jwks_uri`, `request_uris`), `host` or `host:port` (443 when none). Empty: none.',
      fileOnly: true,
    }),
    allow_loopback: flag(false).register(fields, {
      description: 'For development: fetch from loopback, only while the server itself is on loopback.',
      fileOnly: true,
    }),
    verify_tls: flag(true).register(fields, {
      description: 'Fetch only from servers whose certificate is trusted.',
      fileOnly: true,
    }),
  }).prefault({}),
  audience_parameter: flag(false).register(fields, {
    description: 'Read `audience` at /authorize, /token and /device_authorization as one more `resource`, of any form.',
    label: 'Parameter audience',
    form: { section: 'tokens' },
    sandbox: true,
    api: false,
    yaml: 'unless-default',
  }),
  dpop: oneOf(dpopModes).default('off').register(fields, {
    description:
      '`on`: tokens are bound to the key of a DPoP proof that comes with the request (RFC 9449); `nonce`: proofs need a nonce of this server, too.',
    fileOnly: true,
    sandbox: true,
  }),
  pushed_authorization_requests: oneOf(pushedRequestModes).default('off').register(fields, {
    description:
      '`on`: clients may push authorization requests to /par (RFC 9126); `required`: /authorize takes no others.',
    fileOnly: true,
    sandbox: true,
  }),
  access_token_typ: oneOf(['JWT', 'at+jwt'])
    .default('JWT')
    .register(fields, {
      description:
        '`typ` in the header of access tokens; `at+jwt` makes those of RFC 9068. These name a client: give one (`client_id`) where you make a token for a user without a login.',
      tool: { description: '`typ` in the header of access tokens; `at+jwt` makes those of RFC 9068.' },
      label: 'Access tokens, typ',
      form: { section: 'tokens' },
      sandbox: true,
      api: false,
      yaml: 'unless-default',
    }),
  userinfo_by_scope: flag(false).register(fields, {
    description: 'Standard claims at /userinfo need their scope (always outside `dev`).',
    label: 'Claims at /userinfo by scope',
    form: { section: 'claims' },
    sandbox: true,
    api: false,
    yaml: 'unless-default',
  }),
  id_token_claims: oneOf(['requested', 'scope'])
    .default('requested')
    .register(fields, {
      description:
        'What an ID token says of its user: what the parameter `claims` asks for, or with `scope` also what the granted scopes stand for.',
      label: 'Claims in ID tokens',
      form: {
        section: 'claims',
        choices: {
          requested: 'requested: what the parameter claims asks for',
          scope: 'scope: what the granted scopes stand for, too',
        },
      },
      sandbox: true,
      api: false,
      yaml: 'unless-default',
    }),
  id_token_token_use: flag(true).register(fields, {
    description: 'ID tokens carry `token_use`.',
    label: 'ID tokens with token_use',
    form: { section: 'claims' },
    sandbox: true,
    api: false,
    yaml: 'unless-default',
  }),
  require_pkce: flag(false).register(fields, {
    description: 'Confidential clients need PKCE too (always outside `dev`).',
    label: 'Require PKCE of every client',
    form: { section: 'tokens' },
    sandbox: true,
    api: false,
  }),
  scopes_supported: texts()
    .nullable()
    .transform((value) => value ?? [...defaultScopes])
    .prefault([...defaultScopes])
    .register(fields, { description: 'The scopes there are.', fileOnly: true, api: true, sandbox: true }),
  scope_enforcement: flag(true).register(fields, {
    description:
      'Refuse scopes that are not supported or not allowed for the client; `false` grants any, under `dev` only.',
    fileOnly: true,
    api: true,
    sandbox: true,
  }),
  logos_dir: optionalText().register(fields, {
    description: 'Directory of client logos, served at /client-logos/<client_id>.',
    fileOnly: true,
  }),
  clients: z
    .array(clientEntryModel, 'must be a list of clients. Write [] for none')
    .default([])
    .register(fields, { description: 'The declared clients.', form: 'elsewhere', tool: false, api: false }),
  dynamic_registration: section({
    enabled: flag(false).register(fields, { description: 'Open /register (RFC 7591).', fileOnly: true, sandbox: true }),
    max_clients: wholeNumber(1, 10_000).default(100).register(fields, {
      description: 'Live registrations at once. Pages of other origins hold half of them at most.',
      fileOnly: true,
      sandbox: true,
    }),
    metadata: oneOf(['minimal', 'full']).default('minimal').register(fields, {
      description: '`full`: registrations may have all of OpenID Connect Registration that this server honours.',
      fileOnly: true,
    }),
  }).prefault({}),
  client_id_metadata_documents: section({
    enabled: flag(false).register(fields, {
      description: 'Accept clients whose client_id is the https address of their document.',
      fileOnly: true,
      sandbox: true,
    }),
    allowed_hosts: z.array(allowedHost(), 'must be a list of hosts').default([]).register(fields, {
      description: 'Hosts to fetch documents from, `host` or `host:port` (443 when none). Empty: none.',
      fileOnly: true,
    }),
    allow_loopback: flag(false).register(fields, {
      description: 'For development: fetch from loopback, only while the server itself is on loopback.',
      fileOnly: true,
    }),
  }).prefault({}),
}).prefault({});
