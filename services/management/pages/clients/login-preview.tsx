// A small drawing of a login page in the client's colours. It uses SVG attributes, since pages must not contain inline
// styles.
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import { cardOn } from '#shared/web/pages/client-theme.ts';

type Colours = Pick<ClientEntry, 'background_color' | 'header_color' | 'footer_color' | 'layout'>;

export function LoginPreview({ colours }: { readonly colours: Colours }) {
  const { background_color, header_color, footer_color, layout } = colours;
  if (background_color === undefined && header_color === undefined && footer_color === undefined) return null;
  const horizontal = layout === 'horizontal';
  const card = background_color && cardOn(background_color.slice(1));
  return (
    <svg
      class="login-preview"
      viewBox="0 0 64 44"
      width="64"
      height="44"
      role="img"
      aria-label="Colours of the login page"
    >
      <rect
        width="64"
        height="44"
        class={background_color === undefined ? 'preview-ground' : undefined}
        fill={background_color}
      />
      {horizontal ? (
        <rect width="22" height="38" fill={header_color ?? 'none'} />
      ) : (
        <rect width="64" height="9" fill={header_color ?? 'none'} />
      )}
      <rect
        x={horizontal ? 32 : 20}
        y="13"
        width="24"
        height="22"
        rx="2"
        class={card === undefined ? 'preview-card' : undefined}
        fill={card}
      />
      <rect y="38" width="64" height="6" fill={footer_color ?? 'none'} />
    </svg>
  );
}
