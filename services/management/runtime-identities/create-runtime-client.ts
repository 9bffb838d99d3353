// A disposable client, created on the running service with the same model as an entry of oauth.clients[] (RUN-02 to
// RUN-10).

import { holdsNul } from '#shared/base/untrusted-values.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import type { RuntimeIdentitiesContext } from '#shared/engine/identities/runtime-identities-context.ts';
import { clientFromEntry } from '#shared/model/configuration/client-entry.ts';
import { readClientEntry } from '#shared/model/configuration/read-entry.ts';
import type { RuntimeClient } from '#shared/model/domain/runtime-identity.ts';
import { doubtfulRedirectUris } from '#shared/model/oauth-rules/doubtful-redirect-uris.ts';
import { impossibleIn } from '#shared/model/oauth-rules/impossible-client.ts';
import { doubtfulRestriction, unusableScopes } from '#shared/model/oauth-rules/scope.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { type Creation, type CreationEvents, createUndeclared } from './create-runtime-identity.ts';

type Context = RuntimeIdentitiesContext & { readonly store: Pick<RuntimeStore, 'identities' | 'metadataDocuments'> };

/** `members` are those of an oauth.clients[] entry. */
export async function createRuntimeClient(
  members: Readonly<Record<string, unknown>>,
  events: CreationEvents,
  context: Context,
): Promise<Creation<RuntimeClient>> {
  const nul = holdsNul(members);
  if (nul !== undefined) return { outcome: 'invalid', message: nul };
  const reading = readClientEntry(members);
  if (reading.outcome === 'refused') return { outcome: 'invalid', message: reading.message };
  const { entry } = reading;
  const [impossible] = impossibleIn(entry, context.configuration.inForce());
  if (impossible !== undefined) return { outcome: 'invalid', message: `${impossible.field} ${impossible.message}` };
  const client = await createUndeclared('client', entry.client_id, context, () =>
    context.store.identities.createClient(
      entry,
      context.clock.now(),
      events.created(entry.client_id),
      events.replaced?.(entry.client_id),
    ),
  );
  if (client === 'declared' || client === 'exists') return { outcome: client };
  const snapshot = context.configuration.inForce();
  const restriction = doubtfulRestriction(clientFromEntry(entry), snapshot);
  const warnings = [
    ...[...doubtfulRedirectUris(entry, snapshot.rules), ...unusableScopes(entry)].map(
      ({ field, index, message }) => `${field}${index === undefined ? '' : `[${index}]`} ${message}.`,
    ),
    ...(restriction === undefined ? [] : [`scope ${restriction}.`]),
  ];
  const namesake = await findEffectiveUser(snapshot, context.store, entry.client_id);
  if (namesake !== undefined) {
    const who = snapshot.settings.logging.verbose_logging ? { client_id: entry.client_id } : {};
    context.log.warn(who, 'a runtime client has the name of a user');
    warnings.unshift('A user has the same name. Tokens of this client never count as tokens of that user.');
  }
  return { outcome: 'created', made: client, warnings };
}
