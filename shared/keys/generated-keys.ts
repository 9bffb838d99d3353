// The keys of `jwt.keys_dir` in one process: made when there are none, picked up when another process rotated, rotated.
// Before each operation one stat of `kid.txt` tells whether anything changed; only then is anything read (KEY-12).
import { chmodSync, existsSync, type Stats, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, instant, type Monotonic, type Stopwatch } from '#shared/clock.ts';
import { ActivationError } from '#shared/configuration/active-configuration.ts';
import { acquireDirectoryLock, type DirectoryLock } from '#shared/locking/directory-lock.ts';
import type { Logger } from '#shared/logger.ts';
import { nextTurn } from '#shared/next-turn.ts';
import { onceATurn } from '#shared/once-a-turn.ts';
import { type KeyRotation, KeyRotationRefusedError } from './key-ring.ts';
import { generatedKeySet, type KeySet } from './key-set.ts';
import {
  PublicationLostError,
  type PublicationStep,
  publishKeys,
  replaceCertificate,
  replaceNextKey,
  settleKeysDirectory,
} from './publish-keys.ts';
import {
  keyFiles,
  type NextKey,
  type PublishedKeys,
  publishedKid,
  readNextKey,
  readPreviousCertificates,
  readPublishedKeys,
  UnusableKeysDirectoryError,
} from './published-keys.ts';
import { generateRsaKeyPair, type KeyPair } from './rsa-key-pair.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

export interface GeneratedKeysDependencies {
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly log: Logger;
  /** How long to wait for the lock of the directory, in milliseconds; 10 s unless a test says otherwise. */
  readonly lockDeadlineMilliseconds?: number | undefined;
  /** Where a new RSA key comes from; drawn on the thread pool unless a test hands out keys that it drew before. */
  readonly drawKeyPair?: (() => Promise<KeyPair>) | undefined;
  /** For tests that end the process between two steps of a change. */
  readonly onStep?: ((step: PublicationStep) => void) | undefined;
}

/** A published key that could not be loaded is tried again after this time (KEY-16). */
const retryMilliseconds = 5_000;

type CompleteKeys = PublishedKeys & { readonly certificatePem: string };

/**
 * Opens the directory, creates it when missing, makes the first key when none is published (KEY-01, KEY-05, KEY-15).
 * @throws ActivationError when there is no usable key and none can be made; then nothing that lay there was touched.
 */
export async function openGeneratedKeys(
  directory: string,
  maxPrevious: number,
  deps: GeneratedKeysDependencies,
): Promise<GeneratedKeys> {
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
  } catch (cause) {
    const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    const what = isThere ? 'is not a directory' : 'does not exist and cannot be created';
    throw new ActivationError(`jwt.keys_dir: ${directory} ${what}: make it, or name another directory.`, { cause });
  }
  try {
    if (existsSync(join(directory, keyFiles.staged))) await settleIfPossible(directory, deps);
    const stamp = stampOf(directory);
    const published = readPublishedKeys(directory) ?? (await makeFirstKey(directory, deps));
    protectPrivateKey(directory, deps.log);
    return new GeneratedKeys(directory, maxPrevious, await withCertificate(directory, published, deps), stamp, deps);
  } catch (cause) {
    if (cause instanceof UnusableKeysDirectoryError) {
      throw new ActivationError(`jwt.keys_dir: ${cause.message}`, { cause });
    }
    if (cause instanceof ActivationError) throw cause;
    const remedy = 'let this user write there, or name another directory';
    throw new ActivationError(`jwt.keys_dir: ${directory} has no signing key and none can be made: ${remedy}.`, {
      cause,
    });
  }
}

export class GeneratedKeys {
  readonly directory: string;
  readonly #deps: GeneratedKeysDependencies;
  #maxPrevious: number;
  #announcesNext = false;
  #keys: CompleteKeys;
  #set: KeySet;
  /** Of the `kid.txt` that #keys were read after; undefined: read again at the next look. */
  #stamp: Stamp | undefined;
  #failed: { readonly stamp: Stamp; readonly at: Monotonic } | undefined;
  #loading: Promise<void> | undefined;

  constructor(
    directory: string,
    maxPrevious: number,
    keys: CompleteKeys,
    stamp: Stamp | undefined,
    deps: GeneratedKeysDependencies,
  ) {
    this.directory = directory;
    this.#deps = deps;
    this.#maxPrevious = maxPrevious;
    this.#keys = keys;
    this.#set = generatedKeySet(keys, keys.previous, maxPrevious);
    this.#stamp = stamp;
  }

  readonly #look = onceATurn(() => stampOf(this.directory));

