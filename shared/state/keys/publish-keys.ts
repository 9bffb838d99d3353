// Changes what a keys directory publishes, as a journalled change with one commit point (KEY-14):
//
//   1. the whole new set is written into `staged/<new kid>/`, the retired public key into `previous/`;
//   2. `staged/<new kid>/kid.txt` is renamed to `kid.txt`. This publishes the new set;
//   3. the other staged files are renamed into place. `staged/` and surplus previous keys are removed.
//
// Killed before 2: readers never read the staged files, and the next holder of the lock removes them. Killed after:
// readers find in `staged/<kid>/` the files that are not in place yet, and the next holder finishes the moves.
import { renameSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Instant } from '#shared/base/clock.ts';
import type { DirectoryLock } from '#shared/base/locking/directory-lock.ts';
import { type KeyPair, privateKeyPem, publicKeyPem } from './key-pair.ts';
import {
  isMissing,
  keyFiles,
  listedKids,
  type NextKey,
  type PreviousKey,
  previousCertificatePath,
  previousKeyPath,
  publishedKid,
  stagedFiles,
  stagingDirectory,
} from './read-published-keys.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

/** The steps of a change in order, each named after what has just been done; tests end the process at each. */
export const publicationSteps = [
  'staging_begun',
  'private_key_staged',
  'public_key_staged',
  'certificate_staged',
  'index_staged',
  'retired_key_kept',
  'kid_staged',
  'committed',
  'rsa_private.pem_moved',
  'rsa_public.pem_moved',
  'idp-cert.pem_moved',
  'keys.json_moved',
  'staging_removed',
  'previous_keys_trimmed',
] as const;
export type PublicationStep = (typeof publicationSteps)[number];

interface PublicationDependencies {
  readonly lock: DirectoryLock;
  /** For tests that end the process between two steps. */
  readonly onStep?: ((step: PublicationStep) => void) | undefined;
}

interface RetiredKey extends PreviousKey {
  readonly publicKey: KeyPair['publicKey'];
  /** Stored with it, for metadata that list it (SPM-31); undefined: not stored. */
  readonly certificatePem?: string | undefined;
}

interface NewKeys {
  readonly pair: KeyPair;
  /** undefined: it has none yet. */
  readonly certificatePem?: string | undefined;
  /**
   * The currently published kid, undefined when none is published. It detects a change by another process in between.
   */
  readonly expectedKid: string | undefined;
  /** The key that retires, undefined when nothing was published before. */
  readonly retired: RetiredKey | undefined;
  /** The content of `keys.json`, newest first, the retired key included. */
  readonly previous: readonly PreviousKey[];
  readonly now: Instant;
}

/** The lock was lost, or another process published meanwhile; nothing of this change is active. */
export class PublicationLostError extends Error {}

/** Publishes `keys`. @throws PublicationLostError, and errors of the filesystem; then the old set is active. */
export async function publishKeys(
  directory: string,
  keys: NewKeys,
  { lock, onStep }: PublicationDependencies,
): Promise<void> {
  const { pair } = keys;
  const kid = pair.thumbprint;
  const staging = stagingDirectory(directory, kid);
  await mkdir(staging, { recursive: true, mode: 0o700 });
  onStep?.('staging_begun');
  await writeWhole(join(staging, keyFiles.privateKey), privateKeyPem(pair), 0o600);
  onStep?.('private_key_staged');
  await writeWhole(join(staging, keyFiles.publicKey), publicKeyPem(pair.publicKey), 0o644);
  onStep?.('public_key_staged');
  const certificatePem = keys.certificatePem ?? selfSignedCertificate(pair, keys.now);
  await writeWhole(join(staging, keyFiles.certificate), certificatePem, 0o644);
  onStep?.('certificate_staged');
  await writeWhole(join(staging, keyFiles.index), indexText(kid, keys.previous), 0o644);
  onStep?.('index_staged');
  if (keys.retired !== undefined && keys.previous.some((entry) => entry.kid === keys.retired?.kid)) {
    await keepRetiredKey(directory, staging, keys.retired);
  }
  onStep?.('retired_key_kept');
  await writeWhole(join(staging, keyFiles.kid), `${kid}\n`, 0o644);
  onStep?.('kid_staged');
  // One synchronous step: a holder that was frozen for long must not overwrite the work of its successor.
  if (!lock.stillHeld() || publishedKid(directory) !== keys.expectedKid) {
    throw new PublicationLostError('Another process has taken over the keys directory.');
  }
  renameSync(join(staging, keyFiles.kid), join(directory, keyFiles.kid));
  onStep?.('committed');
  await settleKeysDirectory(directory, lock, onStep);
}

