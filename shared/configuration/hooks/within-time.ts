// A bound on what a hook, or whoever waits for hooks, may take.

/** @throws when the promise rejects or its time is over. */
export async function withinTime(result: unknown, timeoutMilliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(
      () => reject(new Error(`ran longer than ${timeoutMilliseconds / 1000} seconds`)),
      timeoutMilliseconds,
    );
  });
  try {
    await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}
