// Waits until a number of matching exchanges were recorded (REC-24 to REC-29). It uses real time, and counts exchanges
// of every process on the store.
import * as z from 'zod';
import { instant, type Stopwatch } from '#shared/base/clock.ts';
import { type KeptExchange, recordedEndpoints } from '#shared/model/domain/exchange.ts';
import { expectationsMax, type recorderRefusals } from '#shared/model/refusals/families/recorder.ts';
import type { ExchangeFilter, Exchanges } from '#shared/state/store/ports/index.ts';
import { type Counting, type WatchedExchanges, watchOf } from './exchange-watch.ts';
import { numberIn } from './show-exchange.ts';

/** For each namespace: requests that wait in a sandbox do not use the places of others. */
const waitingMax = expectationsMax;

const pollMilliseconds = 100;
/** The place of a process that died is free again this long after its time. */
const graceMilliseconds = 5000;
const shownMax = 100;

const number = z.int('must be a whole number').min(0, 'must be 0 or more').max(100_000, 'must be 100000 or less');

export const expectationMembers = {
  endpoint: z
    .enum(recordedEndpoints, `must be one of ${recordedEndpoints.join(', ')}`)
    .describe('Endpoint that receives the requests.'),
  count: number.optional().describe('Exact number of requests.'),
  at_least: number.optional().describe('Minimum number of requests.'),
  client_id: z.string('must be a string').optional().describe('Only requests of this client.'),
  username: z.string('must be a string').optional().describe('Only requests about this user.'),
  status: z
    .int('must be an HTTP status')
    .min(100)
    .max(599)
    .optional()
    .describe('Only requests with this response status.'),
  grant_type: z.string('must be a string').optional().describe('Only token requests with this grant_type.'),
  after: z.string('must be a cursor').optional().describe('A cursor. Only exchanges recorded later count.'),
  within_seconds: z
    .number('must be a number')
    .min(0, 'must be 0 or more')
    .max(60, 'must be 60 or less')
    .default(5)
    .describe('How long to wait, from 0 to 60 seconds.'),
};

export const expectationModel = z
  .strictObject(expectationMembers)
  .refine(({ count, at_least }) => (count === undefined) !== (at_least === undefined), {
    message: 'Send exactly one of count and at_least.',
  })
  .refine(({ after }) => after === undefined || numberIn(after, '') !== undefined, {
    message: 'after must be a cursor',
  })
  .meta({ id: 'Expectation' });

type Expectation = z.output<typeof expectationModel>;

interface Fulfilment {
  readonly outcome: 'held' | 'not_held';
  /** The number of requests. */
  readonly count: number;
  readonly expected: string;
  /** The newest of them. */
  readonly exchanges: readonly KeptExchange[];
  readonly cursor: number;
}

/** The code of the rejection. */
export type Unanswered = keyof Pick<typeof recorderRefusals, 'recorder_off' | 'expect_limit' | 'expect_cut_short'>;

type CountedExchanges = WatchedExchanges & Pick<Exchanges, 'takeWait' | 'giveWait' | 'list'>;

interface ExpectingContext {
  readonly store: { readonly exchanges: CountedExchanges };
  readonly stopwatch: Stopwatch;
  readonly realNow: () => number;
  /** Checked repeatedly during the wait: requests that are not recorded cannot be counted (REC-29). */
  isRecorderOn(): boolean;
  /** Resolves early, with false, when the process has to end. */
  wait(milliseconds: number): Promise<boolean>;
  /** Aborts once the client has disconnected, so that other requests can use the place. */
  readonly disconnected: AbortSignal;
}

export async function expectExchanges(
  expectation: Expectation,
  { store: { exchanges }, stopwatch, realNow, isRecorderOn, wait, disconnected }: ExpectingContext,
): Promise<Fulfilment | Unanswered> {
  if (!isRecorderOn()) return 'recorder_off';
  const within = expectation.within_seconds * 1000;
  const place = await exchanges.takeWait(instant(realNow() + within + graceMilliseconds), waitingMax);
  if (place === undefined) return 'expect_limit';
  let counted: Counting | undefined;
  try {
    const start = stopwatch.read();
    counted = await watchOf(exchanges, stopwatch).begin(filterOf(expectation));
    for (;;) {
      const left = within - stopwatch.since(start);
      if (!isRecorderOn()) return 'recorder_off';
      if (decide(expectation, await counted.goOn(), left <= 0) !== undefined) {
        // Exchanges removed meanwhile do not count, and the cursor never skips uncounted ones.
        const page = await exchanges.list(filterOf(expectation), shownMax);
        const count = await exchanges.count({ ...filterOf(expectation), upTo: page.cursor });
        const outcome = decide(expectation, count, left <= 0);
        if (outcome !== undefined) return { outcome, count, expected: expectedBy(expectation), ...page };
      }
      if (disconnected.aborted || !(await wait(Math.min(pollMilliseconds, left)))) return 'expect_cut_short';
    }
  } finally {
    counted?.end();
    await exchanges.giveWait(place);
  }
}

/** undefined: not decided yet. */
function decide({ count: exactly, at_least = 0 }: Expectation, found: number, hasEnded: boolean) {
  if (exactly === undefined) return found >= at_least ? 'held' : hasEnded ? 'not_held' : undefined;
  if (found > exactly) return 'not_held';
  if (!hasEnded) return undefined;
  return found === exactly ? 'held' : 'not_held';
}

function expectedBy({ count: exactly, at_least }: Expectation): string {
  return exactly === undefined ? `at least ${at_least}` : `exactly ${exactly}`;
}

function filterOf({ endpoint, client_id, username, status, grant_type, after }: Expectation): ExchangeFilter {
  return {
    ...{ endpoint, clientId: client_id, username, status, grantType: grant_type },
    after: after === undefined ? undefined : numberIn(after, ''),
  };
}
