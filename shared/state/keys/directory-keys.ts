// The keys of `jwt.keys_dir` in one process: loaded when another process rotated, and rotated here. Before each
// operation one stat shows whether anything changed. Only then files are read (KEY-12).
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Monotonic } from '#shared/base/clock.ts';
import type { DirectoryLock } from '#shared/base/locking/directory-lock.ts';
import { nextTurn } from '#shared/base/scheduling/event-loop-turns.ts';
import { oncePerTick } from '#shared/base/scheduling/once-per-tick.ts';
import { keysAfterRotation } from '#shared/model/domain/signing-keys.ts';
import {
  type CompleteKeys,
  type DirectoryKeysDependencies,
  drawKeyPair,
  lockKeys,
  withCertificate,
} from './change-keys-directory.ts';
import type { GeneratedKeys } from './generated-keys.ts';
import type { KeyPair } from './key-pair.ts';
import { type KeyRotation, KeyRotationRefusedError } from './key-ring.ts';
import { generatedKeySet, type KeySet } from './key-set.ts';
import { type Stamp, sameStamp, stampOf } from './keys-directory-stamp.ts';
import { PublicationLostError, publishKeys, replaceNextKey, settleKeysDirectory } from './publish-keys.ts';
import {
  keyFiles,
  type NextKey,
  type PreviousKey,
  type PublishedKeys,
  publishedKid,
  readNextKey,
  readPreviousCertificates,
  readPublishedKeys,
} from './read-published-keys.ts';
import { refusalFor, requireWritable } from './rotation-refusals.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

/** A published key that could not be loaded is tried again after this time (KEY-16). */
const retryMilliseconds = 5_000;

type Successor = Pick<PublishedKeys, 'pair' | 'certificatePem'>;
export class DirectoryKeys implements GeneratedKeys {
  readonly directory: string;
  readonly #deps: DirectoryKeysDependencies;
  #maxPrevious: number;
  #announcesNext = false;
  #keys: CompleteKeys;
  #set: KeySet;
  /** The stamp of `kid.txt` before #keys were read; undefined: read again at the next check. */
  #stamp: Stamp | undefined;
  #failed: { readonly stamp: Stamp; readonly at: Monotonic } | undefined;
  #loading: Promise<void> | undefined;

  constructor(
    directory: string,
    maxPrevious: number,
    keys: CompleteKeys,
    stamp: Stamp | undefined,
    deps: DirectoryKeysDependencies,
  ) {
    this.directory = directory;
    this.#deps = deps;
    this.#maxPrevious = maxPrevious;
    this.#keys = keys;
    this.#set = generatedKeySet(keys, keys.previous, maxPrevious);
    this.#stamp = stamp;
  }

  get place(): string {
    return this.directory;
  }

  readonly #look = oncePerTick(() => stampOf(this.directory));

  /** The active keys; a promise only when `kid.txt` has changed and the keys must be read first. */
  current(): KeySet | Promise<KeySet> {
    const found = this.#look();
    // A missing kid.txt, or one whose stat fails, changes nothing for a running process (KEY-15).
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

  /** Whether rotations leave the certificates that metadata list beside the active one (SPM-31). */
  announceNext(announcesNext: boolean): void {
    this.#announcesNext = announcesNext;
  }

  /** The active certificate, the next one if it exists, and those stored of previous keys (SPM-31). */
  async announcedCertificates(): Promise<readonly string[]> {
    for (;;) {
      const { signing, information } = await this.current();
      const next = readNextKey(this.directory, signing.kid) ?? (await this.#makeNextKey(signing.kid));
      const previous = readPreviousCertificates(this.directory, information.previous_kids);
      // A rotation in between makes the next one active: then everything is read again.
      await nextTurn();
      if ((await this.current()).signing.kid !== signing.kid) continue;
      return [signing.certificatePem, ...(next === undefined ? [] : [next.certificatePem]), ...previous];
    }
  }

  /** undefined: it cannot be stored, so that no rotation would find it. */
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
      this.#deps.log.warn({ err: error, directory: this.directory }, 'the next signing key cannot be prepared');
      return undefined;
    }
  }

  async rotationRefusal(): Promise<KeyRotationRefusedError | undefined> {
    try {
      await requireWritable(this.directory);
      return undefined;
    } catch (error) {
      return refusalFor(error) ?? new KeyRotationRefusedError('keys_directory_not_writable', { cause: error });
    }
  }

  /** @throws KeyRotationRefusedError, DirectoryLockError, and errors of the filesystem; then no key has changed. */
  async rotate(): Promise<KeyRotation> {
    await requireWritable(this.directory);
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

  /** An announced key is used before the generated one, which is then the next to be announced. */
  async #rotateTo(drawn: KeyPair, lock: DirectoryLock): Promise<KeyRotation> {
    const { clock, onStep } = this.#deps;
    await settleKeysDirectory(this.directory, lock);
    const published = readPublishedKeys(this.directory);
    const retired = published ?? this.#keys;
    const announced = readNextKey(this.directory, retired.kid);
    // The next key of a killed rotation must not become the next one of this rotation.
    if (announced === undefined) await replaceNextKey(this.directory, undefined);
    const retiredKey = {
      kid: retired.kid,
      created_at: published === undefined ? new Date(clock.now()).toISOString() : createdAt(this.directory),
      publicKey: retired.pair.publicKey,
      certificatePem: this.#announcesNext ? retired.certificatePem : undefined,
    };
    const now = clock.now();
    const { active, previous, next } = keysAfterRotation<Successor, PreviousKey>(
      { active: retired, previous: retired.previous, next: announced },
      { pair: drawn, certificatePem: undefined },
      { maxPrevious: this.#maxPrevious, announcesNext: this.#announcesNext },
      () => retiredKey,
    );
    const made = { ...active, expectedKid: published?.kid, retired: retiredKey, previous, now };
    await publishKeys(this.directory, made, { lock, onStep });
    if (announced !== undefined) {
      const certificatePem = next && selfSignedCertificate(next.pair, now);
      await replaceNextKey(this.directory, certificatePem === undefined ? undefined : { pair: drawn, certificatePem });
    }
    const stamp = stampOf(this.directory);
    const keys = readPublishedKeys(this.directory);
    if (keys !== undefined) this.#adopt(await withCertificate(this.directory, keys, this.#deps, lock), stamp);
    return {
      old_kid: retired.kid,
      new_kid: active.pair.thumbprint,
      previous_keys_count: previous.length,
      rotated_at: new Date(now).toISOString(),
    };
  }

  async #load(stamp: Stamp): Promise<void> {
    try {
      const published = readPublishedKeys(this.directory);
      if (published === undefined) {
        // It was deleted since the check. Without this note the current check would read it again and again.
        this.#failed = { stamp, at: this.#deps.stopwatch.read() };
        return;
      }
      this.#adopt(await withCertificate(this.directory, published, this.#deps), stamp);
    } catch (error) {
      this.#failed = { stamp, at: this.#deps.stopwatch.read() };
      this.#deps.log.error(
        { err: error },
        'the published signing key cannot be loaded, so the current key stays active',
      );
    }
  }

  #adopt(keys: CompleteKeys, stamp: Stamp | undefined): void {
    this.#failed = undefined;
    this.#stamp = stamp;
    if (keys.kid !== this.#keys.kid)
      this.#deps.log.info({ kid: keys.kid }, 'switched to the newly published signing key');
    this.#keys = keys;
    this.#set = generatedKeySet(keys, keys.previous, this.#maxPrevious);
  }
}

function createdAt(directory: string): string {
  return statSync(join(directory, keyFiles.privateKey)).mtime.toISOString();
}
