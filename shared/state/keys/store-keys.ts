// Generated keys in the store, one set for all machines (CLU-06 to CLU-08). The query that every request makes to the
// store includes which are active, so that this module queries it only when keys change.
import type { Clock } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { KeptKey, KeptKeys } from '#shared/model/domain/signing-keys.ts';
import type { SigningKeys } from '#shared/state/store/ports/signing-keys.ts';
import type { GeneratedKeys } from './generated-keys.ts';
import { keptKey, keySetOfKept } from './kept-key.ts';
import { generateKeyPair, type KeyPair } from './key-pair.ts';
import type { KeyRotation } from './key-ring.ts';
import type { KeySet } from './key-set.ts';

interface StoreKeysDependencies {
  readonly signingKeys: Omit<SigningKeys, 'signWith'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** The source of new keys; left out: one of the default kind is generated on the thread pool. */
  readonly drawKeyPair?: (() => Promise<KeyPair>) | undefined;
}

/**
 * The keys of the store. The first one is made when it has none. If several processes make one, one counts (CLU-07).
 */
export async function openStoreKeys(maxPrevious: number, deps: StoreKeysDependencies): Promise<GeneratedKeys> {
  const { signingKeys, log } = deps;
  let kept = signingKeys.current();
  if (kept === undefined) {
    const drawn = await drawKey(deps);
    kept = await signingKeys.begin(drawn);
    if (kept.active.kid === drawn.kid)
      log.info({ kid: drawn.kid, keys: storePlace }, 'generated the first signing key');
  }
  return new StoreKeys(kept, maxPrevious, deps);
}

export const storePlace = 'store';

class StoreKeys implements GeneratedKeys {
  readonly place = storePlace;
  readonly #deps: StoreKeysDependencies;
  #maxPrevious: number;
  #announcesNext = false;
  /** The stored keys of #set. */
  #kept: KeptKeys;
  #set: KeySet;

  constructor(kept: KeptKeys, maxPrevious: number, deps: StoreKeysDependencies) {
    this.#deps = deps;
    this.#maxPrevious = maxPrevious;
    this.#kept = kept;
    this.#set = keySetOf(kept, maxPrevious);
  }

  current(): KeySet {
    const kept = this.#deps.signingKeys.current();
    if (kept !== undefined && kept !== this.#kept) this.#adopt(kept);
    return this.#set;
  }

  keepPrevious(maxPrevious: number): void {
    if (maxPrevious === this.#maxPrevious) return;
    this.#maxPrevious = maxPrevious;
    this.#set = keySetOf(this.#kept, maxPrevious);
  }

  announceNext(announcesNext: boolean): void {
    this.#announcesNext = announcesNext;
  }

  async announcedCertificates(): Promise<readonly string[]> {
    const { signingKeys } = this.#deps;
    let kept = signingKeys.current() ?? this.#kept;
    // Once is enough unless another process rotates meanwhile.
    while (kept.next === undefined) kept = await signingKeys.announce(kept.active.kid, await drawKey(this.#deps));
    const previous = kept.previous.slice(0, this.#maxPrevious);
    return [kept.active, kept.next, ...previous]
      .map(({ certificatePem }) => certificatePem)
      .filter((pem) => pem !== undefined);
  }

  async rotationRefusal(): Promise<undefined> {
    return undefined;
  }

  async rotate(): Promise<KeyRotation> {
    const rule = { maxPrevious: this.#maxPrevious, announcesNext: this.#announcesNext };
    const { from, to } = await this.#deps.signingKeys.rotate(await drawKey(this.#deps), rule);
    return {
      old_kid: from.active.kid,
      new_kid: to.active.kid,
      previous_keys_count: to.previous.length,
      rotated_at: new Date(this.#deps.clock.now()).toISOString(),
    };
  }

  #adopt(kept: KeptKeys): void {
    this.#set = keySetOf(kept, this.#maxPrevious);
    const { kid } = kept.active;
    if (kid !== this.#kept.active.kid) this.#deps.log.info({ kid }, 'switched to the newly published signing key');
    this.#kept = kept;
  }
}

async function drawKey({ clock, drawKeyPair = generateKeyPair }: StoreKeysDependencies): Promise<KeptKey> {
  return keptKey(await drawKeyPair(), clock);
}

function keySetOf({ active, previous }: KeptKeys, maxPrevious: number): KeySet {
  return keySetOfKept(active, previous, maxPrevious);
}
