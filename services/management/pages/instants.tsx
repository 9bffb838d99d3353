// Times for people: the UTC time for copying, and its distance from now.
import type { Instant } from '#shared/base/clock.ts';

const units = [
  { seconds: 365.25 * 86_400, name: 'year' },
  { seconds: 86_400, name: 'day' },
  { seconds: 3600, name: 'hour' },
  { seconds: 60, name: 'minute' },
  { seconds: 1, name: 'second' },
] as const;

/** `2026-11-21 11:43:32 UTC`. undefined for an invalid time. */
export function utcText(milliseconds: number): string | undefined {
  const date = new Date(milliseconds);
  return Number.isNaN(date.getTime()) ? undefined : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** `in 59 minutes`, `2 days ago`, `now`. */
export function distanceText(milliseconds: number, now: Instant): string {
  const seconds = Math.round((milliseconds - now) / 1000);
  const unit = units.find((candidate) => Math.abs(seconds) >= candidate.seconds);
  if (unit === undefined) return 'now';
  const count = Math.round(Math.abs(seconds) / unit.seconds);
  const words = `${count} ${unit.name}${count === 1 ? '' : 's'}`;
  return seconds > 0 ? `in ${words}` : `${words} ago`;
}

/** A time in a list: the exact time if there is space, and its distance from now. */
export function Moment({ iso, now }: { readonly iso: string; readonly now: Instant }) {
  const milliseconds = Date.parse(iso);
  return (
    <time dateTime={iso} class="moment">
      <span class="moment-exact">{utcText(milliseconds) ?? iso}</span>{' '}
      <span class="moment-distance">{distanceText(milliseconds, now)}</span>
    </time>
  );
}
