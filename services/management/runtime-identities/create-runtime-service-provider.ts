// A disposable SAML service provider, created on the running service with the model of an entry of
// saml.service_providers[]. Its metadata is text instead of a file (SPM-23).

import { holdsNul } from '#shared/base/untrusted-values.ts';
import type { RuntimeIdentitiesContext } from '#shared/engine/identities/runtime-identities-context.ts';
import { readServiceProviderEntry } from '#shared/model/configuration/read-entry.ts';
import { completeEntry } from '#shared/model/configuration/service-provider.ts';
import type { RuntimeServiceProvider } from '#shared/model/domain/runtime-identity.ts';
import { effectiveServiceProvider } from '#shared/state/configuration/service-providers/effective-service-provider.ts';
import { type Creation, type CreationEvents, createUndeclared } from './create-runtime-identity.ts';

/** `given` holds the members of a saml.service_providers[] entry and `metadata`. */
export async function createRuntimeServiceProvider(
  given: Readonly<Record<string, unknown>>,
  events: CreationEvents,
  context: RuntimeIdentitiesContext,
): Promise<Creation<RuntimeServiceProvider>> {
  const invalid = (message: string) => ({ outcome: 'invalid', message }) as const;
  const { metadata, ...members } = given;
  if (metadata !== undefined && typeof metadata !== 'string') return invalid('metadata must be a string');
  if (Object.hasOwn(members, 'metadata_file'))
    return invalid('metadata_file is only for configuration files. Send the XML in metadata');
  const nul = holdsNul(given);
  if (nul !== undefined) return invalid(nul);
  const reading = readServiceProviderEntry(members);
  if (reading.outcome === 'refused') return invalid(reading.message);
  const { findings, metadataFindings, serviceProvider } = effectiveServiceProvider(
    reading.entry,
    { read: (text) => ({ text }), now: context.clock.now() },
    metadata === undefined ? undefined : { text: metadata },
  );
  const notices = [
    ...findings.map(({ level, field, message }) => ({ level, text: `${field} ${message}` })),
    ...metadataFindings.map(({ level, line, column, message }) => ({
      level,
      text: `metadata:${line}:${column} ${message}`,
    })),
  ];
  const wrong = notices.find(({ level }) => level === 'error');
  if (wrong !== undefined || serviceProvider === undefined) return invalid(wrong?.text ?? 'entity_id is missing');
  const { entity_id } = serviceProvider;
  const created = await createUndeclared('service_provider', entity_id, context, () =>
    context.store.identities.createServiceProvider(
      entity_id,
      completeEntry(serviceProvider),
      context.clock.now(),
      events.created(entity_id),
      events.replaced?.(entity_id),
    ),
  );
  if (created === 'declared' || created === 'exists') return { outcome: created };
  return { outcome: 'created', made: created, warnings: notices.map(({ text }) => `${text}.`) };
}