  /** The keys in force now; a promise only when `kid.txt` has changed and the keys must be read first. */
  current(): KeySet | Promise<KeySet> {
    const found = this.#look();
    // A vanished kid.txt, or one that cannot be looked at, changes nothing for a running process (KEY-15).
    if (found === undefined || sameStamp(found, this.#stamp)) return this.#set;
    if (this.#failed !== undefined && sameStamp(found, this.#failed.stamp)) {
      if (this.#deps.stopwatch.since(this.#failed.at) < retryMilliseconds) return this.#set;
    }
    this.#loading ??= this.#load(found).finally(() => {
      this.#loading = undefined;
    });
    return this.#loading.then(() => this.current());
  }

  keepPrevious(maxPrevious: number): void {
    if (maxPrevious === this.#maxPrevious) return;
    this.#maxPrevious = maxPrevious;
    this.#set = generatedKeySet(this.#keys, this.#keys.previous, maxPrevious);
  }

  /** Whether rotations leave behind what metadata list beside the active certificate (SPM-31). */
  announceNext(announcesNext: boolean): void {
    this.#announcesNext = announcesNext;
  }

  /** The active certificate, the next one where there is one, and those kept of previous keys (SPM-31). */
  async announcedCertificates(): Promise<readonly string[]> {
    for (;;) {
      const { signing, information } = await this.current();
      const next = readNextKey(this.directory, signing.kid) ?? (await this.#makeNextKey(signing.kid));
      const previous = readPreviousCertificates(this.directory, information.previous_kids);
      // A rotation in between makes the next one active: then all of it is looked at again.
      await nextTurn();
      if ((await this.current()).signing.kid !== signing.kid) continue;
      return [signing.certificatePem, ...(next === undefined ? [] : [next.certificatePem]), ...previous];
    }
  }

  /** undefined: it cannot be kept, so that no rotation would find it. */
  async #makeNextKey(activeKid: string): Promise<NextKey | undefined> {
    try {
      const pair = await drawKeyPair(this.#deps);
      const lock = await lockKeys(this.directory, this.#deps);
      try {
        await settleKeysDirectory(this.directory, lock);
        const present = readNextKey(this.directory, publishedKid(this.directory) ?? activeKid);
        if (present !== undefined) return present;
        const next = { pair, certificatePem: selfSignedCertificate(pair, this.#deps.clock.now()) };
        await replaceNextKey(this.directory, next);
        return next;
      } finally {
        await lock.release();
      }
    } catch (error) {
      this.#deps.log.warn({ err: error, directory: this.directory }, 'the next signing key cannot be made ready');
      return undefined;
    }
  }

  /** @throws KeyRotationRefusedError, DirectoryLockError, and what the filesystem answers; then no key has changed. */
  async rotate(): Promise<KeyRotation> {
    const pair = await drawKeyPair(this.#deps);
    const lock = await lockKeys(this.directory, this.#deps);
    try {
      return await this.#rotateTo(pair, lock);
    } catch (error) {
      if (error instanceof PublicationLostError) throw new KeyRotationRefusedError('lock_timeout', { cause: error });
      throw error;
    } finally {
      await lock.release();
    }
  }

  /** A key that was announced is taken before the drawn one, which is then the next to be announced. */
  async #rotateTo(drawn: KeyPair, lock: DirectoryLock): Promise<KeyRotation> {
    const { clock, onStep } = this.#deps;
    await settleKeysDirectory(this.directory, lock);
    const published = readPublishedKeys(this.directory);
    const retired = published ?? this.#keys;
    const announced = readNextKey(this.directory, retired.kid);
    // Of a rotation that was killed: it must not come back as the next one.
    if (announced === undefined) await replaceNextKey(this.directory, undefined);
    const { pair, certificatePem } = announced ?? { pair: drawn, certificatePem: undefined };
    const retiredKey = {
      kid: retired.kid,
      created_at: published === undefined ? new Date(clock.now()).toISOString() : createdAt(this.directory),
      publicKey: retired.pair.publicKey,
      certificatePem: this.#announcesNext ? retired.certificatePem : undefined,
    };
    const previous = [retiredKey, ...retired.previous].slice(0, this.#maxPrevious);
    const now = clock.now();
    const expectedKid = published?.kid;
    const made = { pair, certificatePem, expectedKid, retired: retiredKey, previous, now };
    await publishKeys(this.directory, made, { lock, onStep });
    if (announced !== undefined) {
      const next = { pair: drawn, certificatePem: selfSignedCertificate(drawn, now) };
      await replaceNextKey(this.directory, this.#announcesNext ? next : undefined);
    }
    const stamp = stampOf(this.directory);
    const keys = readPublishedKeys(this.directory);
    if (keys !== undefined) this.#adopt(await withCertificate(this.directory, keys, this.#deps, lock), stamp);
    return {
      old_kid: retired.kid,
      new_kid: pair.thumbprint,
      previous_keys_count: previous.length,
      rotated_at: new Date(now).toISOString(),
    };
  }

  async #load(stamp: Stamp): Promise<void> {
    try {
      const published = readPublishedKeys(this.directory);
      if (published === undefined) {
        // Gone since the look at it: without this the look of this turn would have it read again, and again.
        this.#failed = { stamp, at: this.#deps.stopwatch.read() };
        return;
      }
      this.#adopt(await withCertificate(this.directory, published, this.#deps), stamp);
    } catch (error) {
      this.#failed = { stamp, at: this.#deps.stopwatch.read() };
      this.#deps.log.error({ err: error }, 'the published signing key cannot be loaded; the present one stays in use');
    }
  }

  #adopt(keys: CompleteKeys, stamp: Stamp | undefined): void {
    this.#failed = undefined;
    this.#stamp = stamp;
    if (keys.kid !== this.#keys.kid) this.#deps.log.info({ kid: keys.kid }, 'signing with the newly published key');
    this.#keys = keys;
    this.#set = generatedKeySet(keys, keys.previous, this.#maxPrevious);
  }
}

interface Stamp {
  readonly inode: number;
  readonly modified: number;
  readonly changed: number;
}

function stampOf(directory: string): Stamp | undefined {
  let stats: Stats | undefined;
  try {
    stats = statSync(join(directory, keyFiles.kid), { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
  return stats === undefined ? undefined : { inode: stats.ino, modified: stats.mtimeMs, changed: stats.ctimeMs };
}

function sameStamp(one: Stamp, other: Stamp | undefined): boolean {
  return (
    other !== undefined && one.inode === other.inode && one.modified === other.modified && one.changed === other.changed
  );
}

function lockKeys(directory: string, deps: GeneratedKeysDependencies): Promise<DirectoryLock> {
  const deadline = deps.lockDeadlineMilliseconds;
  return acquireDirectoryLock(directory, {
    stopwatch: deps.stopwatch,
    ...(deadline === undefined ? {} : { deadlineMilliseconds: deadline }),
  });
}

function drawKeyPair(deps: GeneratedKeysDependencies): Promise<KeyPair> {
  return deps.drawKeyPair === undefined ? generateRsaKeyPair() : deps.drawKeyPair();
}

/** However many processes come at once, the first to hold the lock makes the key and the others find it. */
async function makeFirstKey(directory: string, deps: GeneratedKeysDependencies): Promise<PublishedKeys> {
  const lock = await lockKeys(directory, deps);
  try {
    await settleKeysDirectory(directory, lock);
    const found = readPublishedKeys(directory);
    if (found !== undefined) return found;
    const pair = await drawKeyPair(deps);
    const keys = { pair, expectedKid: undefined, retired: undefined, previous: [], now: deps.clock.now() };
    await publishKeys(directory, keys, { lock, onStep: deps.onStep });
    deps.log.info({ kid: pair.thumbprint, directory }, 'made the first signing key');
  } finally {
    await lock.release();
  }
  const made = readPublishedKeys(directory);
  if (made === undefined)
    throw new UnusableKeysDirectoryError(`${directory} was emptied while its first key was made.`);
  return made;
}

/** What a killed process left is put in order at the start; when that is not possible, reading copes with it. */
async function settleIfPossible(directory: string, deps: GeneratedKeysDependencies): Promise<void> {
  try {
    const lock = await lockKeys(directory, deps);
    try {
      await settleKeysDirectory(directory, lock);
    } finally {
      await lock.release();
    }
  } catch (error) {
    deps.log.warn({ err: error, directory }, 'an unfinished change of the keys directory could not be cleaned up');
  }
}

/**
 * The keys with their certificate, which is made anew when missing or of another key (KEY-04). Where it cannot be
 * written it is made in memory, the same in every process.
 */
async function withCertificate(
  directory: string,
  published: PublishedKeys,
  deps: GeneratedKeysDependencies,
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

function createdAt(directory: string): string {
  return statSync(join(directory, keyFiles.privateKey)).mtime.toISOString();
}

/** A private key that others may read is tightened, with a warning (KEY-02). */
function protectPrivateKey(directory: string, log: Logger): void {
  const path = join(directory, keyFiles.privateKey);
  const mode = (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o777;
  if (process.platform === 'win32' || (mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
    log.warn({ path, mode: mode.toString(8) }, 'the private signing key was readable by others; its mode is now 600');
  } catch (error) {
    log.warn({ err: error, path, mode: mode.toString(8) }, 'the private signing key is readable by others');
  }
}
