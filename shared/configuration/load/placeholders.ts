// `${NAME}` and `${NAME:default}` in string values (CFG-19 to CFG-22). Pure: the environment is an argument. The text
// that a variable brings in is not looked at again.
const opening = /\$\{([A-Za-z_][A-Za-z0-9_]*)([:}])/g;

/** A variable that nobody sets: its default writes a dollar sign that does not begin a placeholder. */
const dollarPlaceholder = '\u0024{IDP_DOLLAR:$}';

export type Environment = Readonly<Record<string, string | undefined>>;

export function expandPlaceholders(value: string, environment: Environment): string {
  // The default serves only while the variable is unset; one set to the empty text is the empty text (CFG-20).
  return replacePlaceholders(value, (_whole, name, byDefault) => environment[name] ?? byDefault ?? '');
}

export function hasPlaceholder(value: string): boolean {
  let has = false;
  replacePlaceholders(value, (whole) => {
    has = true;
    return whole;
  });
  return has;
}

/** Writes a literal text so that expanding it gives the same text back: there is no escape character (CFG-22). */
export function withoutPlaceholders(value: string): string {
  return replacePlaceholders(value, (whole) => `${dollarPlaceholder}${whole.slice(1)}`);
}

/** In one pass: a text full of placeholders that are never closed costs no more than any other. */
function replacePlaceholders(
  value: string,
  replacement: (whole: string, name: string, byDefault: string | undefined) => string,
): string {
  let replaced = '';
  let done = 0;
  opening.lastIndex = 0;
  for (let found = opening.exec(value); found !== null; found = opening.exec(value)) {
    const [, name = '', mark] = found;
    const after = opening.lastIndex;
    const close = mark === '}' ? after - 1 : value.indexOf('}', after);
    if (close === -1) break;
    const byDefault = mark === '}' ? undefined : value.slice(after, close);
    replaced += value.slice(done, found.index) + replacement(value.slice(found.index, close + 1), name, byDefault);
    done = close + 1;
    opening.lastIndex = done;
  }
  return done === 0 ? value : replaced + value.slice(done);
}
