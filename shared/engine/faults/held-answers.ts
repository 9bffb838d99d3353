// The answers that a worker holds back for faults: few enough to stay a burden for nobody else (FLT-25).

export const heldAnswersMax = 500;

export interface HeldAnswers {
  /** A place, to be given back once; undefined while all are taken. */
  take(): (() => void) | undefined;
  /** Waits; resolves early, with false, when the worker is to end. */
  wait(milliseconds: number): Promise<boolean>;
  /** Whether the worker is to end. */
  readonly isEnding: boolean;
  /** From now on nothing is held any longer. */
  end(): void;
}

export function heldAnswers(): HeldAnswers {
  const waiting = new Set<() => void>();
  let taken = 0;
  let ended = false;
  return {
    take() {
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
