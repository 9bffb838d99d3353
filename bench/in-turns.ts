// Takes measurements in turns, so that other work on the machine affects all equally, and compares them. Many brief
// ones are better than a few long ones, because other work usually lasts longer than a turn.
import { median } from './median.ts';

/** Takes each measurement this many times. The first one changes from round to round. */
export async function inTurns<Name extends string, Measure>(
  rounds: number,
  turns: Readonly<Record<Name, () => Promise<Measure>>>,
): Promise<Readonly<Record<Name, readonly Measure[]>>> {
  const names = Object.keys(turns) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Measure[]>;
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) measured[name].push(await turns[name]());
  }
  return measured;
}

/**
 * The ratio of the figures of one to those of the other: the median of all pairs, and the range that contains the
 * median of all possible pairs 19 times out of 20.
 */
export function share(one: readonly number[], other: readonly number[], digits = 2): string {
  const ratios = one.map((value, round) => value / (other[round] ?? Number.NaN));
  const sorted = [...ratios].sort((a, b) => a - b);
  const aside = 0.98 * Math.sqrt(sorted.length);
  const at = (place: number) => (sorted[Math.max(0, Math.min(sorted.length - 1, place))] ?? Number.NaN).toFixed(digits);
  const [lower, upper] = [Math.floor(sorted.length / 2 - aside), Math.ceil(sorted.length / 2 + aside) - 1];
  return `${median(ratios).toFixed(digits)} (${at(lower)} to ${at(upper)} in ${sorted.length} pairs)`;
}
