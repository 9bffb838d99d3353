// The responses that a worker delays for faults. Their number is limited, so that other requests are not affected
// (FLT-25).

export const heldAnswersMax = 500;

export interface HeldAnswers {
  /** Takes a place, and returns the function that releases it once; undefined while all are taken. */
  acquire(): (() => void) | undefined;
  /** Waits. Resolves early, with false, when the worker has to end. */
  wait(milliseconds: number): Promise<boolean>;
  /** Whether the worker has to end. */
  readonly isEnding: boolean;
  /** Ends all waiting, now and later. */
  end(): void;
}

export function heldAnswers(): HeldAnswers {
  const waiting = new Set<() => void>();
  let taken = 0;
  let ended = false;
  return {
    acquire() {
      if (ended || taken >= heldAnswersMax) return undefined;
      taken += 1;
      let given = false;
      return () => {
        if (!given) taken -= 1;
        given = true;
      };
    },
    wait(milliseconds) {
      if (ended) return Promise.resolve(false);
      return new Promise((resolve) => {
        const finish = (waited: boolean) => {
          clearTimeout(timer);
          waiting.delete(cut);
          resolve(waited);
        };
        const cut = () => finish(false);
        const timer = setTimeout(() => finish(true), milliseconds);
        waiting.add(cut);
      });
    },
    get isEnding() {
      return ended;
    },
    end() {
      ended = true;
      for (const cut of [...waiting]) cut();
    },
  };
}
