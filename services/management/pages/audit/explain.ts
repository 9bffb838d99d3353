// Explains to a person why a request failed: the expected value, if the catalogue of refusals has one, and the client's
// current registration. The entry's stable code identifies the rejection.
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { mcpRefusals } from '#shared/model/refusals/families/mcp.ts';
import { findRefusal } from '#shared/model/refusals/index.ts';
import type { Reference } from '#shared/model/refusals/references.ts';
import type { ClientSide, Refusal } from '#shared/model/refusals/refusal.ts';

export interface Explanation extends Reference {
  readonly expected: string;
  /** The client's registered values that the rejection is about, such as its redirect URIs. */
  readonly registered: { readonly label: string; readonly values: readonly string[] } | undefined;
}

type Explained = Pick<AuditEntry, 'event_type' | 'status' | 'details'>;

/** undefined for a success, and for an entry without refusal: a fault, or a user who denied. */
export function explain(entry: Explained, client?: Client): Explanation | undefined {
  if (entry.status === 'success') return undefined;
  const refusal = refusalOf(entry);
  if (refusal === undefined) return undefined;
  const { expected, standard } = refusal;
  return { expected, ...standard, registered: registrationBeside(refusal, client) };
}

/** The client's registered values, if the rejection is about them. */
export function registrationBeside(
  { registered: side }: Pick<Refusal, 'registered'>,
  client: Client | undefined,
): Explanation['registered'] {
  return client === undefined || side === undefined ? undefined : registeredWith[side](client);
}

function refusalOf({ event_type, details }: Explained): Refusal | undefined {
  const { refusal, error } = details;
  if (typeof refusal === 'string') return findRefusal(refusal);
  // Two kinds of entries may have no code of this table (AUD-17, AUD-31).
  if (event_type === 'client_metadata_document_refused') return authorizeRefusals.metadata_document_refused;
  if (event_type !== 'mcp_tool') return undefined;
  return (typeof error === 'string' ? findRefusal(error) : undefined) ?? mcpRefusals.tool_failed;
}

/** The error that the caller received, such as `invalid_grant`. undefined for a response without such a code. */
export function answeredError(entry: Explained): string | undefined {
  const refusal = entry.status === 'success' ? undefined : refusalOf(entry);
  return refusal !== undefined && 'error' in refusal && typeof refusal.error === 'string' ? refusal.error : undefined;
}

export function reasonOf({ details }: Pick<AuditEntry, 'details'>): string | undefined {
  const reason = details.reason ?? details.error;
  return typeof reason === 'string' ? reason : undefined;
}

const registeredWith: Record<ClientSide, (client: Client) => Explanation['registered']> = {
  redirect_uris: ({ redirect_uris, redirect_uri_patterns }) => ({
    label: 'Registered',
    values: [...redirect_uris, ...redirect_uri_patterns],
  }),
  authentication: ({ token_endpoint_auth_method }) => ({
    label: 'Registered method',
    values: [token_endpoint_auth_method],
  }),
  scope: ({ scopes }) => (scopes.length === 0 ? undefined : { label: 'Allowed', values: scopes }),
  resources: ({ allowed_resources }) =>
    allowed_resources.length === 0 ? undefined : { label: 'Allowed', values: allowed_resources },
};
