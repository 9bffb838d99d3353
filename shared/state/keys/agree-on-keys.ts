// Stacks on one store sign with the same keys: the generated ones in the store, or each with its copy of one pair
// (CLU-10). Otherwise a stack's published keys would not verify the tokens of another.
import { setTimeout as pause } from 'node:timers/promises';
import type { Stopwatch } from '#shared/base/clock.ts';
import { type SignsWith, signsWithSame } from '#shared/model/domain/signing-keys.ts';
import { ActivationError } from '#shared/state/configuration/active-configuration.ts';
import type { SigningKeys } from '#shared/state/store/ports/signing-keys.ts';

export type RegisterKeys = (keys: SignsWith) => Promise<void>;

/** A process that was killed a moment ago is recognised as dead within this time. */
const patienceMilliseconds = 1_500;
const pauseMilliseconds = 100;

/** For a start. @throws ActivationError while a running process signs with other keys */
export function registerKeysAtStart(signingKeys: Pick<SigningKeys, 'signWith'>, stopwatch: Stopwatch): RegisterKeys {
  return async (keys) => {
    const start = stopwatch.read();
    for (;;) {
      const inForce = await signingKeys.signWith(keys);
      if (signsWithSame(inForce, keys)) return;
      if (stopwatch.since(start) >= patienceMilliseconds) throw disagreement(keys, inForce);
      await pause(pauseMilliseconds);
    }
  };
}

/** For a reload: this process itself signs with the active keys. @throws ActivationError */
export function registerKeysAtReload(inForce: SignsWith): RegisterKeys {
  return async (keys) => {
    if (!signsWithSame(inForce, keys)) throw disagreement(keys, inForce);
  };
}

function disagreement(keys: SignsWith, inForce: SignsWith): ActivationError {
  const remedy = 'Stop all of them before you start one with other keys';
  return new ActivationError(
    `jwt.external_keys: this stack would sign with ${described(keys)}, but the other stacks on this store sign with ${described(inForce)}. ${remedy}.`,
  );
}

function described(keys: SignsWith): string {
  return keys === 'generated' ? 'generated keys' : `an external pair (kid ${keys.kid}, thumbprint ${keys.thumbprint})`;
}
