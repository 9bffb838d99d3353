// A disposable SAML service provider, made on the running service by the model of an entry of saml.service_providers[], with
// its metadata as text in place of a file (SPM-23).

import type { AuditEvent } from '#shared/audit/audit-event.ts';
import { readServiceProviderEntry } from '#shared/configuration/model/read-entry.ts';
import { settledEntry } from '#shared/configuration/model/service-provider.ts';
import { effectiveServiceProvider } from '#shared/configuration/service-providers/effective-service-provider.ts';
import type { RuntimeServiceProvider } from '#shared/domain/runtime-identity.ts';
import type { RuntimeIdentitiesContext } from '#shared/runtime-identities/runtime-identities-context.ts';
import { isMapping } from '#shared/values-from-outside.ts';
import { createUndeclared, type Refusal } from './create-runtime-identity.ts';

export type ServiceProviderCreation =
  | {
      readonly outcome: 'created';
      readonly serviceProvider: RuntimeServiceProvider;
      readonly warnings: readonly string[];
    }
  | Refusal;

/** `event` makes the audit event for that entity ID, `replaced` that of one that gives way. */
export async function createRuntimeServiceProvider(
  body: unknown,
  event: (entityId: string) => AuditEvent,
  context: RuntimeIdentitiesContext,
  replaced?: (entityId: string) => AuditEvent,
): Promise<ServiceProviderCreation> {
  const invalid = (message: string) => ({ outcome: 'invalid', message }) as const;
  if (!isMapping(body)) return invalid('the body must be a JSON object');
  const { metadata, ...members } = { metadata: undefined, ...body };
  if (metadata !== undefined && typeof metadata !== 'string') return invalid('metadata must be a text');
  if (Object.hasOwn(members, 'metadata_file')) return invalid('metadata_file is for the files; send metadata as text');
  const reading = readServiceProviderEntry(members);
  if (reading.outcome === 'refused') return invalid(reading.message);
  const { findings, metadataFindings, serviceProvider } = effectiveServiceProvider(
    reading.entry,
    { read: (text) => ({ text }), now: context.clock.now() },
    metadata === undefined ? undefined : { text: metadata },
  );
  const told = [
    ...findings.map(({ level, field, message }) => ({ level, text: `${field} ${message}` })),
    ...metadataFindings.map(({ level, line, column, message }) => ({
      level,
      text: `metadata:${line}:${column} ${message}`,
    })),
  ];
  const wrong = told.find(({ level }) => level === 'error');
  if (wrong !== undefined || serviceProvider === undefined) return invalid(wrong?.text ?? 'entity_id is missing');
  const { entity_id } = serviceProvider;
  const created = await createUndeclared('service_provider', entity_id, context, () =>
    context.store.identities.createServiceProvider(
      entity_id,
      settledEntry(serviceProvider),
      context.clock.now(),
      event(entity_id),
      replaced?.(entity_id),
    ),
  );
  if (created === 'declared' || created === 'exists') return { outcome: created };
  return { outcome: 'created', serviceProvider: created, warnings: told.map(({ text }) => `${text}.`) };
}
