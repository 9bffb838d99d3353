// Limits how many responses of unbounded size are in progress at a time in this process. Each keeps its source in
// memory until its client has received it.
import type { ServerResponse } from 'node:http';
import type { LargeRead } from '#shared/engine/exchange/route.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { type Refusal, RefusedError, refused } from '#shared/model/refusals/refusal.ts';
import { ClientGoneError } from './incoming-request.ts';

/** A response that is held in memory as a whole takes some tens of megabytes at worst. */
const largeReadsMax = { streamed: 16, whole: 4 } as const;

/**
 * How long a request waits for a free place. Clients that read release their places, so a test that reads 60 exports at
 * once gets them all. When other clients hold all places without reading, the response is 503.
 */
const waitMillisecondsMax = 10_000;

/** Clients that do not read hold all places. */
export class LargeReadsBusyError extends RefusedError {
  readonly row: typeof httpRefusals.large_reads_busy & Refusal = httpRefusals.large_reads_busy;
  constructor() {
    super(refused(httpRefusals.large_reads_busy));
  }
}

interface LargeReadBounds {
  readonly largeReadsMax: number;
  readonly waitMillisecondsMax: number;
}

/** The limits of one process. */
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
   * Resolves when the response may be made, in the order of the calls. The place is released when the response closes.
   * @throws LargeReadsBusyError when no place becomes free in time
   * @throws ClientGoneError when the client leaves earlier
   */
  async admit(response: ServerResponse): Promise<void> {
    if (this.#held >= this.#bounds.largeReadsMax) await this.#turn(response);
    else this.#held += 1;
    const giveBack = () => this.#giveBack();
    if (response.closed) giveBack();
    else response.once('close', giveBack);
  }

  /** Passes the place directly to the next request, so that no later request takes it. */
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
