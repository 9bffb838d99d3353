// The key ring of one process: generated keys, the operator's own pair or keys in memory, as the configuration in force says, exchanged
// as a whole when a reload says otherwise (ACT-16). Refuses to rotate what cannot be rotated, in fixed sentences.

import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import type { ActivationParticipant } from '#shared/configuration/active-configuration.ts';
import type { ConfigurationSnapshot } from '#shared/configuration/configuration-snapshot.ts';
import { type ExternalKeys, openExternalKeys } from './external-keys.ts';
import { type GeneratedKeys, type GeneratedKeysDependencies, openGeneratedKeys } from './generated-keys.ts';
import {
  type KeyInformation,
  type KeyRing,
  type KeyRotation,
  KeyRotationRefusedError,
  type PublicJwk,
  type SigningKey,
  type VerificationKey,
} from './key-ring.ts';
import type { KeySet } from './key-set.ts';
import { type MemoryKeys, makeMemoryKeys } from './memory-keys.ts';
import { refusalFor } from './rotation-refusals.ts';

export interface KeyRingDependencies extends GeneratedKeysDependencies {
  /** Keys stay in memory, whatever the configuration says of a directory. */
  readonly keysInMemory?: boolean | undefined;
}

type Source =
  | { readonly kind: 'generated'; readonly keys: GeneratedKeys }
  | { readonly kind: 'external'; readonly keys: ExternalKeys }
  | { readonly kind: 'memory'; readonly keys: MemoryKeys };

/**
 * Opens the keys the snapshot names; the first key is made when the keys directory publishes none.
 * @throws ActivationError when they cannot be used.
 */
export async function openKeyRing(
  snapshot: ConfigurationSnapshot,
  deps: KeyRingDependencies,
): Promise<KeyRing & ActivationParticipant> {
  const source = await openSource(snapshot, undefined, deps);
  goBy(snapshot, source);
  return new ProcessKeyRing(source, deps);
}

class ProcessKeyRing implements KeyRing, ActivationParticipant {
  readonly #deps: KeyRingDependencies;
  #source: Source;

  constructor(source: Source, deps: KeyRingDependencies) {
    this.#source = source;
    this.#deps = deps;
  }

  async signingKey(): Promise<SigningKey> {
    return (await this.#current()).signing;
  }

  async verificationKey(kid: string | undefined): Promise<VerificationKey | undefined> {
    return (await this.#current()).verificationKey(kid);
  }

  async publicKeys(): Promise<readonly PublicJwk[]> {
    return (await this.#current()).jwks;
  }

  async information(): Promise<KeyInformation> {
    return (await this.#current()).information;
  }

  async announcedCertificates(): Promise<readonly string[]> {
    const source = this.#source;
    return source.kind === 'external' ? [source.keys.set.signing.certificatePem] : source.keys.announcedCertificates();
  }

  async rotationRefusal(): Promise<KeyRotationRefusedError | undefined> {
    const source = this.#source;
    if (source.kind === 'external') return new KeyRotationRefusedError('external_keys_not_rotatable');
    if (source.kind === 'memory') return undefined;
    try {
      await requireWritable(source.keys.directory);
      return undefined;
    } catch (error) {
      return refusalFor(error) ?? new KeyRotationRefusedError('keys_directory_not_writable', { cause: error });
    }
  }

  async rotate(): Promise<KeyRotation> {
    const source = this.#source;
    if (source.kind === 'external') throw new KeyRotationRefusedError('external_keys_not_rotatable');
    if (source.kind === 'memory') return await source.keys.rotate();
    const { directory } = source.keys;
    try {
      await requireWritable(directory);
      const rotation = await source.keys.rotate();
      this.#deps.log.info(
        { old_kid: rotation.old_kid, new_kid: rotation.new_kid, directory },
        'rotated the signing key',
      );
      return rotation;
    } catch (error) {
      const refusal = refusalFor(error);
      if (refusal === undefined) throw error;
      this.#deps.log.warn({ err: error, kind: refusal.kind, directory }, 'the rotation of the signing key was refused');
      throw refusal;
    }
  }

  async prepare(candidate: ConfigurationSnapshot): Promise<() => void> {
    const source = await openSource(candidate, this.#source, this.#deps);
    return () => {
      this.#source = source;
      goBy(candidate, source);
    };
  }

  #current(): KeySet | Promise<KeySet> {
    return this.#source.kind === 'external' ? this.#source.keys.set : this.#source.keys.current();
  }
}

function goBy({ settings: { jwt, saml } }: ConfigurationSnapshot, { kind, keys }: Source): void {
  if (kind !== 'external') keys.keepPrevious(jwt.max_previous_keys);
  if (kind === 'generated') keys.announceNext(saml.metadata_next_key);
}

async function openSource(
  snapshot: ConfigurationSnapshot,
  present: Source | undefined,
  deps: KeyRingDependencies,
): Promise<Source> {
  if (snapshot.settings.jwt.external_keys !== undefined) {
    const inForce = present?.kind === 'external' ? present.keys : undefined;
    return { kind: 'external', keys: await openExternalKeys(snapshot, inForce, deps) };
  }
  const directory = deps.keysInMemory === true ? undefined : snapshot.paths.keysDirectory;
  if (directory === undefined) {
    if (present?.kind === 'memory') return present;
    return { kind: 'memory', keys: makeMemoryKeys(snapshot.settings.jwt.max_previous_keys, deps) };
  }
  if (present?.kind === 'generated' && present.keys.directory === directory) return present;
  const keys = await openGeneratedKeys(directory, snapshot.settings.jwt.max_previous_keys, deps);
  return { kind: 'generated', keys };
}

/** Refused before a new key is drawn for nothing; a directory that is missing is the lock's to judge. */
async function requireWritable(directory: string): Promise<void> {
  try {
    await access(directory, constants.W_OK);
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code !== 'ENOENT' && code !== 'ENOTDIR')
      throw new KeyRotationRefusedError('keys_directory_not_writable', { cause });
  }
}
