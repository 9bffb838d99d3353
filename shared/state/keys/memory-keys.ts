// Signing keys in the memory of one process, which end with it: for a configuration without a directory (PKG-16). No
// other process can rotate them, so the active ones are always here.
import type { Clock } from '#shared/base/clock.ts';
import type { GeneratedKeys } from './generated-keys.ts';
import { generateKeyPair, type KeyPair } from './key-pair.ts';
import type { KeyRotation, SigningKey } from './key-ring.ts';
import { type ActiveKey, generatedKeySet, type KeySet } from './key-set.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

interface MemoryKeysDependencies {
  readonly clock: Clock;
  /** The source of new keys; left out: one of the default kind is generated on the thread pool. */
  readonly drawKeyPair?: (() => Promise<KeyPair>) | undefined;
}

/** The first key is generated meanwhile. Callers that need it wait for it. */
export function makeMemoryKeys(maxPrevious: number, deps: MemoryKeysDependencies): GeneratedKeys {
  return new MemoryKeys(maxPrevious, deps);
}

async function drawActiveKey({ clock, drawKeyPair = generateKeyPair }: MemoryKeysDependencies): Promise<ActiveKey> {
  const pair = await drawKeyPair();
  return { kid: pair.thumbprint, pair, certificatePem: selfSignedCertificate(pair, clock.now()) };
}

export const memoryPlace = 'memory';

class MemoryKeys implements GeneratedKeys {
  readonly place = memoryPlace;
  readonly #deps: MemoryKeysDependencies;
  /** undefined until the first key is generated. */
  #active: ActiveKey | undefined;
  /** Newest first. */
  #previous: readonly Pick<SigningKey, 'kid' | 'publicKey' | 'certificatePem'>[] = [];
  /** The next key, already announced (SPM-31). */
  #next: Promise<ActiveKey> | undefined;
  #maxPrevious: number;
  #set: KeySet | Promise<KeySet>;
  /** Simultaneous rotations run one after the other (KEY-13). */
  #last: Promise<unknown> = Promise.resolve();

  constructor(maxPrevious: number, deps: MemoryKeysDependencies) {
    this.#deps = deps;
    this.#maxPrevious = maxPrevious;
    const first = drawActiveKey(deps).then((active) => this.#adopt(active));
    // Callers that need the key get the error.
    first.catch(() => {});
    this.#set = first;
  }

  current(): KeySet | Promise<KeySet> {
    return this.#set;
  }

  keepPrevious(maxPrevious: number): void {
    this.#maxPrevious = maxPrevious;
    if (this.#active !== undefined) this.#adopt(this.#active);
  }

  /** Not needed: the next key is generated on request, announced or not. */
  announceNext(): void {}

  async rotationRefusal(): Promise<undefined> {
    return undefined;
  }

  /** The active certificate, the next one and those of the stored previous keys (SPM-31). */
  async announcedCertificates(): Promise<readonly string[]> {
    for (;;) {
      const { signing } = await this.#set;
      this.#next ??= drawActiveKey(this.#deps);
      const announced = this.#next;
      const next = await announced.catch((error: unknown) => {
        if (this.#next === announced) this.#next = undefined;
        throw error;
      });
      if ((await this.#set).signing.kid !== signing.kid) continue;
      const previous = this.#previous.slice(0, this.#maxPrevious);
      return [signing, next, ...previous].map(({ certificatePem }) => certificatePem);
    }
  }

  #adopt(active: ActiveKey): KeySet {
    this.#active = active;
    const set = generatedKeySet(active, this.#previous, this.#maxPrevious);
    this.#set = set;
    return set;
  }

  rotate(): Promise<KeyRotation> {
    const rotation = this.#last.then(() => this.#rotate());
    this.#last = rotation.catch(() => {});
    return rotation;
  }

  async #rotate(): Promise<KeyRotation> {
    const { signing: retired } = await this.#set;
    const active = await (this.#next ?? drawActiveKey(this.#deps));
    this.#next = undefined;
    const { kid, publicKey, certificatePem } = retired;
    const previous = [{ kid, publicKey, certificatePem }, ...this.#previous];
    this.#previous = previous.slice(0, this.#maxPrevious);
    this.#adopt(active);
    return {
      old_kid: retired.kid,
      new_kid: active.kid,
      previous_keys_count: this.#previous.length,
      rotated_at: new Date(this.#deps.clock.now()).toISOString(),
    };
  }
}
