// Reads an entry from JSON (a REST body, tool arguments) with the same models as the files. Placeholders are not
// expanded: such a text stays text (RUN-05).
import type { z } from 'zod';
import { unknownName } from '#shared/base/unknown-name.ts';
import { pathOfPrototypeKey, prototypeKeyProblem } from '#shared/base/untrusted-values.ts';
import { type ClientEntry, checkClientEntry, clientEntryModel } from './client-entry.ts';
import {
  checkServiceProviderEntry,
  type ServiceProviderEntry,
  serviceProviderEntryModel,
} from './service-provider-entry.ts';
import { checkUserEntry, gatherAttributes, type UserEntry, userEntryModel } from './user-entry.ts';

export type EntryReading<Entry> =
  | { readonly outcome: 'read'; readonly entry: Entry }
  /** `message` names the field and the expected value, never the value itself. */
  | { readonly outcome: 'refused'; readonly message: string };

/** Unknown members become attributes (CFG-44). */
export function readUserEntry(value: unknown): EntryReading<UserEntry> {
  return read(userEntryModel, gatherAttributes(value), checkUserEntry);
}

/** Unknown members are rejected (RUN-04). */
export function readClientEntry(value: unknown): EntryReading<ClientEntry> {
  return read(clientEntryModel, value, checkClientEntry);
}

export function readServiceProviderEntry(value: unknown): EntryReading<ServiceProviderEntry> {
  return read(serviceProviderEntryModel, value, checkServiceProviderEntry);
}

function read<Model extends z.ZodObject>(
  model: Model,
  value: unknown,
  check: (entry: z.output<Model>) => { field: string; message: string } | undefined,
): EntryReading<z.output<Model>> {
  const forbidden = pathOfPrototypeKey(value);
  if (forbidden !== undefined) return { outcome: 'refused', message: `${forbidden.join('.')} ${prototypeKeyProblem}` };
  const result = model.safeParse(value);
  if (!result.success) {
    const issue = result.error.issues[0];
    if (issue?.code === 'unrecognized_keys') {
      return { outcome: 'refused', message: unknownName('field', issue.keys[0] ?? '', Object.keys(model.shape)) };
    }
    const field = issue?.path.join('.') || 'the entry';
    return { outcome: 'refused', message: `${field} ${issue?.message ?? 'is invalid'}` };
  }
  const problem = check(result.data);
  return problem === undefined
    ? { outcome: 'read', entry: result.data }
    : { outcome: 'refused', message: `${problem.field} ${problem.message}` };
}
