// The keys of `jwt.keys_dir` at the start of a process: repairs the directory, and makes the first key when none
// exists.
import { chmodSync, existsSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '#shared/base/logger.ts';
import { ActivationError } from '#shared/state/configuration/active-configuration.ts';
import { type DirectoryKeysDependencies, drawKeyPair, lockKeys, withCertificate } from './change-keys-directory.ts';
import { DirectoryKeys } from './directory-keys.ts';
import { stampOf } from './keys-directory-stamp.ts';
import { publishKeys, settleKeysDirectory } from './publish-keys.ts';
import { keyFiles, type PublishedKeys, readPublishedKeys, UnusableKeysDirectoryError } from './read-published-keys.ts';

/**
 * Opens the directory, creates it when missing, makes the first key when none is published (KEY-01, KEY-05, KEY-15).
 * @throws ActivationError when there is no usable key and none can be made; then no existing file was touched.
 */
export async function openDirectoryKeys(
  directory: string,
  maxPrevious: number,
  deps: DirectoryKeysDependencies,
): Promise<DirectoryKeys> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    const what = isThere ? 'is not a directory' : 'does not exist and cannot be created';
    throw new ActivationError(`jwt.keys_dir: ${directory} ${what}. Create it, or name another directory.`, { cause });
  }
  try {
    if (existsSync(join(directory, keyFiles.staged))) await settleIfPossible(directory, deps);
    const stamp = stampOf(directory);
    const published = readPublishedKeys(directory) ?? (await makeFirstKey(directory, deps));
    protectPrivateKey(directory, deps.log);
    warnOfOtherWriters(directory, deps.log);
    return new DirectoryKeys(directory, maxPrevious, await withCertificate(directory, published, deps), stamp, deps);
  } catch (cause) {
    if (cause instanceof UnusableKeysDirectoryError) {
      throw new ActivationError(`jwt.keys_dir: ${cause.message}`, { cause });
    }
    if (cause instanceof ActivationError) throw cause;
    const remedy = 'Make it writable for this user, or name another directory';
    throw new ActivationError(
      `jwt.keys_dir: ${directory} has no signing key, and the server cannot generate one. ${remedy}.`,
      {
        cause,
      },
    );
  }
}

/** However many processes start at once, the first to hold the lock makes the key and the others find it. */
async function makeFirstKey(directory: string, deps: DirectoryKeysDependencies): Promise<PublishedKeys> {
  const lock = await lockKeys(directory, deps);
  try {
    await settleKeysDirectory(directory, lock);
    const found = readPublishedKeys(directory);
    if (found !== undefined) return found;
    const pair = await drawKeyPair(deps);
    const keys = { pair, expectedKid: undefined, retired: undefined, previous: [], now: deps.clock.now() };
    await publishKeys(directory, keys, { lock, onStep: deps.onStep });
    deps.log.info({ kid: pair.thumbprint, directory }, 'generated the first signing key');
  } finally {
    await lock.release();
  }
  const made = readPublishedKeys(directory);
  if (made === undefined)
    throw new UnusableKeysDirectoryError(`${directory} was emptied while its first key was generated.`);
  return made;
}

/** Repairs leftovers of a killed process at the start. If that is not possible, reading handles them. */
async function settleIfPossible(directory: string, deps: DirectoryKeysDependencies): Promise<void> {
  try {
    const lock = await lockKeys(directory, deps);
    try {
      await settleKeysDirectory(directory, lock);
    } finally {
      await lock.release();
    }
  } catch (error) {
    deps.log.warn({ err: error, directory }, 'an incomplete change of the keys directory could not be cleaned up');
  }
}

/** Restricts the mode of a private key that other users may read, with a warning (KEY-02). */
function protectPrivateKey(directory: string, log: Logger): void {
  const path = join(directory, keyFiles.privateKey);
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
    log.warn(
      { path, mode: mode.toString(8) },
      'other users could read the private signing key, so its mode was changed to 600',
    );
  } catch (error) {
    log.warn({ err: error, path, mode: mode.toString(8) }, 'other users can read the private signing key');
  }
}

/**
 * A warning, not a rejection: containers mount volumes that belong to root, and some file systems show every mode as
 * 777. `/tmp` and similar directories have the sticky bit, but their owner can still replace their content.
 */
function warnOfOtherWriters(directory: string, log: Logger): void {
  const own = process.getuid?.();
  if (own === undefined) return;
  const { mode, uid } = statSync(directory);
  const isWritableByAll = (mode & 0o002) !== 0;
  if (!isWritableByAll) return;
  const shown = { directory, mode: (mode & 0o7777).toString(8), owner: uid };
  log.warn(
    shown,
    `jwt.keys_dir: every user of this machine can replace the signing keys in ${directory}. Run chmod 700 on it${uid === own ? '' : ` (its owner is user ${uid})`}, or name another directory.`,
  );
}
