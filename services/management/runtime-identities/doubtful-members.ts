// Warns the caller about members of a user that become attributes but were probably meant for another purpose (CFG-44,
// RUN-04).
import { asSentence } from '#shared/base/sentence.ts';
import { doubtfulKeys } from '#shared/model/configuration/user-entry.ts';

/** One sentence each. None for a member that is removed. */
export function warningsOf(members: Readonly<Record<string, unknown>>): readonly string[] {
  return doubtfulKeys(members)
    .filter(({ key, level }) => level === 'warning' && members[key] !== null)
    .map(({ key, message }) => asSentence(`${key} ${message}`));
}
