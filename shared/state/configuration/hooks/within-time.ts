// A time limit for a hook, or for a caller that waits for hooks.

/** @throws when the promise rejects, its time has expired or the caller no longer waits. */
export async function withinTime(result: unknown, timeoutMilliseconds: number, givenUp?: AbortSignal): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  let giveUp = () => {};
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`ran longer than ${timeoutMilliseconds / 1000} seconds`)),
      timeoutMilliseconds,
    );
    giveUp = () => reject(new Error('was cancelled'));
    givenUp?.addEventListener('abort', giveUp);
  });
  try {
    await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
    givenUp?.removeEventListener('abort', giveUp);
  }
}
