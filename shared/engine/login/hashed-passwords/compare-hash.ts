// bcrypt needs a tenth of a second of CPU for each password, and seconds with a high cost. A thread compares one
// password after the other, so that the event loop stays free. The thread ends when no comparison waits.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** The input of the thread. */
export interface HashComparison {
  readonly password: string;
  readonly hash: string;
}

/** Comparisons that run one at a time, in the order of their requests. */
class ComparisonQueue {
  #previous: Promise<unknown> = Promise.resolve();
  #unfinished = 0;
  #thread: Worker | undefined;

  async compare(comparison: HashComparison, disconnected: AbortSignal): Promise<boolean> {
    const result = this.#previous.then(() => this.#compareNow(comparison, disconnected));
    this.#previous = result.catch(() => {});
    this.#unfinished += 1;
    try {
      return await result;
    } finally {
      this.#unfinished -= 1;
      if (this.#unfinished === 0) this.#endThread();
    }
  }

  async #compareNow(comparison: HashComparison, gone: AbortSignal): Promise<boolean> {
    gone.throwIfAborted();
    const matches = await this.#compareOnThread(comparison, gone);
    if (matches !== undefined) return matches;
    const { compare } = await import('bcryptjs');
    return compare(comparison.password, comparison.hash);
  }

  /** undefined: no thread can run here (no memory, a program that was bundled into one file). */
  async #compareOnThread(comparison: HashComparison, gone: AbortSignal): Promise<boolean | undefined> {
    try {
      this.#thread ??= startThread();
      const message = once(this.#thread, 'message', { signal: gone });
      this.#thread.postMessage(comparison);
      const [matches]: unknown[] = await message;
      return matches === true;
    } catch {
      this.#endThread();
      gone.throwIfAborted();
      return undefined;
    }
  }

  #endThread(): void {
    void this.#thread?.terminate();
    this.#thread = undefined;
  }
}

/** A hash of a higher cost takes more than half a second. */
const usualCostMax = 12;

/** Hashes of high cost have a queue of their own: one with cost 31 takes days, and must not delay other users. */
const queues = { usual: new ComparisonQueue(), costly: new ComparisonQueue() };

/**
 * Whether the bcrypt hash is that of the password. A comparison ends when its client closes the connection.
 * @throws the reason of `gone`
 */
export function matchesHash(password: string, hash: string, gone: AbortSignal): Promise<boolean> {
  const queue = Number(hash.slice(4, 6)) > usualCostMax ? queues.costly : queues.usual;
  return queue.compare({ password, hash }, gone);
}

function startThread(): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  // In a build all files are in one folder.
  const thread = new Worker(new URL(isSource ? './thread.ts' : './password-thread.js', import.meta.url));
  // The comparison under way sees the error too. Without a listener it would end the process.
  thread.on('error', () => {});
  return thread;
}
