// `${NAME}` and `${NAME:default}` in string values (CFG-19 to CFG-22). Pure: the environment is an argument. The text
// that a variable brings in is not looked at again.
const placeholder = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::([^}]*))?\}/g;

/** A variable that nobody sets: its default writes a dollar sign that does not begin a placeholder. */
const dollarPlaceholder = '\u0024{IDP_DOLLAR:$}';

export type Environment = Readonly<Record<string, string | undefined>>;

export function expandPlaceholders(value: string, environment: Environment): string {
  if (!value.includes('${')) return value;
  return value.replaceAll(placeholder, (_whole, name: string, byDefault: string | undefined) => {
    // The default serves only while the variable is unset; one set to the empty text is the empty text (CFG-20).
    return environment[name] ?? byDefault ?? '';
  });
}

export function hasPlaceholder(value: string): boolean {
  return value.search(placeholder) !== -1;
}

/** Writes a literal text so that expanding it gives the same text back: there is no escape character (CFG-22). */
export function withoutPlaceholders(value: string): string {
  return value.replaceAll(placeholder, (whole) => `${dollarPlaceholder}${whole.slice(1)}`);
}
