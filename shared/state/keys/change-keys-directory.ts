// Shared by the start of a process and its rotations in a keys directory: its lock, new keys, and the certificate.
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, instant, type Stopwatch } from '#shared/base/clock.ts';
import { acquireDirectoryLock, type DirectoryLock } from '#shared/base/locking/directory-lock.ts';
import type { Logger } from '#shared/base/logger.ts';
import { generateKeyPair, type KeyPair } from './key-pair.ts';
import { type PublicationStep, replaceCertificate, settleKeysDirectory } from './publish-keys.ts';
import { keyFiles, type PublishedKeys, readPublishedKeys } from './read-published-keys.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

export interface DirectoryKeysDependencies {
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly log: Logger;
  /** The limit of the wait for the directory's lock, in milliseconds; 10 s unless a test sets it. */
  readonly lockDeadlineMilliseconds?: number | undefined;
  /** The source of new keys; left out: one of the default kind is generated on the thread pool. */
  readonly drawKeyPair?: (() => Promise<KeyPair>) | undefined;
  /** For tests that end the process between two steps of a change. */
  readonly onStep?: ((step: PublicationStep) => void) | undefined;
}

export type CompleteKeys = PublishedKeys & { readonly certificatePem: string };

export function lockKeys(directory: string, deps: DirectoryKeysDependencies): Promise<DirectoryLock> {
  const deadline = deps.lockDeadlineMilliseconds;
  return acquireDirectoryLock(directory, {
    stopwatch: deps.stopwatch,
    ...(deadline === undefined ? {} : { deadlineMilliseconds: deadline }),
  });
}

export function drawKeyPair(deps: DirectoryKeysDependencies): Promise<KeyPair> {
  return deps.drawKeyPair === undefined ? generateKeyPair() : deps.drawKeyPair();
}

/**
 * The keys with their certificate. It is made again when it is missing or belongs to another key (KEY-04). If it cannot
 * be written, it is made in memory, identical in every process.
 */
export async function withCertificate(
  directory: string,
  published: PublishedKeys,
  deps: DirectoryKeysDependencies,
  held?: DirectoryLock,
): Promise<CompleteKeys> {
  for (const warning of published.warnings) deps.log.warn({ directory }, warning);
  if (published.certificatePem !== undefined) return { ...published, certificatePem: published.certificatePem };
  try {
    const lock = held ?? (await lockKeys(directory, deps));
    try {
      await settleKeysDirectory(directory, lock);
      const found = readPublishedKeys(directory) ?? published;
      if (found.certificatePem !== undefined) return { ...found, certificatePem: found.certificatePem };
      const certificatePem = selfSignedCertificate(found.pair, deps.clock.now());
      await replaceCertificate(directory, certificatePem);
      return { ...found, certificatePem };
    } finally {
      if (held === undefined) await lock.release();
    }
  } catch (error) {
    deps.log.warn({ err: error, directory }, 'the certificate of the signing key could not be written');
    const made = instant(statSync(join(directory, keyFiles.privateKey)).mtimeMs);
    return { ...published, certificatePem: selfSignedCertificate(published.pair, made) };
  }
}
