// One entry of oauth.clients[]: every field with its type, bound and default. The loader, the REST body of a runtime
// client, the MCP argument schemas, the JSON Schema and the client form derive from this model (CFG-K63 to CFG-K73).
// Rules over several fields are in checkClientEntry, so that the model's fields can still be picked.

import * as z from 'zod';
import { isMapping, nulProblem } from '#shared/base/untrusted-values.ts';
import { assertionAlgorithms, signingAlgorithms } from '#shared/protocol/jose/signing-algorithms.ts';
import { problemOfRedirectUriPattern } from '#shared/protocol/oauth2/redirect-uri-pattern.ts';
import { forbiddenSchemeOf } from '#shared/protocol/oauth2/redirect-uri-schemes.ts';
import { problemOfKeySet } from '#shared/protocol/oidc/unusable-keys.ts';
import { clientClaimsModel } from './claims.ts';
import { entryAuthMethods, hasSecret, keyAuthMethod } from './client-authentication.ts';
import { clientLoginPage } from './client-login-page.ts';
import { clientTokens } from './client-tokens.ts';
import { type FieldNotes, fields } from './field.ts';
import { problemOfHttpsUrl, problemOfHttpUrl, problemOfLogoutUri } from './text-formats.ts';
import {
  checkedOrAbsent,
  filledText,
  flag,
  freeValue,
  mappingMessage,
  oneOf,
  section,
  text,
  textsOrText,
  wholeNumber,
} from './value-kinds.ts';

const list = (notes: FieldNotes) => textsOrText().default([]).register(fields, notes);

const patternsMax = 20;

const patternList = (notes: FieldNotes) =>
  textsOrText()
    .superRefine((patterns, context) => {
      if (patterns.length > patternsMax) {
        context.addIssue({ code: 'custom', message: `must have at most ${patternsMax} patterns` });
      }
      for (const [index, pattern] of patterns.entries()) {
        const message = problemOfRedirectUriPattern(pattern);
        if (message !== undefined) context.addIssue({ code: 'custom', message, path: [index] });
      }
    })
    .default([])
    .register(fields, notes);

/**
 * Whether each key is usable is checked where it is used: a set may also hold keys for other purposes (RFC 7517 §5).
 */
const keySet = z
  .record(z.string(), freeValue, mappingMessage)
  .refine((set) => Array.isArray(set.keys) && set.keys.every(isMapping), 'must have a list `keys` of mappings')
  .nullable()
  .transform((value) => value ?? undefined)
  .optional();

