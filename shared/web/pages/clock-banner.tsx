// Shown on every page while the clock is moved: the time here, and whether the clock is stopped (TIM-26). It explains
// effects on the page, such as an expired login or a token that is still valid.
import { renderToString } from 'preact-render-to-string';
import { type ClockDescription, distanceFromRealTime } from '#shared/model/domain/movable-clock.ts';
import { withTopOfPage } from './page.tsx';

export function withClockBanner(documentText: string, clock: ClockDescription): string {
  return withTopOfPage(documentText, renderToString(<ClockBanner clock={clock} />));
}

function ClockBanner({ clock: { now, offset_seconds, frozen } }: { readonly clock: ClockDescription }) {
  return (
    <p class="clock-banner" role="note">
      {frozen ? 'The clock of this identity provider is frozen at' : 'The clock of this identity provider shows'}{' '}
      <time dateTime={now}>{`${now.slice(0, 19).replace('T', ' ')} UTC`}</time>
      {frozen ? '' : `, ${distanceFromRealTime(offset_seconds)}`}.
    </p>
  );
}
