// `${NAME}` and `${NAME:default}` in string values (CFG-19 to CFG-22). Pure: the environment is an argument. The text
// from a variable is not expanded again.
const opening = /\$\{([A-Za-z_][A-Za-z0-9_]*)([:}])/g;

/** A variable that is never set: its default writes a dollar sign that does not begin a placeholder. */
const dollarPlaceholder = '\u0024{IDP_DOLLAR:$}';

export type Environment = Readonly<Record<string, string | undefined>>;

export function expandPlaceholders(value: string, environment: Environment): string {
  // The default applies only while the variable is unset; a variable set to the empty text is the empty text (CFG-20).
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

/**
 * Syntax in a text that has another meaning for a shell, Docker Compose or Spring, as the end of a sentence that
 * follows its position. Such a text loads without an error, so a finding is needed.
 */
export function doubtfulPlaceholder(value: string): string | undefined {
  let doubt: string | undefined;
  replacePlaceholders(value, (whole, _name, byDefault = '') => {
    if (/^[-?]/.test(byDefault)) {
      const sign = byDefault.charAt(0);
      doubt ??= `contains a placeholder with :${sign}, which has another meaning in shells. Here the ${sign} is part of the default`;
    } else if (byDefault.includes('${')) {
      doubt ??=
        'contains a placeholder in the default of another placeholder. The outer one ends at the first }, and the inner one is not replaced';
    }
    return whole;
  });
  return doubt;
}

/**
 * Writes a literal text so that expanding it returns the same text: there is no escape character (CFG-22). Every
 * opening is escaped, even within what looks like a default: once the outer one is escaped, the inner one would begin
 * a placeholder.
 */
export function withoutPlaceholders(value: string): string {
  const lastClose = value.lastIndexOf('}');
  return value.replace(opening, (found, _name, _mark, offset: number) =>
    offset < lastClose ? dollarPlaceholder + found.slice(1) : found,
  );
}

/** In one pass: a text full of unclosed placeholders costs no more than any other. */
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
