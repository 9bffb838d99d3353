// Buttons that fill a name into a login form (LOG-09). They need fill-in.js and stay hidden without it; typing does the
// same.
export interface QuickNamesProps {
  readonly names: readonly string[];
  /** Id of the field that takes the name. */
  readonly field: string;
}

export function QuickNames({ names, field }: QuickNamesProps) {
  if (names.length === 0) return null;
  return (
    <ul class="quick-names" aria-label="Fill in a name">
      {names.map((name) => (
        <li key={name}>
          <button type="button" class="quick-name" data-fill-in={field} data-value={name} hidden>
            <bdi>{name}</bdi>
          </button>
        </li>
      ))}
    </ul>
  );
}
