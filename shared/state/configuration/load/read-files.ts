// The two files on disk: bytes, text and revision. It checks only the files as files (size, kind, encoding), not the
// meaning of the text. A caller that needs both in one observation holds the directory lock (ACT-01).

import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '#shared/base/error-text.ts';
import type { Revision } from '#shared/model/configuration/configuration-snapshot.ts';
import type { ConfigurationFileName } from '#shared/model/configuration/finding.ts';
import { configurationFileNames } from './file-names.ts';

/**
 * Larger files are rejected before they are read: parsing costs about a second per MiB. Enough for some 10 000 users.
 */
export const configurationFileBytesMax = 2 * 1024 * 1024;

export type FileReading =
  | { readonly state: 'read'; readonly text: string; readonly revision: Revision }
  | { readonly state: 'missing' }
  /** The file exists and cannot be used as a text. The sentence continues after the file's name. */
  | { readonly state: 'unusable'; readonly message: string; readonly line?: number; readonly ofContent: boolean };

export interface ConfigurationFiles {
  readonly settings: FileReading;
  readonly users: FileReading;
}

/** The texts of two usable files; undefined: missing. */
export interface ConfigurationTexts {
  readonly settings: string | undefined;
  readonly users: string | undefined;
}

export function revisionOf(bytes: string | Uint8Array): Revision {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The revision of a missing file (WRT-05). */
export const revisionOfNothing: Revision = revisionOf('');

/** The error of the directory itself, or undefined. `namedBy`: how a person chooses another one. */
export function problemOfDirectory(directory: string, namedBy = '--config-dir or IDP_CONFIG_DIR'): string | undefined {
  const remedy = `Name the configuration directory with ${namedBy}`;
  try {
    const stats = statSync(directory, { throwIfNoEntry: false });
    if (stats === undefined) return `does not exist. ${remedy}`;
    return stats.isDirectory() ? undefined : `is not a directory. ${remedy}`;
  } catch (error) {
    return unreadable(error);
  }
}

function unreadable(error: unknown): string {
  const code = errorCode(error) ?? 'unknown error';
  return `cannot be read (${code})${code === 'EACCES' ? '. Make it readable for this user' : ''}`;
}

/** Without a directory there are no files (PKG-13). */
export function readConfigurationFiles(directory: string | undefined): ConfigurationFiles {
  if (directory === undefined) return { settings: { state: 'missing' }, users: { state: 'missing' } };
  return {
    settings: readConfigurationFile(join(directory, configurationFileNames.settings)),
    users: readConfigurationFile(join(directory, configurationFileNames.users)),
  };
}

/**
 * The files as a running process may use them. A file that existed before and is missing does not mean built-in
 * defaults, which apply only at a start (D43).
 */
export function keepingVanished(files: ConfigurationFiles, before: ConfigurationTexts): ConfigurationFiles {
  const since = (file: FileReading, text: string | undefined): FileReading =>
    file.state === 'missing' && text !== undefined ? vanished : file;
  return { settings: since(files.settings, before.settings), users: since(files.users, before.users) };
}

const vanished = {
  state: 'unusable',
  message: 'is missing, but existed before. Restore it, or restart to use the built-in defaults',
  ofContent: false,
} as const satisfies FileReading;

const knownFiles = new WeakMap<ConfigurationTexts, ConfigurationFiles>();

/**
 * Texts in the form of files. Computed once, because every operation compares the active configuration with the files.
 */
export function filesOf(texts: ConfigurationTexts): ConfigurationFiles {
  const known = knownFiles.get(texts);
  if (known !== undefined) return known;
  const fileOf = (text: string | undefined): FileReading =>
    text === undefined ? { state: 'missing' } : { state: 'read', text, revision: revisionOf(text) };
  const files = { settings: fileOf(texts.settings), users: fileOf(texts.users) };
  knownFiles.set(texts, files);
  return files;
}

/** The text of an existing and usable file. */
export function textOf(file: FileReading): string | undefined {
  return file.state === 'read' ? file.text : undefined;
}

/** Distinguishes contents, including a missing file from an empty one (STO-19). */
export function contentKey({ settings, users }: ConfigurationFiles): string {
  return `${fileKey(settings)}/${fileKey(users)}`;
}

/** The content key of files with these texts. */
export function contentKeyOf(texts: ConfigurationTexts): string {
  return contentKey(filesOf(texts));
}

/** The files whose content differs from these texts. */
export function filesThatDiffer(
  files: ConfigurationFiles,
  texts: ConfigurationTexts,
): readonly ConfigurationFileName[] {
  const readFiles = filesOf(texts);
  return (['settings', 'users'] as const)
    .filter((which) => fileKey(files[which]) !== fileKey(readFiles[which]))
    .map((which) => configurationFileNames[which]);
}

function fileKey(file: FileReading): string {
  return file.state === 'read' ? file.revision : file.state === 'missing' ? '-' : `!${file.message}`;
}

export function readConfigurationFile(path: string): FileReading {
  let handle: number;
  try {
    // A named pipe would block the whole process until another process writes to it. Windows has no such flag.
    handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return { state: 'missing' };
    return { state: 'unusable', message: unreadable(error), ofContent: false };
  }
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) return { state: 'unusable', message: 'is not a regular file', ofContent: false };
    if (stats.size > configurationFileBytesMax) {
      return {
        state: 'unusable',
        message: `is larger than ${configurationFileBytesMax / 1024 / 1024} MiB`,
        ofContent: true,
      };
    }
    return decode(readFileSync(handle));
  } catch (error) {
    return { state: 'unusable', message: `cannot be read (${errorCode(error) ?? 'unknown error'})`, ofContent: false };
  } finally {
    closeSync(handle);
  }
}

/** A byte order mark stays in the text, so that a write keeps it and the revision is that of the bytes. */
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decode(bytes: Buffer): FileReading {
  try {
    return { state: 'read', text: strictUtf8.decode(bytes), revision: revisionOf(bytes) };
  } catch {
    const message = 'is not UTF-8 text. Save it as UTF-8';
    return { state: 'unusable', message, line: lineOfFirstBadByte(bytes), ofContent: true };
  }
}

function lineOfFirstBadByte(bytes: Buffer): number {
  const replaced = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return replaced.slice(0, replaced.indexOf('\uFFFD')).split('\n').length;
}
