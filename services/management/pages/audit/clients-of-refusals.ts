// The clients of rejected requests, as currently registered: an explanation shows the expected values.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';

export async function clientsOfRefusals(
  entries: readonly AuditEntry[],
  { snapshot, store, clock }: Pick<ProtocolContext, 'snapshot' | 'store' | 'clock'>,
): Promise<ReadonlyMap<string, Client>> {
  const named = new Set(entries.flatMap(({ status, client_id }) => (status === 'success' ? [] : (client_id ?? []))));
  const found = await Promise.all(
    [...named].map((clientId) => findEffectiveClient(snapshot, store, clientId, clock.now())),
  );
  return new Map(found.flatMap((effective) => (effective ? [[effective.client.client_id, effective.client]] : [])));
}