export const clientEntryModel = section({
  client_id: filledText().register(fields, {
    description: 'The client_id that the client sends.',
    label: 'Client ID',
    form: { section: 'identity', blank: '' },
  }),
  client_secret: text()
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
    .register(fields, {
      description: 'The secret of a confidential client. Required unless the method is `none` or `private_key_jwt`.',
      label: 'Client secret',
      secret: true,
      form: { section: 'identity', rank: 2, wide: true },
      tool: { description: 'The secret of a confidential client. Empty means none.' },
    }),
  token_endpoint_auth_method: oneOf(entryAuthMethods)
    .default('client_secret_basic')
    .register(fields, {
      description:
        'How the client authenticates. `none` makes it a public client, `client_secret_any` accepts the secret in the header or the body, `client_secret_optional` also its absence (only under `dev`), and `private_key_jwt` means a signed assertion.',
      label: 'Authentication method',
      form: {
        section: 'identity',
        rank: 1,
        wide: true,
        hint: '',
        blank: '',
        choices: {
          client_secret_basic: 'client_secret_basic: secret in the Authorization header',
          client_secret_post: 'client_secret_post: secret in the form body',
          none: 'none: a public client with PKCE, no secret',
          client_secret_any: 'client_secret_any: secret in the header or in the body',
          client_secret_optional:
            'client_secret_optional: secret in the header, in the body or left out (only under dev)',
          private_key_jwt: 'private_key_jwt: an assertion signed with the client’s key, no secret',
        },
      },
    }),
  description: text()
    .default('')
    .register(fields, {
      description: 'Shown to users. A registration stores client_name here.',
      label: 'Description',
      form: { section: 'identity', prose: true, hint: 'The login page can show it to users.' },
    }),
  redirect_uris: list({
    description: 'Allowed redirect URIs. Empty: any acceptable URI (not under `oauth21`).',
    label: 'Redirect URIs',
    example: '["http://localhost:3000/callback"]',
    form: {
      section: 'rights',
      wide: true,
      hint: 'One per line, matched exactly. Leave empty to accept any URI (not under oauth21).',
    },
  }),
  redirect_uri_patterns: patternList({
    description:
      'Patterns of further redirect URIs, only under `dev`. `*` stands for a part of one host label or path segment. Other providers compare exactly.',
    label: 'Redirect URI patterns',
    example: '["https://preview-*.example.org/callback"]',
    form: {
      section: 'rights',
      wide: true,
      hint: 'One per line, only under dev. * is a part of one host label or path segment.',
    },
  }),
  scope: text()
    .optional()
    .register(fields, {
      description: 'Allowed scopes, separated by spaces. Absent or empty: all.',
      label: 'Scope',
      form: { section: 'rights', wide: true },
      tool: { description: 'The same restriction as allowed_scopes, separated by spaces, such as `openid profile`.' },
    }),
  allowed_scopes: textsOrText()
    .optional()
    .register(fields, {
      description: 'The same restriction as `scope`, written as a list.',
      form: false,
      tool: { description: 'Allowed scopes, as a list. Empty allows all.' },
    }),
  allowed_resources: list({
    description: 'Resources (RFC 8707) that the client may request. Empty: any.',
    label: 'Resources',
    example: '["https://api.example.org"]',
    form: { section: 'rights', hint: 'One per line (RFC 8707). Leave empty to allow any.' },
  }),
  additional_audiences: list({
    description: 'Additional `aud` values of its ID tokens.',
    label: 'Additional audiences',
    example: '["my-api"]',
    form: { section: 'rights', hint: 'One per line. Added to aud of ID tokens.' },
  }),
  post_logout_redirect_uris: list({
    description: 'Allowed redirect URIs after a logout.',
    label: 'Post-logout redirect URIs',
    example: '["http://localhost:3000/"]',
    form: { section: 'rights', hint: 'One per line. Allowed redirect URIs after a logout.' },
  }),
  post_logout_redirect_uri_patterns: patternList({
    description: 'Patterns of further redirect URIs after a logout, like `redirect_uri_patterns`.',
    label: 'Post-logout redirect URI patterns',
    example: '["https://preview-*.example.org/"]',
    form: { section: 'rights', hint: 'One per line, only under dev. Like redirect URI patterns.' },
  }),
  backchannel_logout_uri: checkedOrAbsent(problemOfLogoutUri).register(fields, {
    description: 'Address that gets a logout token when a session of the client ends.',
    label: 'Back-channel logout URI',
    example: '"http://localhost:3000/backchannel-logout"',
    form: { section: 'logout', wide: true, hint: 'The server sends logout tokens to this address.' },
  }),
  backchannel_logout_session_required: flag(false).register(fields, {
    description: 'The client needs `sid` in logout tokens. They always have it.',
    label: 'Needs sid in logout tokens',
    api: false,
    form: { section: 'logout', hint: '' },
  }),
  frontchannel_logout_uri: checkedOrAbsent(problemOfLogoutUri).register(fields, {
    description: 'Address that the browser loads in a frame when a session of the client ends.',
    label: 'Front-channel logout URI',
    example: '"http://localhost:3000/frontchannel-logout"',
    form: { section: 'logout', wide: true, hint: 'The browser loads this address in a frame.' },
  }),
  frontchannel_logout_session_required: flag(false).register(fields, {
    description: 'The front-channel address gets the parameters `iss` and `sid`.',
    label: 'Needs iss and sid in this address',
    api: false,
    form: { section: 'logout', hint: '' },
  }),
  ...clientTokens,
  claims: clientClaimsModel.prefault({}).register(fields, {
    description: 'Claims in all tokens and UserInfo responses for the client. Claims of the user override them.',
    label: 'Claims',
    example: '{"https://example.com/tenant": "acme"}',
    form: { section: 'claims', json: true, hint: 'A JSON object, such as `{"https://example.com/tenant": "acme"}`.' },
    tool: { description: 'Claims of its tokens, such as `{"plan": "gold"}`. Replaces all existing ones.' },
    api: false,
  }),
  default_max_age: wholeNumber(0, 2_147_483_647)
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
    .register(fields, {
      description: 'Default `max_age` of its requests, in seconds (with `login.session: on`).',
      label: 'Default max_age, seconds',
      api: false,
      form: { section: 'rights', hint: 'Used by requests without max_age, while sessions are on.' },
    }),
  jwks: keySet.register(fields, {
    description: "The client's public keys (RFC 7517), for `private_key_jwt` and signed request objects.",
    label: 'Keys',
    example: '{"keys": []}',
    api: false,
    form: { section: 'keys', json: true, hint: 'A JSON object with a list `keys`. Use either this or an address.' },
    tool: { description: 'Its public keys for `private_key_jwt`, as a JSON Web Key Set.' },
  }),
  jwks_uri: checkedOrAbsent(problemOfHttpsUrl).register(fields, {
    description: "Address of the client's keys, on a host of `oauth.client_fetch`. Replaces `jwks`.",
    label: 'Address of the keys',
    example: '"https://app.example.org/jwks.json"',
    api: false,
    form: { section: 'keys', wide: true, hint: 'On a host of oauth.client_fetch. Use either this or the keys.' },
  }),
  request_uris: list({
    description:
      'Addresses of its request objects, on hosts of `oauth.client_fetch` (with `oauth.request_objects: on`).',
    label: 'Request object addresses',
    example: '["https://app.example.org/request.jwt"]',
    api: false,
    form: { section: 'keys', hint: 'One per line. Addresses of its request objects.' },
    tool: false,
  }),
  userinfo_signed_response_alg: oneOf(signingAlgorithms)
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
    .register(fields, {
      description: 'Return UserInfo as a JWT signed with this algorithm. Absent: as JSON.',
      label: 'Signed UserInfo',
      api: false,
      form: false,
      tool: false,
    }),
  dpop_bound_access_tokens: flag(false).register(fields, {
    description: 'Require a DPoP proof in its token requests (RFC 9449 §5.2, with `oauth.dpop`).',
    label: 'DPoP-bound access tokens',
    api: false,
    form: false,
    tool: false,
  }),
  require_pushed_authorization_requests: flag(false).register(fields, {
    description: 'Require pushed authorization requests (RFC 9126 §6, with `oauth.pushed_authorization_requests`).',
    label: 'Only pushed authorization requests',
    api: false,
    form: false,
    tool: false,
  }),
  initiate_login_uri: checkedOrAbsent(problemOfHttpUrl).register(fields, {
    description: 'Address at which a third party can start a login at the client.',
    label: 'Initiate login URI',
    example: '"https://app.example.org/login"',
    api: false,
    form: { section: 'rights', wide: true },
    tool: false,
  }),
  ...clientLoginPage,
});

