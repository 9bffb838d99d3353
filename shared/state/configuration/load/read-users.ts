// The users of users.yaml, each validated by its model.

import { isMapping, nulProblem } from '#shared/base/untrusted-values.ts';
import {
  checkUserEntry,
  doubtfulKeys,
  doubtfulName,
  gatherAttributes,
  type User,
  userEntryModel,
  userFromEntry,
} from '#shared/model/configuration/user-entry.ts';
import { usersFileHeadModel } from '#shared/model/configuration/users-file.ts';
import type { LoadedFile } from './loaded-file.ts';
import { validate } from './validate.ts';

export function readUsers(file: LoadedFile): ReadonlyMap<string, User> {
  const users = new Map<string, User>();
  const mapping = file.mapping();
  if (mapping === undefined) return users;
  const { users: entries = Object.create(null), ...head } = mapping;
  if (file.handlers.fromPlaceholder(['config_version'])) {
    file.note('error', ['config_version'], 'must be a literal value, not a placeholder');
  }
  if ('default_user' in head) file.note('info', ['default_user'], 'is deprecated and has no effect. Remove it');
  validate(usersFileHeadModel, head, [], file.handlers);
  if (!isMapping(entries)) {
    file.note('error', ['users'], 'must be a mapping of usernames to users. Write {} for none');
    return users;
  }
  for (const name of file.keysOf(['users']) ?? Object.keys(entries)) {
    const value = entries[name];
    const path = ['users', name];
    if (name === '') {
      file.note('error', path, 'must have at least 1 character');
      continue;
    }
    const doubt = doubtfulName(name);
    if (doubt !== undefined) file.note('warning', path, doubt);
    for (const { key, level, message } of doubtfulKeys(value)) {
      file.note(level, [...path, key], message);
    }
    const entry = validate(userEntryModel, gatherAttributes(value), path, file.handlers);
    if (entry === undefined) continue;
    if (name.includes('\0')) file.note('error', path, nulProblem);
    const problem = checkUserEntry(entry);
    if (problem !== undefined) file.note('error', [...path, problem.field], problem.message);
    users.set(name, userFromEntry(name, entry));
  }
  return users;
}
