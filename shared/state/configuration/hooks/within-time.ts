// A bound on what a hook, or whoever waits for hooks, may take.

/** @throws when the promise rejects, its time is over or nobody waits any more. */
export async function withinTime(result: unknown, timeoutMilliseconds: number, givenUp?: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let giveUp = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`ran longer than ${timeoutMilliseconds / 1000} seconds`)),
      timeoutMilliseconds,
    );
    giveUp = () => reject(new Error('was given up'));
    givenUp?.addEventListener('abort', giveUp);
  });
  try {
    await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
    givenUp?.removeEventListener('abort', giveUp);
  }
}
