// The key ring of one process: generated keys, in any of their places, or the operator's own pair, as the active
// configuration defines. A reload that changes this replaces it as a whole (ACT-16). It rejects impossible rotations
// with fixed sentences.

import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { SignsWith } from '#shared/model/domain/signing-keys.ts';
import type { TokenMark } from '#shared/model/domain/token-mark.ts';
import type { ActivationParticipant } from '#shared/state/configuration/active-configuration.ts';
import type { SharedSecrets } from '#shared/state/store/ports/coordination.ts';
import type { SigningKeys } from '#shared/state/store/ports/signing-keys.ts';
import { type RegisterKeys, registerKeysAtReload, registerKeysAtStart } from './agree-on-keys.ts';
import type { DirectoryKeysDependencies } from './change-keys-directory.ts';
import { type ExternalKeys, openExternalKeys } from './external-keys.ts';
import type { GeneratedKeys } from './generated-keys.ts';
import { type DrawKeyPair, generateKeyPair } from './key-pair.ts';
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
import { makeMemoryKeys, memoryPlace } from './memory-keys.ts';
import { openDirectoryKeys } from './open-directory-keys.ts';
import { refusalFor } from './rotation-refusals.ts';
import { openStoreKeys, storePlace } from './store-keys.ts';

export interface KeyRingDependencies extends Omit<DirectoryKeysDependencies, 'drawKeyPair'> {
  /** The source of new keys: generated on the thread pool, except in tests that provide existing keys. */
  readonly drawKeyPair?: DrawKeyPair | undefined;
  /** Keys stay in memory, even if the configuration names a directory. */
  readonly keysInMemory?: boolean | undefined;
  /** Where generated keys are stored for all machines (CLU-06), whatever directory the configuration names. */
  readonly signingKeys?: SigningKeys | undefined;
  readonly tokenMark?: TokenMark | undefined;
  /** The shared secrets of the same store. */
  readonly secrets?: SharedSecrets | undefined;
}

type Source =
  | { readonly kind: 'generated'; readonly keys: GeneratedKeys }
  | { readonly kind: 'external'; readonly keys: ExternalKeys };

/**
 * Opens the keys the snapshot names; the first key is made when the keys directory publishes none.
 * @throws ActivationError when they cannot be used.
 */
export async function openKeyRing(
  snapshot: ConfigurationSnapshot,
  deps: KeyRingDependencies,
): Promise<KeyRing & ActivationParticipant> {
  const { signingKeys, stopwatch } = deps;
  const agree = isInStore(deps) && signingKeys ? registerKeysAtStart(signingKeys, stopwatch) : agreed;
  const source = await openSource(snapshot, undefined, deps, agree);
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

  get tokenMark(): TokenMark {
    return this.#deps.tokenMark ?? '';
  }

  get keptInStore(): boolean {
    return isInStore(this.#deps);
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
    return await source.keys.rotationRefusal();
  }

  async rotate(): Promise<KeyRotation> {
    const source = this.#source;
    if (source.kind === 'external') throw new KeyRotationRefusedError('external_keys_not_rotatable');
    const { place } = source.keys;
    try {
      const rotation = await source.keys.rotate();
      this.#deps.log.info(
        { old_kid: rotation.old_kid, new_kid: rotation.new_kid, keys: place },
        'rotated the signing key',
      );
      return rotation;
    } catch (error) {
      const refusal = refusalFor(error);
      if (refusal === undefined) throw error;
      this.#deps.log.warn(
        { err: error, kind: refusal.kind, keys: place },
        'the rotation of the signing key was rejected',
      );
      throw refusal;
    }
  }

  async prepare(candidate: ConfigurationSnapshot): Promise<() => void> {
    const agree = this.keptInStore ? registerKeysAtReload(signsWith(this.#source)) : agreed;
    const source = await openSource(candidate, this.#source, this.#deps, agree);
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
  if (kind === 'external') return;
  keys.keepPrevious(jwt.max_previous_keys);
  keys.announceNext(saml.metadata_next_key);
}

const agreed: RegisterKeys = async () => undefined;

function signsWith(source: Source): SignsWith {
  if (source.kind === 'generated') return 'generated';
  const { pair, set } = source.keys;
  return { kid: set.signing.kid, thumbprint: pair.thumbprint };
}

async function openSource(
  snapshot: ConfigurationSnapshot,
  present: Source | undefined,
  deps: KeyRingDependencies,
  agree: RegisterKeys,
): Promise<Source> {
  if (snapshot.settings.jwt.external_keys !== undefined) {
    const inForce = present?.kind === 'external' ? present.keys : undefined;
    return { kind: 'external', keys: await openExternalKeys(snapshot, inForce, deps, agree) };
  }
  await agree('generated');
  const inForce = present?.kind === 'generated' ? present.keys : undefined;
  return { kind: 'generated', keys: await openGeneratedKeys(snapshot, inForce, deps) };
}

async function openGeneratedKeys(
  { settings: { jwt }, paths }: ConfigurationSnapshot,
  present: GeneratedKeys | undefined,
  deps: KeyRingDependencies,
): Promise<GeneratedKeys> {
  const { keysInMemory, signingKeys, drawKeyPair = generateKeyPair } = deps;
  const directory = keysInMemory === true ? undefined : paths.keysDirectory;
  const place = isInStore(deps) ? storePlace : (directory ?? memoryPlace);
  if (present?.place === place) return present;
  const { max_previous_keys: maxPrevious, algorithm } = jwt;
  const drawing = { ...deps, drawKeyPair: () => drawKeyPair(algorithm) };
  if (signingKeys !== undefined && place === storePlace) {
    return await openStoreKeys(maxPrevious, { ...drawing, signingKeys });
  }
  return directory === undefined
    ? makeMemoryKeys(maxPrevious, drawing)
    : openDirectoryKeys(directory, maxPrevious, drawing);
}

function isInStore({ keysInMemory, signingKeys }: KeyRingDependencies): boolean {
  return signingKeys !== undefined && keysInMemory !== true;
}
