// One entry of oauth.clients[]: every field with its type, bound and default. The loader, the REST body of a runtime
// client, the MCP argument schemas, the JSON Schema and the client form follow from this model (CFG-K63 to CFG-K73).
import { z } from 'zod';

export const tokenEndpointAuthMethods = ['client_secret_basic', 'client_secret_post', 'none'] as const;
export type TokenEndpointAuthMethod = (typeof tokenEndpointAuthMethods)[number];

/** One text counts as a list of one, an empty text as an empty list (CFG-43). */
const lenientList = (description: string) =>
  z
    .union([z.array(z.string()), z.string().transform((value) => (value === '' ? [] : [value]))])
    .default([])
    .meta({ description });

const colour = (description: string) =>
  z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'must be # and six hexadecimal digits')
    .optional()
    .meta({ description });

export const clientEntryModel = z.object({
  client_id: z.string().min(1).meta({ description: 'The name the client presents.' }),
  client_secret: z.string().optional().meta({ description: 'The secret of a confidential client.' }),
  token_endpoint_auth_method: z
    .enum(tokenEndpointAuthMethods)
    .default('client_secret_basic')
    .meta({ description: 'How the client authenticates; `none` makes it a public client.' }),
  description: z.string().default('').meta({ description: 'Shown to people; a registration writes client_name here.' }),
  redirect_uris: lenientList('Where codes may be sent. Empty: any acceptable URI (not under oauth21).'),
  scope: z
    .string()
    .optional()
    .meta({ description: 'The scopes the client may have, separated by spaces. Absent: all.' }),
  allowed_scopes: lenientList('The same restriction as `scope`, as a list.').optional(),
  allowed_resources: lenientList('The resources (RFC 8707) the client may name. Empty: any.'),
  additional_audiences: lenientList('Further `aud` values of its ID tokens.'),
  post_logout_redirect_uris: lenientList('Where a logout may lead.'),
  background_color: colour('Background of the login page.'),
  header_color: colour('Header of the login page.'),
  footer_color: colour('Footer of the login page.'),
  show_client_id: z.boolean().default(true).meta({ description: 'Show the client_id on the login page.' }),
  show_description: z.boolean().default(false).meta({ description: 'Show the description on the login page.' }),
  layout: z.enum(['vertical', 'horizontal']).default('vertical').meta({ description: 'Layout of the login page.' }),
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
