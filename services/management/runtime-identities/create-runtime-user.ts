// A disposable user, created on the running service with the same model as an entry of users.yaml (RUN-01 to RUN-10).

import { asSentence } from '#shared/base/sentence.ts';
import { holdsNul } from '#shared/base/untrusted-values.ts';
import { findEffectiveClient } from '#shared/engine/identities/effective-identities.ts';
import type { RuntimeIdentitiesContext } from '#shared/engine/identities/runtime-identities-context.ts';
import { readUserEntry } from '#shared/model/configuration/read-entry.ts';
import { doubtfulName } from '#shared/model/configuration/user-entry.ts';
import type { RuntimeUser } from '#shared/model/domain/runtime-identity.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { type Creation, type CreationEvents, createUndeclared } from './create-runtime-identity.ts';
import { warningsOf } from './doubtful-members.ts';

type Context = RuntimeIdentitiesContext & { readonly store: Pick<RuntimeStore, 'identities' | 'metadataDocuments'> };

/** `entry` holds the members of a users.yaml entry and `username`. */
export async function createRuntimeUser(
  entry: Readonly<Record<string, unknown>>,
  events: CreationEvents,
  context: Context,
): Promise<Creation<RuntimeUser>> {
  const { username, ...members } = entry;
  if (typeof username !== 'string' || username === '') {
    return { outcome: 'invalid', message: 'username must be a string of at least 1 character' };
  }
  const nul = holdsNul(entry);
  if (nul !== undefined) return { outcome: 'invalid', message: nul };
  const reading = readUserEntry(members);
  if (reading.outcome === 'refused') return { outcome: 'invalid', message: reading.message };

  const now = context.clock.now();
  const user = await createUndeclared('user', username, context, () =>
    context.store.identities.createUser(
      username,
      reading.entry,
      now,
      events.created(username),
      events.replaced?.(username),
    ),
  );
  if (user === 'declared' || user === 'exists') return { outcome: user };
  const doubt = doubtfulName(username);
  const warnings = [...(doubt === undefined ? [] : [asSentence(`username ${doubt}`)]), ...warningsOf(members)];
  const namesake = await findEffectiveClient(context.configuration.inForce(), context.store, username, now);
  if (namesake === undefined) return { outcome: 'created', made: user, warnings };
  // RUN-09: allowed, but a token of the client itself never counts as this user's.
  const who = context.configuration.inForce().settings.logging.verbose_logging ? { username } : {};
  context.log.warn(who, 'a runtime user has the name of a client');
  const bearsNameOfClient = 'A client has the same name. Tokens of that client never count as tokens of this user.';
  return { outcome: 'created', made: user, warnings: [bearsNameOfClient, ...warnings] };
}
