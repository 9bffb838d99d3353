// Changes a runtime user by a JSON merge patch (PCL-15, PCL-16, RFC 7396). The model of an entry validates the result
// as a whole, inside the single atomic step, so that simultaneous patches of different members all take effect.
import { isDeepStrictEqual } from 'node:util';
import { holdsNul, isNestedDeeperThan, nestingMax } from '#shared/base/untrusted-values.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { entryMembers, userKind } from '#shared/model/configuration/entry-kinds.ts';
import { readUserEntry } from '#shared/model/configuration/read-entry.ts';
import { gatherAttributes, type UserEntry } from '#shared/model/configuration/user-entry.ts';
import type { RuntimeUser } from '#shared/model/domain/runtime-identity.ts';
import { mergePatch } from '#shared/protocol/json-merge-patch.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { warningsOf } from './doubtful-members.ts';

type UserUpdate =
  | { readonly outcome: 'updated'; readonly user: RuntimeUser; readonly warnings: readonly string[] }
  /** `message` names the member, never a value. */
  | { readonly outcome: 'invalid'; readonly message: string }
  | { readonly outcome: 'unknown' | 'promotion_in_progress' };

/** The maximum nesting of an entry, including its deepest allowed value. */
const patchLevelsMax = nestingMax + 2;

/** `event` makes the audit event from the names of the members that changed. */
export async function updateRuntimeUser(
  username: string,
  patch: Readonly<Record<string, unknown>>,
  event: (members: readonly string[]) => AuditEvent,
  { store }: { readonly store: Pick<RuntimeStore, 'identities'> },
): Promise<UserUpdate> {
  if (Object.hasOwn(patch, 'username')) return { outcome: 'invalid', message: 'username cannot be changed' };
  if (isNestedDeeperThan(patchLevelsMax, patch)) {
    return { outcome: 'invalid', message: `the body is nested more than ${patchLevelsMax} levels deep` };
  }
  const nul = holdsNul(patch);
  if (nul !== undefined) return { outcome: 'invalid', message: nul };
  // Unknown members are attributes, as everywhere (CFG-44), and null removes them, too.
  const members = gatherAttributes(patch);
  let message = '';
  const updated = await store.identities.updateUser(
    username,
    (entry) => {
      const reading = readUserEntry(mergePatch(plain(entry), members));
      if (reading.outcome === 'read') return reading.entry;
      message = reading.message;
      return undefined;
    },
    (before, after) => event(changedMembers(before, after)),
  );
  if (updated === 'refused') return { outcome: 'invalid', message };
  return typeof updated === 'string'
    ? { outcome: updated }
    : { outcome: 'updated', user: updated, warnings: warningsOf(patch) };
}

/** The entry as JSON, without absent members. */
function plain(entry: UserEntry): unknown {
  return JSON.parse(JSON.stringify(entryMembers(userKind, entry)));
}

function changedMembers(before: UserEntry, after: UserEntry): readonly string[] {
  const [old, young] = [entryMembers(userKind, before), entryMembers(userKind, after)];
  return userKind.fields
    .map(({ name }) => name)
    .filter((name) => !isDeepStrictEqual(jsonOf(old[name]), jsonOf(young[name])));
}

function jsonOf(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
