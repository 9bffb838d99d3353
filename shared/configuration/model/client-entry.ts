// One entry of oauth.clients[]: every field with its type, bound and default. The loader, the REST body of a runtime
// client, the MCP argument schemas, the JSON Schema and the client form follow from this model (CFG-K63 to CFG-K73).
// The rules over several fields are in checkClientEntry, so that the model's fields stay free to be picked.
import type { z } from 'zod';
import { problemOfColour } from './formats.ts';
import { filledText, flag, judged, oneOf, section, text, textsOrText } from './kinds.ts';

export const tokenEndpointAuthMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export type TokenEndpointAuthMethod = (typeof tokenEndpointAuthMethods)[number];

const list = (description: string) => textsOrText().default([]).meta({ description });

/** An empty text means none (MCP-20). */
const colour = (description: string) =>
  judged(problemOfColour)
    .nullable()
    .transform((value) => (value === null || value === '' ? undefined : value))
    .optional()
    .meta({ description });

export const clientEntryModel = section({
  client_id: filledText().meta({ description: 'The name that the client presents.' }),
  client_secret: text()
    .nullable()
    .transform((value) => value ?? undefined)
    .optional()
    .meta({ description: 'The secret of a confidential client; needed unless the method is `none`.' }),
  token_endpoint_auth_method: oneOf(tokenEndpointAuthMethods)
    .default('client_secret_basic')
    .meta({ description: 'How the client authenticates; `none` makes it a public client.' }),
  description: text().default('').meta({ description: 'Shown to people; a registration writes client_name here.' }),
  redirect_uris: list('Where codes may be sent. Empty: any acceptable URI (not under `oauth21`).'),
  scope: text()
    .optional()
    .meta({ description: 'The scopes the client may have, separated by spaces. Absent or empty: all.' }),
  allowed_scopes: textsOrText().optional().meta({ description: 'The same restriction as `scope`, written as a list.' }),
  allowed_resources: list('The resources (RFC 8707) that the client may name. Empty: any.'),
  additional_audiences: list('Further `aud` values of its ID tokens.'),
  post_logout_redirect_uris: list('Where a logout may lead.'),
  background_color: colour('Background of the login page, as `#rrggbb`.'),
  header_color: colour('Header of the login page, as `#rrggbb`.'),
  footer_color: colour('Footer of the login page, as `#rrggbb`.'),
  show_client_id: flag(true).meta({ description: 'Show the client_id on the login page.' }),
  show_description: flag(false).meta({ description: 'Show the description on the login page.' }),
  layout: oneOf(['vertical', 'horizontal']).default('vertical').meta({ description: 'Layout of the login page.' }),
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