/**
 * Repairs a keys directory after a killed process: finishes the moves of a committed change, removes what was never
 * committed, and deletes previous keys that are not listed. For the holder of the lock.
 */
export async function settleKeysDirectory(
  directory: string,
  lock: DirectoryLock,
  onStep?: PublicationDependencies['onStep'],
): Promise<void> {
  const kid = publishedKid(directory);
  if (kid !== undefined) {
    for (const name of stagedFiles) {
      await ignoringMissing(rename(join(stagingDirectory(directory, kid), name), join(directory, name)));
      onStep?.(`${name}_moved`);
    }
  }
  if (!lock.stillHeld()) return;
  await rm(join(directory, keyFiles.staged), { recursive: true, force: true });
  onStep?.('staging_removed');
  if (kid !== undefined) await trimPreviousKeys(directory, kid, lock);
  onStep?.('previous_keys_trimmed');
}

async function trimPreviousKeys(directory: string, kid: string, lock: DirectoryLock): Promise<void> {
  const listed = listedKids(await ignoringMissing(readFile(join(directory, keyFiles.index), 'utf8')), kid);
  if (listed === undefined) return;
  const kept = new Set(listed.flatMap((each) => [`${each}_public.pem`, `${each}_cert.pem`]));
  for (const name of (await ignoringMissing(readdir(join(directory, keyFiles.previous)))) ?? []) {
    if (!/_(?:public|cert)\.pem$/.test(name) || kept.has(name) || !lock.stillHeld()) continue;
    await rm(join(directory, keyFiles.previous, name), { force: true });
  }
}

/** Rewrites `idp-cert.pem`, and leaves everything else unchanged. For the holder of the lock. */
export function replaceCertificate(directory: string, certificatePem: string): Promise<void> {
  return replaceFile(directory, keyFiles.certificate, certificatePem, 0o644);
}

/** Rewrites `next.pem`, or deletes it. For the holder of the lock. */
export async function replaceNextKey(directory: string, next: NextKey | undefined): Promise<void> {
  if (next === undefined) return rm(join(directory, keyFiles.next), { force: true });
  return replaceFile(directory, keyFiles.next, `${privateKeyPem(next.pair)}${next.certificatePem}`, 0o600);
}

async function replaceFile(directory: string, name: string, text: string, mode: number): Promise<void> {
  const staged = join(directory, keyFiles.staged);
  await mkdir(staged, { recursive: true, mode: 0o700 });
  await writeWhole(join(staged, name), text, mode);
  await rename(join(staged, name), join(directory, name));
  await rm(staged, { recursive: true, force: true });
}

async function keepRetiredKey(directory: string, staging: string, retired: RetiredKey): Promise<void> {
  await mkdir(join(directory, keyFiles.previous), { recursive: true });
  await writeWhole(join(staging, 'retired.pem'), publicKeyPem(retired.publicKey), 0o644);
  await rename(join(staging, 'retired.pem'), previousKeyPath(directory, retired.kid));
  if (retired.certificatePem === undefined) return;
  await writeWhole(join(staging, 'retired-cert.pem'), retired.certificatePem, 0o644);
  await rename(join(staging, 'retired-cert.pem'), previousCertificatePath(directory, retired.kid));
}

function indexText(kid: string, previous: readonly PreviousKey[]): string {
  const listed = previous.map((entry) => ({ kid: entry.kid, created_at: entry.created_at }));
  return `${JSON.stringify({ active_kid: kid, previous_keys: listed }, undefined, 2)}\n`;
}

/** Writes and flushes; the mode is set again because the umask removes bits. */
async function writeWhole(path: string, text: string, mode: number): Promise<void> {
  await writeFile(path, text, { mode, flush: true });
  await chmod(path, mode);
}

async function ignoringMissing<Value>(operation: Promise<Value>): Promise<Value | undefined> {
  try {
    return await operation;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
