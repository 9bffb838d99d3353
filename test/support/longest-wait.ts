// Measures how long large work delays other requests: it sends one small request after the other, each on a new connection,
// and returns the longest wait. A blocked event loop shows there, whatever the cause.
import { rawRequest } from './http.ts';

export interface Waits {
  readonly longestMilliseconds: number;
  readonly requests: number;
  /** Responses other than 200, and requests without a response. */
  readonly failures: number;
}

/** Requests `url` repeatedly until `work` has settled. */
export async function waitsDuring<Result>(
  url: string,
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly waits: Waits }> {
  let over = false;
  const watched = (async (): Promise<Waits> => {
    const waits = { longestMilliseconds: 0, requests: 0, failures: 0 };
    while (!over) {
      const start = performance.now();
      const status = await rawRequest(url).then(
        (answer) => answer.status,
        () => 0,
      );
      waits.requests += 1;
      if (status !== 200) waits.failures += 1;
      waits.longestMilliseconds = Math.max(waits.longestMilliseconds, performance.now() - start);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return waits;
  })();
  try {
    const result = await work();
    over = true;
    return { result, waits: await watched };
  } finally {
    over = true;
    await watched;
  }
}
