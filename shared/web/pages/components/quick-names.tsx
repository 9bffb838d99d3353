// Buttons that fill a name into their login form (LOG-09). fill-in.js does it at once. Without script, a round trip
// shows the form again with the name filled in (WEB-29).
interface QuickNamesProps {
  readonly names: readonly string[];
  /** Id of the field that takes the name. */
  readonly field: string;
}

export function QuickNames({ names, field }: QuickNamesProps) {
  if (names.length === 0) return null;
  return (
    <div class="quick">
      <p id="quick-names" class="soft small">
        Fill in a name
      </p>
      <ul class="quick-names" aria-labelledby="quick-names">
        {names.map((name) => (
          <li key={name}>
            <button
              type="submit"
              name="fill_username"
              value={name}
              class="quick-name"
              formNoValidate
              data-fill-in={field}
              data-value={name}
            >
              <bdi>{name}</bdi>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
