// A disposable user, made on the running service by the same model as an entry of users.yaml (RUN-01 to RUN-10).

import type { AuditEvent } from '#shared/audit/audit-event.ts';
import { readUserEntry } from '#shared/configuration/model/read-entry.ts';
import { findEffectiveClient } from '#shared/domain/effective-identities.ts';
import type { RuntimeUser } from '#shared/domain/runtime-identity.ts';
import type { RuntimeIdentitiesContext } from '#shared/runtime-identities/runtime-identities-context.ts';
import type { RuntimeStore } from '#shared/store/ports/index.ts';
import { isMapping } from '#shared/values-from-outside.ts';
import { createUndeclared, type Refusal } from './create-runtime-identity.ts';

type Context = RuntimeIdentitiesContext & { readonly store: Pick<RuntimeStore, 'identities' | 'metadataDocuments'> };

type UserCreation =
  | { readonly outcome: 'created'; readonly user: RuntimeUser; readonly warnings: readonly string[] }
  | Refusal;

/** `body` is a users.yaml entry plus `username`; `event` makes the audit event for that name, `replaced` that of one that gives way. */
export async function createRuntimeUser(
  body: unknown,
  event: (username: string) => AuditEvent,
  context: Context,
  replaced?: (username: string) => AuditEvent,
): Promise<UserCreation> {
  if (!isMapping(body)) {
    return { outcome: 'invalid', message: 'the body must be a JSON object' };
  }
  const { username, ...members }: { username?: unknown } = body;
  if (typeof username !== 'string' || username === '') {
    return { outcome: 'invalid', message: 'username must be text of at least 1 character' };
  }
  const reading = readUserEntry(members);
  if (reading.outcome === 'refused') return { outcome: 'invalid', message: reading.message };

  const now = context.clock.now();
  const user = await createUndeclared('user', username, context, () =>
    context.store.identities.createUser(username, reading.entry, now, event(username), replaced?.(username)),
  );
  if (user === 'declared' || user === 'exists') return { outcome: user };
  const namesake = await findEffectiveClient(context.configuration.peek(), context.store, username, now);
  if (namesake === undefined) return { outcome: 'created', user, warnings: [] };
  // RUN-09: allowed, but a token of the client itself never counts as this user's.
  context.log.warn({ username }, 'a runtime user bears the name of a client');
  return { outcome: 'created', user, warnings: ['A client has the same name; its own tokens are not this user’s.'] };
}