export type ClientEntry = Readonly<z.output<typeof clientEntryModel>>;

/**
 * A client in the form that all flows use, for every origin. `scopes` is the union of `scope` and `allowed_scopes`. In
 * `default_scopes` each item is one scope.
 */
export interface Client extends ClientEntry {
  /** The client's own restriction, in order, without duplicates. Empty means the whole vocabulary (D8). */
  readonly scopes: readonly string[];
}

/** The rules over several fields. Returns the first violated one as field and sentence (CFG-40, CFG-42). */
export function checkClientEntry(entry: ClientEntry): { readonly field: string; readonly message: string } | undefined {
  if (entry.client_id.includes('\0')) return { field: 'client_id', message: nulProblem };
  if (hasSecret(entry) && (entry.client_secret ?? '') === '') {
    return {
      field: 'client_secret',
      message: 'is missing. Write it, or set token_endpoint_auth_method: none for a public client',
    };
  }
  for (const field of ['redirect_uris', 'post_logout_redirect_uris'] as const) {
    const forbidden = entry[field].map(forbiddenSchemeOf).find((scheme) => scheme !== undefined);
    if (forbidden !== undefined) return { field, message: `must not have an address with the scheme ${forbidden}` };
  }
  if (entry.jwks !== undefined && entry.jwks_uri !== undefined) {
    return { field: 'jwks', message: 'and jwks_uri exclude each other. Remove one of them' };
  }
  if (holdsSecretKey(entry.jwks)) {
    return {
      field: 'jwks',
      message: 'must contain only public keys. One of them has a private or symmetric part (d or k)',
    };
  }
  if (entry.token_endpoint_auth_method === keyAuthMethod && (entry.jwks ?? entry.jwks_uri) === undefined) {
    return { field: 'jwks', message: 'or jwks_uri is required with token_endpoint_auth_method: private_key_jwt' };
  }
  if (entry.scope !== undefined && entry.allowed_scopes !== undefined) {
    const written = new Set(words(entry.scope));
    const listed = new Set(entry.allowed_scopes);
    if (written.size !== listed.size || [...written].some((scope) => !listed.has(scope))) {
      return { field: 'allowed_scopes', message: 'differs from scope. Write only one of them' };
    }
  }
  return undefined;
}

/**
 * Why a client that must authenticate with a key of its entry never can. undefined: it can. In a file this is only a
 * warning, since the client's other flows work.
 */
export function problemOfClientKeys({ token_endpoint_auth_method, jwks }: ClientEntry): string | undefined {
  return token_endpoint_auth_method === keyAuthMethod ? problemOfKeySet(jwks, assertionAlgorithms) : undefined;
}

/** Such a key verifies nothing, and a client that exposed it must replace it (OIDC Registration §2). */
function holdsSecretKey(set: ClientEntry['jwks']): boolean {
  const keys: unknown = set?.keys;
  return Array.isArray(keys) && keys.some((key) => isMapping(key) && ('d' in key || 'k' in key));
}

/** The client as the flows see it. `scope` and `allowed_scopes` are two spellings of one restriction (D8). */
export function clientFromEntry(entry: ClientEntry): Client {
  const scopes = [...words(entry.scope ?? ''), ...(entry.allowed_scopes ?? [])];
  const defaultScopes = entry.default_scopes.flatMap(words);
  return { ...entry, scopes: [...new Set(scopes)], default_scopes: [...new Set(defaultScopes)] };
}

function words(value: string): string[] {
  return value.split(/\s+/).filter((word) => word !== '');
}
