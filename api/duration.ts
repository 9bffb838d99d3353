// How long: seconds as a number, or a number with a unit as text.
import { IdpError } from './errors.ts';
import type { Duration } from './types.ts';

const secondsOf: ReadonlyMap<string, number> = new Map([
  ['ms', 0.001],
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/** @throws IdpError invalid_option naming the member */
export function durationSeconds(member: string, duration: Duration): number {
  const [, amount, unit = 's'] = /^\s*([+-]?\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?\s*$/.exec(String(duration)) ?? [];
  const factor = secondsOf.get(unit);
  if (amount === undefined || factor === undefined) {
    throw new IdpError(
      'invalid_option',
      `${member} must be seconds, or a number with a unit such as '90s', '10m', '1h' or '-5m', not ${JSON.stringify(duration)}.`,
    );
  }
  return Math.round(Number(amount) * factor * 1000) / 1000;
}
