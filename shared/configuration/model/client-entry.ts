// One entry of oauth.clients[]: every field with its type, bound and default. The loader, the REST body of a runtime
// client, the MCP argument schemas, the JSON Schema and the client form follow from this model (CFG-K63 to CFG-K73).
// The rules over several fields are in checkClientEntry, so that the model's fields stay free to be picked.
import type { z } from 'zod';
import { claimsModel } from './claims.ts';
import { type FieldNotes, fields } from './field.ts';
import { problemOfColour, problemOfLogoutUri } from './formats.ts';
import { filledText, flag, judged, oneOf, section, text, textsOrText, wholeNumber } from './kinds.ts';

/** By the registry of RFC 7591 §2: what a client may register, and discovery lists. */
export const tokenEndpointAuthMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export type TokenEndpointAuthMethod = (typeof tokenEndpointAuthMethods)[number];

/** What an entry may say besides: the secret by either method, whichever a request uses (CAM-01). */
const eitherSecret = 'client_secret_any';

/** Whether a request that uses this method, and no other, does what the client's entry says. */
export function takesMethod(
  { token_endpoint_auth_method: said }: Pick<ClientEntry, 'token_endpoint_auth_method'>,
  used: string,
): boolean {
  return said === eitherSecret ? used === 'client_secret_basic' || used === 'client_secret_post' : used === said;
}

const list = (notes: FieldNotes) => textsOrText().default([]).register(fields, notes);

/** An empty text means none (MCP-20). */
const colour = (label: string) =>
  judged(problemOfColour)
    .nullable()
    .transform((value) => (value === null || value === '' ? undefined : value))
    .optional()
    .register(fields, {
      description: `${label} of the login page, as \`#rrggbb\`.`,
      label,
      api: false,
      form: { section: 'login-page', colour: true, hint: '' },
      tool: { description: `${label} of the login page as \`#rrggbb\`; empty clears it.` },
    });

/** An empty text means none (MCP-20). */
const logoutUri = (notes: FieldNotes) =>
  judged((value) => (value === '' ? undefined : problemOfLogoutUri(value)))
    .nullable()
    .transform((value) => (value === null || value === '' ? undefined : value))
    .optional()
    .register(fields, notes);

