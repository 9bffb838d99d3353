// Resets and the end of an instance exchange what is open: two at once would each take for the present one what the other
// puts away, and leave open what nobody knows of any more. So resets happen one after the other, and an end gives up the
// one that is under way.
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
