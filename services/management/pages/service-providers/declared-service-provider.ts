// The declared service provider that a page of the web UI is about, or the redirect that explains why none exists.
// Runtime service providers are read-only here.

import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveServiceProvider } from '#shared/engine/identities/effective-identities.ts';
import type { ServiceProviderEntry } from '#shared/model/configuration/service-provider-entry.ts';
import { declaredEntry } from '#shared/state/configuration/service-providers/declared-service-providers.ts';
import { type Declared, declaredOr } from '../declared.ts';

export const listPath = '/service-providers';

/** Entity IDs are usually URLs, which do not fit well into a path. */
export function serviceProviderPath(entityId: string, action: 'edit' | 'delete'): string {
  return `${listPath}/${action}?${new URLSearchParams({ entity_id: entityId })}`;
}

export interface DeclaredServiceProvider {
  readonly entityId: string;
  readonly entry: ServiceProviderEntry;
}

export async function declaredServiceProvider(
  { query, form }: ParsedRequest,
  context: ProtocolContext,
): Promise<Declared<DeclaredServiceProvider>> {
  const { snapshot, store } = context;
  const entityId = query.value('entity_id') ?? form.value('entity_id') ?? '';
  const entry = declaredEntry(snapshot, entityId);
  const known = entry ?? (await findEffectiveServiceProvider(snapshot, store, entityId));
  const code = known === undefined ? 'service_provider_unknown' : 'service_provider_read_only';
  return declaredOr(entry && { entityId, entry }, context, { list: listPath, code, name: entityId });
}
