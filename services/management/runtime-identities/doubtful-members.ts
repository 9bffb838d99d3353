// Members of a user that become attributes and were probably meant for something else (CFG-44, RUN-04): the caller is told.
import { doubtfulKeys } from '#shared/model/configuration/user-entry.ts';

/** One sentence each; none for a member that is taken away. */
export function warningsOf(members: Readonly<Record<string, unknown>>): readonly string[] {
  return doubtfulKeys(members)
    .filter(({ key, level }) => level === 'warning' && members[key] !== null)
    .map(({ key, message }) => `${key} ${message}`);
}
