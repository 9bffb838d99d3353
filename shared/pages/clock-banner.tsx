// On every page while the clock is moved: what time it is here, and whether it stands (TIM-26). What somebody sees on such
// a page, an expired login or a token that still works, has its reason here.
import { renderToString } from 'preact-render-to-string';
import type { ClockDescription } from '#shared/domain/movable-clock.ts';
import { withTopOfPage } from './page.tsx';

export function withClockBanner(documentText: string, clock: ClockDescription): string {
  return withTopOfPage(documentText, renderToString(<ClockBanner clock={clock} />));
}

function ClockBanner({ clock: { now, offset_seconds, frozen } }: { readonly clock: ClockDescription }) {
  return (
    <p class="clock-banner" role="note">
      {frozen ? 'The clock of this identity provider stands at' : 'The clock of this identity provider says'}{' '}
      <time dateTime={now}>{`${now.slice(0, 19).replace('T', ' ')} UTC`}</time>
      {frozen ? '' : `, ${distanceFromRealTime(offset_seconds)}`}.
    </p>
  );
}

const units = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
] as const;

/** `2 days 3 hours ahead of real time`: two units at most. */
export function distanceFromRealTime(seconds: number): string {
  let left = Math.abs(seconds);
  const words: string[] = [];
  for (const [length, name] of units) {
    const count = Math.floor(left / length);
    if (count === 0 || words.length === 2) continue;
    left -= count * length;
    words.push(`${count} ${name}${count === 1 ? '' : 's'}`);
  }
  const distance = words.length === 0 ? 'less than a second' : words.join(' ');
  return `${distance} ${seconds < 0 ? 'behind' : 'ahead of'} real time`;
}
