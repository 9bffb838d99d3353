// On every page while the clock is moved: what time it is here, and whether it stands (TIM-26). What somebody sees on such
// a page, an expired login or a token that still works, has its reason here.
import { renderToString } from 'preact-render-to-string';
import { type ClockDescription, distanceFromRealTime } from '#shared/model/domain/movable-clock.ts';
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
