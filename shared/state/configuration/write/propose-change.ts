// Computes the result of a change: the texts are read, edited, and proved to load and to contain the change, before any
// file is touched (WRT-08, WRT-15). Pure, and the part of a write whose time grows with the size of the files.
import { join } from 'node:path';
import { dotted } from '#shared/model/configuration/finding.ts';
import type { ConfigurationChange } from '../active-configuration.ts';
import { configurationFileNames } from '../load/file-names.ts';
import { loadConfiguration } from '../load/load-configuration.ts';
import { loadFiles, rejection } from '../load/load-directory.ts';
import type { LoadOptions } from '../load/load-options.ts';
import {
  type ConfigurationFiles,
  type ConfigurationTexts,
  configurationFileBytesMax,
  filesOf,
  textOf,
} from '../load/read-files.ts';
import { applyChanges } from './apply-changes.ts';

export type Proposal =
  | { readonly outcome: 'proposed'; readonly before: ConfigurationTexts; readonly after: ConfigurationTexts }
  | { readonly outcome: 'unloadable'; readonly message: string }
  | { readonly outcome: 'exists' | 'unknown' };

/**
 * `instead`: the texts to change where the files do not load.
 * `load`: without overrides of the command line, since neither --profile nor --strict-config reaches a file (ACT-18).
 */
export function proposeChange(
  files: ConfigurationFiles,
  changes: readonly ConfigurationChange[],
  load: LoadOptions & { readonly directory: string },
  instead?: ConfigurationTexts,
): Proposal {
  const { directory } = load;
  const present = loadFiles(files, load);
  const base =
    present.configuration === undefined && instead !== undefined ? loadFiles(filesOf(instead), load) : present;
  if (base.configuration === undefined || base.texts === undefined) {
    return { outcome: 'unloadable', message: rejection(present.findings, directory).message };
  }
  const applied = applyChanges(base.texts, base.configuration, changes, load.environment);
  if (applied.outcome === 'too_large') return tooLarge(directory, applied.which, applied.bytes);
  if (applied.outcome !== 'applied') return applied;
  for (const which of ['settings', 'users'] as const) {
    const bytes = Buffer.byteLength(applied.texts[which] ?? '');
    if (bytes > configurationFileBytesMax) return tooLarge(directory, which, bytes);
  }
  const result = loadConfiguration(applied.texts, load);
  if (result.configuration === undefined) {
    return { outcome: 'unloadable', message: rejection(result.findings, directory).message };
  }
  const { configuration } = result;
  const broken = applied.expectations.find((expectation) => !expectation.holds(configuration));
  if (broken !== undefined) {
    const place = `${join(directory, broken.file)} ${dotted(broken.path)}`;
    return { outcome: 'unloadable', message: `${place} cannot be written unchanged` };
  }
  const before = { settings: textOf(files.settings), users: textOf(files.users) };
  return { outcome: 'proposed', before, after: applied.texts };
}

/** A larger file would fail at every start, and a later write could not read it. */
function tooLarge(directory: string, which: keyof ConfigurationTexts, bytes: number): Proposal {
  const place = join(directory, configurationFileNames[which]);
  const bound = `and the limit is ${configurationFileBytesMax}`;
  return { outcome: 'unloadable', message: `${place} would have ${bytes} bytes, ${bound}. Remove or shorten entries.` };
}
