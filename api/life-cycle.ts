// A reset of an instance replaces its open services and stores, and its end closes them. Two of these at once would each
// close what the other one opened. So resets run one after the other, and an end aborts the running reset.

import { systemRandomness } from '#shared/base/random.ts';
import { instanceIdBytes, type TokenMark, tokenMarkOf } from '#shared/model/domain/token-mark.ts';
import { stopped } from './requests.ts';

interface LifeCycleParts {
  /** Puts something new in the place of what runs, as long as nobody gives it up. */
  reset(givenUp: AbortSignal): Promise<void>;
  /** Ends what runs; what that is, is settled once `resets` has resolved. Called once. */
  stop(resets: Promise<void>): Promise<void>;
}

export interface LifeCycle {
  /** @throws IdpError stopped */
  reset(): Promise<void>;
  stop(): Promise<void>;
}

/** The keys stay, so that a mark alone tells the tokens after a reset from those before it (API-26). */
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