export const clientEntryModel = section({
  client_id: filledText().register(fields, {
    description: 'The name that the client presents.',
    label: 'Client ID',
    form: { section: 'identity', blank: '' },
  }),
  client_secret: text()
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
    .register(fields, {
      description: 'The secret of a confidential client; needed unless the method is `none`.',
      label: 'Client secret',
      secret: true,
      form: { section: 'identity', rank: 2, wide: true },
      tool: { description: 'The secret of a confidential client; empty means none.' },
    }),
  token_endpoint_auth_method: oneOf([...tokenEndpointAuthMethods, eitherSecret])
    .default('client_secret_basic')
    .register(fields, {
      description:
        'How the client authenticates; `none` makes it a public client, `client_secret_any` takes the secret by either way.',
      label: 'How it authenticates',
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
          client_secret_any: 'client_secret_any: secret in the header or in the body, as the application likes',
        },
      },
    }),
  description: text()
    .default('')
    .register(fields, {
      description: 'Shown to people; a registration writes client_name here.',
      label: 'Description',
      form: { section: 'identity', prose: true, hint: 'Shown to people on the login page, if you want.' },
    }),
  redirect_uris: list({
    description: 'Where codes may be sent. Empty: any acceptable URI (not under `oauth21`).',
    label: 'Redirect URIs',
    example: '["http://localhost:3000/callback"]',
    form: {
      section: 'rights',
      wide: true,
      hint: 'One a line, matched exactly. None: any acceptable URI (not under oauth21).',
    },
  }),
  scope: text()
    .optional()
    .register(fields, {
      description: 'The scopes the client may have, separated by spaces. Absent or empty: all.',
      label: 'Scope',
      form: { section: 'rights', wide: true },
      tool: { description: 'The same restriction as allowed_scopes, separated by spaces, such as `openid profile`.' },
    }),
  allowed_scopes: textsOrText()
    .optional()
    .register(fields, {
      description: 'The same restriction as `scope`, written as a list.',
      form: false,
      tool: { description: 'The scopes the client may have, as a list; empty lifts the restriction.' },
    }),
  allowed_resources: list({
    description: 'The resources (RFC 8707) that the client may name. Empty: any.',
    label: 'Resources',
    example: '["https://api.example.org"]',
    form: { section: 'rights', hint: 'One a line (RFC 8707). None: any.' },
  }),
  additional_audiences: list({
    description: 'Further `aud` values of its ID tokens.',
    label: 'Additional audiences',
    example: '["my-api"]',
    form: { section: 'rights', hint: 'One a line: further aud values of ID tokens.' },
  }),
  post_logout_redirect_uris: list({
    description: 'Where a logout may lead.',
    label: 'Post-logout redirect URIs',
    example: '["http://localhost:3000/"]',
    form: { section: 'rights', hint: 'One a line: where a logout may lead.' },
  }),
  backchannel_logout_uri: logoutUri({
    description: 'Where a logout token is sent when a session ends that the client took part in.',
    label: 'Back-channel logout URI',
    example: '"http://localhost:3000/backchannel-logout"',
    form: { section: 'logout', wide: true, hint: 'The server sends a logout token there.' },
  }),
  backchannel_logout_session_required: flag(false).register(fields, {
    description: 'The client wants `sid` in logout tokens, which always have it.',
    label: 'Wants sid in logout tokens',
    api: false,
    form: { section: 'logout', hint: '' },
  }),
  frontchannel_logout_uri: logoutUri({
    description: 'What a browser loads in a frame when it logs out of a session that the client took part in.',
    label: 'Front-channel logout URI',
    example: '"http://localhost:3000/frontchannel-logout"',
    form: { section: 'logout', wide: true, hint: 'The browser loads it in a frame.' },
  }),
  frontchannel_logout_session_required: flag(false).register(fields, {
    description: 'The front-channel address gets `iss` and `sid`.',
    label: 'Wants iss and sid there',
    api: false,
    form: { section: 'logout', hint: '' },
  }),
  claims: claimsModel.prefault({}).register(fields, {
    description: 'Claims of every token and UserInfo made for the client, where the user has none of that name.',
    label: 'Claims',
    example: '{"https://example.com/tenant": "acme"}',
    form: { section: 'claims', json: true, hint: 'A JSON object, such as `{"https://example.com/tenant": "acme"}`.' },
    tool: { description: 'Claims of tokens made for it, such as `{"plan": "gold"}`; replaces all of them.' },
    api: false,
  }),
  default_max_age: wholeNumber(0, 2_147_483_647)
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
    .register(fields, {
      description: 'The `max_age` of its requests that send none, in seconds (with `login.session: on`).',
      label: 'Default max_age, seconds',
      api: false,
      form: { section: 'rights', hint: 'Seconds: the max_age of requests that send none, while sessions are on.' },
    }),
  background_color: colour('Background'),
  header_color: colour('Header'),
  footer_color: colour('Footer'),
  show_client_id: flag(true).register(fields, {
    description: 'Show the client_id on the login page.',
    label: 'Show the client_id',
    api: false,
    form: { section: 'login-page', hint: '' },
  }),
  show_description: flag(false).register(fields, {
    description: 'Show the description on the login page.',
    label: 'Show the description',
    api: false,
    form: { section: 'login-page', hint: '' },
  }),
  layout: oneOf(['vertical', 'horizontal'])
    .default('vertical')
    .register(fields, {
      description: 'Layout of the login page.',
      label: 'Layout',
      api: false,
      form: {
        section: 'login-page',
        wide: true,
        hint: '',
        blank: '',
        choices: {
          vertical: 'Vertical: the client above the form',
          horizontal: 'Horizontal: the client beside the form',
        },
      },
    }),
});

export type ClientEntry = Readonly<z.output<typeof clientEntryModel>>;

/** A client as every flow sees it, whatever its origin. `scopes` unites `scope` and `allowed_scopes`. */
export interface Client extends ClientEntry {
  /** The client's own restriction, in order, without duplicates; empty means the whole vocabulary (D8). */
  readonly scopes: readonly string[];
}

export function isPublicClient(client: Pick<ClientEntry, 'token_endpoint_auth_method'>): boolean {
  return client.token_endpoint_auth_method === 'none';
}

/** The rules over several fields: answers the first broken one as field and sentence (CFG-40, CFG-42). */
export function checkClientEntry(entry: ClientEntry): { readonly field: string; readonly message: string } | undefined {
  if (!isPublicClient(entry) && (entry.client_secret ?? '') === '') {
    return {
      field: 'client_secret',
      message: 'is needed, unless token_endpoint_auth_method is none (a public client)',
    };
  }
  if (entry.scope !== undefined && entry.allowed_scopes !== undefined) {
    const written = new Set(words(entry.scope));
    const listed = new Set(entry.allowed_scopes);
    if (written.size !== listed.size || [...written].some((scope) => !listed.has(scope))) {
      return { field: 'allowed_scopes', message: 'differs from scope; write the restriction once' };
    }
  }
  return undefined;
}

/** The client as the flows see it: `scope` and `allowed_scopes` are two spellings of one restriction (D8). */
export function clientFromEntry(entry: ClientEntry): Client {
  const scopes = [...words(entry.scope ?? ''), ...(entry.allowed_scopes ?? [])];
  return { ...entry, scopes: [...new Set(scopes)] };
}

function words(value: string): string[] {
  return value.split(/\s+/).filter((word) => word !== '');
}
