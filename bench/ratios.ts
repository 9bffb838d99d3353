// Ratios of pairs that were measured one after the other, so that whatever else the machine does disturbs both alike.
import { median } from './median.ts';

/** Their median, and between which of them that of all pairs that could be measured lies 19 times out of 20. */
export function withRange(ratios: readonly number[], digits = 3): string {
  const sorted = [...ratios].sort((one, other) => one - other);
  const aside = 0.98 * Math.sqrt(sorted.length);
  const at = (place: number) => (sorted[Math.max(0, Math.min(sorted.length - 1, place))] ?? Number.NaN).toFixed(digits);
  const [lower, upper] = [Math.floor(sorted.length / 2 - aside), Math.ceil(sorted.length / 2 + aside) - 1];
  return `${median(ratios).toFixed(digits)} (${at(lower)} to ${at(upper)})`;
}
