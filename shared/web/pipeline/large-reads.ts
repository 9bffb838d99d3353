// How many answers without a small bound are under way at a time in this process: each keeps what it reads from until
// its client has it.
import type { ServerResponse } from 'node:http';
import type { LargeRead } from '#shared/engine/exchange/route.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { type Refusal, RefusedError, refused } from '#shared/model/refusals/refusal.ts';
import { ClientGoneError } from './incoming-request.ts';

/** An answer that is held whole takes some tens of megabytes at worst. */
const largeReadsMax = { streamed: 16, whole: 4 } as const;

/**
 * How long a request waits while no place gets free. Clients that read give theirs back, so a test that reads 60 exports at once
 * gets them all. Behind clients that do not read the answer is 503.
 */
const waitMillisecondsMax = 10_000;

/** All places are held by clients that do not read. */
export class LargeReadsBusyError extends RefusedError {
  readonly row: typeof httpRefusals.large_reads_busy & Refusal = httpRefusals.large_reads_busy;
  constructor() {
    super(refused(httpRefusals.large_reads_busy));
  }
}

export interface LargeReadBounds {
  readonly largeReadsMax: number;
  readonly waitMillisecondsMax: number;
}

/** Those of a process. */
export function largeReads(): Readonly<Record<LargeRead, LargeReads>> {
  const of = (kind: LargeRead) => new LargeReads({ largeReadsMax: largeReadsMax[kind], waitMillisecondsMax });
  return { streamed: of('streamed'), whole: of('whole') };
}

interface Waiting {
  goOn(): void;
  readonly timer: NodeJS.Timeout;
}

export class LargeReads {
  readonly #bounds: LargeReadBounds;
  readonly #waiting = new Set<Waiting>();
  #held = 0;

  constructor(bounds: LargeReadBounds) {
    this.#bounds = bounds;
  }

  /**
   * Resolves when the answer may be made, in the order asked. The place is given back when the response closes.
   * @throws LargeReadsBusyError when none gets free for too long
   * @throws ClientGoneError when the client leaves before
   */
  async admit(response: ServerResponse): Promise<void> {
    if (this.#held >= this.#bounds.largeReadsMax) await this.#turn(response);
    else this.#held += 1;
    const giveBack = () => this.#giveBack();
    if (response.closed) giveBack();
    else response.once('close', giveBack);
  }

  /** A place is handed from one to the next, so that no later request comes between. */
  #giveBack(): void {
    const [next] = this.#waiting;
    if (next === undefined) this.#held -= 1;
    else next.goOn();
    for (const { timer } of this.#waiting) timer.refresh();
  }

  #turn(response: ServerResponse): Promise<void> {
    return new Promise((resolve, reject) => {
      const stop = () => {
        clearTimeout(waiting.timer);
        response.off('close', left);
        this.#waiting.delete(waiting);
      };
      const left = () => {
        stop();
        reject(new ClientGoneError('the client went away while it waited for its turn'));
      };
      const waiting: Waiting = {
        goOn: () => {
          stop();
          resolve();
        },
        timer: setTimeout(() => {
          stop();
          reject(new LargeReadsBusyError());
        }, this.#bounds.waitMillisecondsMax),
      };
      response.once('close', left);
      this.#waiting.add(waiting);
    });
  }
}
