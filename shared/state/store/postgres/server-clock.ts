// The clock of the cluster is the server's. A process computes it from this machine's clock and the distance between
// the two, which is measured at each connection and once a minute (CLU-23). So machines whose clocks differ by minutes
// validate and issue by the same clock. A slow response, on a busy machine, makes a measurement inexact, and tokens of
// one stack could then be in the future of another. So the result is what several measurements agree on. A single new
// one counts only if it contradicts the earlier ones.
import * as z from 'zod';
import { type Clock, type Instant, instant, type Monotonic, type Stopwatch } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import { query, type Runner } from './statement.ts';

interface ServerClock extends Clock {
  /** The distance from the machine's clock to the server's. undefined: not measured yet. */
  readonly distanceMilliseconds: number | undefined;
  measure(on: Runner): Promise<void>;
}

/** A larger distance is logged. */
const distanceToTell = 2_000;
/** A measurement with a larger error is repeated a few times, as long as that improves it. */
const exactMilliseconds = 5;
const triesMax = 4;
const changeMilliseconds = 1;
/** The growth of a measurement's error for each millisecond that has passed, because clocks drift apart. */
const drift = 1e-4;

/** The distance is between these values, in milliseconds. */
interface Measured {
  readonly least: number;
  readonly most: number;
  readonly at: Monotonic;
}

const serverTime = query(
  'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now',
  z.object({ now: z.number() }),
);

/** `log`: logs once how far the machine's clock is off. undefined: another worker of the stack logs it. */
export function openServerClock(machine: Clock, stopwatch: Stopwatch, log: Logger | undefined): ServerClock {
  let known: Measured | undefined;
  /** The middle of the known range. */
  let distance: number | undefined;
  let isTold = false;
  const tell = (milliseconds: number) => {
    if (isTold || Math.abs(milliseconds) <= distanceToTell) return;
    isTold = true;
    const seconds = Math.abs(Math.round(milliseconds / 1000));
    const where = milliseconds > 0 ? 'behind' : 'ahead of';
    log?.warn(
      { clock_distance_ms: milliseconds },
      `the clock of this machine is ${seconds} s ${where} the clock of PostgreSQL, which all stacks use`,
    );
  };
  /** undefined: the server returned nothing. */
  const measureOnce = async (on: Runner): Promise<Measured | undefined> => {
    const start = stopwatch.read();
    const found = await serverTime.get(on, {});
    const there = machine.now();
    const took = stopwatch.since(start);
    // The server read its clock at some time during the round trip. Both clocks report whole milliseconds.
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

/** Returns the intersection of both. If they contradict each other, a clock was set, and only the new one counts. */
function agreed(known: Measured | undefined, next: Measured): Measured {
  if (known === undefined || known.least > next.most || next.least > known.most) return next;
  return { least: Math.max(known.least, next.least), most: Math.min(known.most, next.most), at: next.at };
}
