// Why a request failed, for people: what was expected instead, where that is written, and what the client is registered
// with now. The rules are data in expectations.ts.
import type { AuditEntry } from '#shared/audit/audit-event.ts';
import type { Client } from '#shared/configuration/model/client-entry.ts';
import { type ClientSide, type Expectation, reasonRows, typeRows } from './expectations.ts';

export interface Explanation extends Expectation {
  /** The client's own registration in the matter, such as its redirect URIs. */
  readonly registered: { readonly label: string; readonly values: readonly string[] } | undefined;
}

/** undefined for what succeeded. */
export function explain(
  entry: Pick<AuditEntry, 'event_type' | 'status' | 'details'>,
  client?: Client,
): Explanation | undefined {
  if (entry.status === 'success') return undefined;
  const reason = reasonOf(entry);
  const row =
    reason === undefined
      ? undefined
      : reasonRows.find(({ words, types }) => words.test(reason) && types?.includes(entry.event_type) !== false);
  const expectation = row?.says ?? typeRows[entry.event_type];
  if (expectation === undefined) return undefined;
  const { side } = expectation;
  const registered = client === undefined || side === undefined ? undefined : registeredWith[side](client);
  return { ...expectation, registered };
}

export function reasonOf({ details }: Pick<AuditEntry, 'details'>): string | undefined {
  const reason = details.reason ?? details.error;
  return typeof reason === 'string' ? reason : undefined;
}

const registeredWith: Record<ClientSide, (client: Client) => Explanation['registered']> = {
  redirect_uris: ({ redirect_uris }) => ({ label: 'Registered', values: redirect_uris }),
  authentication: ({ token_endpoint_auth_method }) => ({ label: 'Its method', values: [token_endpoint_auth_method] }),
  scope: ({ scopes }) => (scopes.length === 0 ? undefined : { label: 'Allowed', values: scopes }),
  resources: ({ allowed_resources }) =>
    allowed_resources.length === 0 ? undefined : { label: 'Allowed', values: allowed_resources },
};
