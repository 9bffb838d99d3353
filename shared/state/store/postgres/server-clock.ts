// The clock of the cluster: the server's, told by this machine's clock and the distance between the two, which is measured at each
// connection and once a minute (CLU-23). Machines whose clocks differ by minutes so judge and issue by one. An answer that took
// long, on a busy machine, tells the distance badly; what one stack issues may then lie in the future of another. So what
// several measurements agree on counts, and a new one alone only where it shows that the others no longer hold.
import * as z from 'zod';
import { type Clock, type Instant, instant, type Monotonic, type Stopwatch } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import { query, type Runner } from './statement.ts';

interface ServerClock extends Clock {
  /** The distance from the machine's clock to the server's; undefined: not measured yet. */
  readonly distanceMilliseconds: number | undefined;
  measure(on: Runner): Promise<void>;
}

/** What is further away is told. */
const distanceToTell = 2_000;
/** What may be further off is measured again, a few times, as long as that changes anything. */
const exactMilliseconds = 5;
const triesMax = 4;
const changeMilliseconds = 1;
/** What a measurement becomes less exact by, for each millisecond that has passed: clocks drift apart. */
const drift = 1e-4;

/** Between these the distance lies, in milliseconds. */
interface Measured {
  readonly least: number;
  readonly most: number;
  readonly at: Monotonic;
}

const serverTime = query(
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
  z.object({ now: z.number() }),
);

/** `log`: where it is told once how far the machine is off; undefined: another worker of the stack tells. */
export function openServerClock(machine: Clock, stopwatch: Stopwatch, log: Logger | undefined): ServerClock {
  let known: Measured | undefined;
  /** The middle of what is known. */
  let distance: number | undefined;
  let isTold = false;
  const tell = (milliseconds: number) => {
    if (isTold || Math.abs(milliseconds) <= distanceToTell) return;
    isTold = true;
    const seconds = Math.abs(Math.round(milliseconds / 1000));
    const where = milliseconds > 0 ? 'behind' : 'ahead of';
    log?.warn(
      { clock_distance_ms: milliseconds },
      `the clock of this machine is ${seconds} s ${where} PostgreSQL's, which all stacks go by`,
    );
  };
  /** undefined: the server said nothing. */
  const measureOnce = async (on: Runner): Promise<Measured | undefined> => {
    const start = stopwatch.read();
    const found = await serverTime.get(on, {});
    const there = machine.now();
    const took = stopwatch.since(start);
    // Somewhere on the way it was that late there; both clocks are told in whole milliseconds.
    return found && { least: found.now - there - 1.5, most: found.now - there + took + 0.5, at: start };
  };
  return {
    now: (): Instant => instant(machine.now() + (distance ?? 0)),
    get distanceMilliseconds() {
      return distance;
    },
    measure: async (on) => {
      for (let tries = 1; tries <= triesMax; tries += 1) {
        const next = await measureOnce(on);
        if (next === undefined) return;
        const before = known && errorOf(known);
        known = agreed(known && drifted(known, stopwatch.since(known.at)), next);
        distance = Math.round((known.least + known.most) / 2);
        const error = errorOf(known);
        if (error <= exactMilliseconds || (before !== undefined && Math.abs(before - error) < changeMilliseconds))
          break;
      }
      if (distance !== undefined) tell(distance);
    },
  };
}

function errorOf({ least, most }: Measured): number {
  return (most - least) / 2;
}

function drifted({ least, most, at }: Measured, milliseconds: number): Measured {
  return { least: least - milliseconds * drift, most: most + milliseconds * drift, at };
}

/** What both say; the new one alone where they contradict each other, since a clock was set meanwhile. */
function agreed(known: Measured | undefined, next: Measured): Measured {
  if (known === undefined || known.least > next.most || next.least > known.most) return next;
  return { least: Math.max(known.least, next.least), most: Math.min(known.most, next.most), at: next.at };
}
