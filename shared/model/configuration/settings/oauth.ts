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
  problemOfIssuer,
  problemOfPublishedBase,
  withoutTrailingSlash,
} from '../text-formats.ts';
import { filledText, flag, judged, oneOf, optionalText, section, texts, wholeNumber } from '../value-kinds.ts';
import { tokenLifetimes } from './token-lifetimes.ts';

/** How DPoP proofs are handled. `off`: they are ignored. */
const dpopModes = ['off', 'on', 'nonce'] as const;

/** Whether authorization requests may or must be pushed first. `off`: /par does not exist. */
const pushedRequestModes = ['off', 'on', 'required'] as const;

/** How a request that names a scope outside `scopes_supported` is handled (UNK-01 to UNK-03). */
const unknownScopeModes = ['reject', 'ignore', 'grant'] as const;

const defaultScopes = ['openid', 'profile', 'email', 'offline_access'];

const allowedHost = () => judged(problemOfAllowedHost).transform((host) => host.toLowerCase());

export const oauthSettings = section({
  issuer: judged(problemOfIssuer)
    .prefault('http://127.0.0.1:8000')
    .register(fields, {
      description:
        'The issuer: `iss` of tokens and base of all addresses. A trailing slash stays. Everything is also served below its path.',
      pattern: '^https?://[^?#]+$',
      label: 'Issuer',
      form: { section: 'issuer' },
      tool: {
        unjudged: true,
        description: 'The issuer, such as `http://127.0.0.1:8000`: `iss` of tokens and base of all addresses.',
      },
    }),
  issuer_from_request: flag(false).register(fields, {
    description: 'Use the scheme and host of each request as the issuer instead.',
    label: 'Issuer from the request',
    form: { section: 'issuer' },
  }),
  issuer_from_proxy_headers: flag(false).register(fields, {
    description: 'Trust the X-Forwarded-* headers of exactly one proxy.',
    restart: true,
    label: 'Trust proxy headers',
    form: { section: 'issuer' },
    tool: { description: 'Trust the X-Forwarded-* headers of exactly one proxy. Needs a restart.' },
  }),
  issuer_allowlist: z
    .array(judged(problemOfAllowlistedOrigin), 'must be a list of origins')
    .nullable()
    .transform((value) => value ?? [])
    .prefault([])
    .register(fields, {
      description: 'Origins that may become the issuer of a request. Other requests use `issuer`. Empty: any.',
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
      description: 'Base of the addresses shown in the device flow. Only with `issuer_from_request`.',
      label: 'Base address of the device page',
      form: { section: 'issuer' },
      tool: {
        description: 'Base of the addresses shown in the device flow. Only with issuer_from_request. Empty clears it.',
      },
    }),
  backchannel_base_url: z
    .union([z.literal(''), judged(problemOfBaseUrl)])
    .nullable()
    .transform((value) => (value === null || value === '' ? undefined : withoutTrailingSlash(value)))
    .optional()
    .register(fields, {
      description:
        'Base of the addresses that applications call directly (token, keys, registration and others), if they reach this server by another name than the browser.',
      label: 'Base address for applications',
      form: { section: 'issuer' },
      tool: {
        description:
          'Base of the addresses in discovery that applications call directly, such as `http://test-idp:8000`. Empty clears it.',
      },
      sandbox: true,
      api: false,
    }),
  base_url: z
    .union([z.literal(''), judged(problemOfPublishedBase)])
    .nullable()
    .transform((value) => (value === null || value === '' ? undefined : withoutTrailingSlash(value)))
    .optional()
    .register(fields, {
      description:
        'Base of the published addresses in place of the issuer, which stays. `request`: scheme and host of each request.',
      pattern: '^(?:|request|https?://[^?#]+)$',
      label: 'Base address',
      form: { section: 'issuer' },
      tool: {
        description:
          'Base of the published addresses in place of the issuer, such as `http://test-idp:8000`, or `request`: scheme and host of each request. Empty clears it.',
      },
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
  ...tokenLifetimes,
  refresh_token_rotation: flag(false).register(fields, {
    description: 'Make refresh tokens single-use (always for public clients and under `oauth21`).',
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
      description: 'How /authorize returns its response: `query` (always), `form_post`, `fragment`.',
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
      description: 'What /authorize can return: `code` (always), `id_token`, `id_token token` (not under `oauth21`).',
      example: '["code", "id_token", "id_token token"]',
      fileOnly: true,
    }),
  authorize_by_post: flag(false).register(fields, {
    description: 'Also accept authorization requests as posted forms.',
    label: 'Authorization requests by POST',
    form: { section: 'tokens' },
    sandbox: true,
    api: false,
    yaml: 'unless-default',
  }),
  request_objects: oneOf(['off', 'on']).default('off').register(fields, {
    description: 'Whether to read `request` and `request_uri` of authorization requests (OIDC Core §6).',
    fileOnly: true,
  }),
  client_fetch: section({
    allowed_hosts: z.array(allowedHost(), 'must be a list of hosts').default([]).register(fields, {
      description:
        'Allowed hosts of `jwks_uri` and `request_uris`, as `host` or `host:port` (default 443). Empty: none.',
      fileOnly: true,
    }),
    allow_loopback: flag(false).register(fields, {
      description: 'For development: allow loopback addresses while the server itself is bound to loopback.',
      fileOnly: true,
    }),
    verify_tls: flag(true).register(fields, {
      description: 'Fetch only from servers with a trusted certificate.',
      fileOnly: true,
    }),
  }).prefault({}),
  audience_parameter: flag(false).register(fields, {
    description:
      'Treat `audience` at /authorize, /token and /device_authorization as another `resource`, in any format.',
    label: 'Parameter audience',
    form: { section: 'tokens' },
    sandbox: true,
    api: false,
    yaml: 'unless-default',
  }),
  dpop: oneOf(dpopModes).default('off').register(fields, {
    description:
      "`on` binds tokens to the key of the request's DPoP proof (RFC 9449). `nonce` also requires a server nonce in the proof.",
    fileOnly: true,
    sandbox: true,
  }),
  pushed_authorization_requests: oneOf(pushedRequestModes).default('off').register(fields, {
    description:
      '`on` lets clients push authorization requests to /par (RFC 9126). With `required`, /authorize accepts no others.',
    fileOnly: true,
    sandbox: true,
  }),
  access_token_typ: oneOf(['JWT', 'at+jwt'])
    .default('JWT')
    .register(fields, {
      description:
        '`typ` in the header of access tokens. `at+jwt` makes them RFC 9068 tokens. They name a client, so set `client_id` when you create a token without a login.',
      tool: { description: '`typ` in the header of access tokens. `at+jwt` makes them RFC 9068 tokens.' },
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
        'User claims in ID tokens: those that the parameter `claims` requests, or with `scope` also those of the granted scopes.',
      label: 'Claims in ID tokens',
      form: {
        section: 'claims',
        choices: {
          requested: 'requested: those in the parameter claims',
          scope: 'scope: also those of the granted scopes',
        },
      },
      sandbox: true,
      api: false,
      yaml: 'unless-default',
    }),
  id_token_token_use: flag(true).register(fields, {
    description: 'Add `token_use` to ID tokens.',
    label: 'ID tokens with token_use',
    form: { section: 'claims' },
    sandbox: true,
    api: false,
    yaml: 'unless-default',
  }),
  require_pkce: flag(false).register(fields, {
    description: 'Require PKCE for confidential clients too (always outside `dev`).',
    label: 'Require PKCE of every client',
    form: { section: 'tokens' },
    sandbox: true,
    api: false,
  }),
  scopes_supported: texts()
    .nullable()
    .transform((value) => value ?? [...defaultScopes])
    .prefault([...defaultScopes])
    .register(fields, { description: 'The supported scopes.', fileOnly: true, api: true, sandbox: true }),
  unknown_scopes: oneOf(unknownScopeModes).default('reject').register(fields, {
    description:
      'Requested scopes outside `scopes_supported`: `reject` them with `invalid_scope`, `ignore` them, or `grant` them. Counts in every profile, and for registrations.',
    fileOnly: true,
    api: true,
    sandbox: true,
  }),
  scope_enforcement: flag(true).register(fields, {
    description:
      'Reject scopes that are unsupported or not allowed for the client. `false` grants any scope (only under `dev`).',
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
    enabled: flag(false).register(fields, {
      description: 'Enable /register (RFC 7591).',
      fileOnly: true,
      sandbox: true,
    }),
    max_clients: wholeNumber(1, 10_000).default(100).register(fields, {
      description: 'Maximum number of registrations at a time. Pages of other origins get at most half of them.',
      fileOnly: true,
      sandbox: true,
    }),
    metadata: oneOf(['minimal', 'full']).default('minimal').register(fields, {
      description: '`full` accepts all metadata of OpenID Connect Registration that this server supports.',
      fileOnly: true,
    }),
  }).prefault({}),
  client_id_metadata_documents: section({
    enabled: flag(false).register(fields, {
      description: 'Accept clients whose client_id is the https address of their metadata document.',
      fileOnly: true,
      sandbox: true,
    }),
    allowed_hosts: z.array(allowedHost(), 'must be a list of hosts').default([]).register(fields, {
      description: 'Allowed hosts of these documents, as `host` or `host:port` (default 443). Empty: none.',
      fileOnly: true,
    }),
    allow_loopback: flag(false).register(fields, {
      description:
        'For development: allow loopback addresses while the server itself is bound to loopback. `localhost`, `127.0.0.1` and `[::1]` then need no entry in `allowed_hosts`.',
      fileOnly: true,
    }),
    show_reasons: flag(false).register(fields, {
      description:
        'Show in the audit, in flows and on the page why a document was rejected. Without it only the log has the reason. JSON responses never have it.',
      fileOnly: true,
    }),
  }).prefault({}),
}).prefault({});
