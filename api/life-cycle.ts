// A reset replaces the open services and stores of an instance, and a stop closes them. Two of these at once could
// close each other's services. So resets run one after the other, and a stop aborts the running reset.

import { systemRandomness } from '#shared/base/random.ts';
import { instanceIdBytes, type TokenMark, tokenMarkOf } from '#shared/model/domain/token-mark.ts';
import { stopped } from './requests.ts';

interface LifeCycleParts {
  /** Replaces what runs, unless the signal is aborted. */
  reset(givenUp: AbortSignal): Promise<void>;
  /** Stops what runs. Which services run is certain only after `resets` has resolved. Called once. */
  stop(resets: Promise<void>): Promise<void>;
}

export interface LifeCycle {
  /** @throws IdpError stopped */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** A reset keeps the keys, so only this mark distinguishes tokens issued before and after it (API-26). */
export function anotherLife(): TokenMark {
  return tokenMarkOf(systemRandomness.token(instanceIdBytes));
}

export function lifeCycle(parts: LifeCycleParts): LifeCycle {
  const ending = new AbortController();
  const { signal: givenUp } = ending;
  let resets: Promise<void> = Promise.resolve();
  let stopping: Promise<void> | undefined;
  return {
    reset() {
      const turn = resets.then(async () => {
        if (givenUp.aborted) throw stopped();
        try {
          await parts.reset(givenUp);
        } catch (error) {
          throw givenUp.aborted ? stopped() : error;
        }
      });
      resets = turn.catch(() => {});
      return turn;
    },
    stop() {
      ending.abort();
      stopping ??= parts.stop(resets);
      return stopping;
    },
  };
}
