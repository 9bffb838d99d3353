// The command line is invalid: exit 1, with the usage on standard error (CLI-01).
import { messageOf } from '#shared/base/error-text.ts';

/** An unknown name, and the known names. */
interface Misspelt {
  readonly written: string;
  readonly known: readonly string[];
  /** The message when one of these was probably meant. */
  readonly suggestion: (meant: string) => string;
}

export class UsageError extends Error {
  readonly #misspelt: Misspelt | undefined;

  constructor(message: string, misspelt?: Misspelt) {
    super(message);
    this.#misspelt = misspelt;
  }

  /**
   * The message with a suggestion. The suggestion is computed only now, so that a valid command loads no code for it.
   */
  async explained(): Promise<string> {
    if (this.#misspelt === undefined) return this.message;
    const { written, known, suggestion } = this.#misspelt;
    const { likelyName } = await import('#shared/base/nearest-name.ts');
    const meant = likelyName(written, known);
    return meant === undefined ? this.message : suggestion(meant);
  }
}

/** Converts an error of util.parseArgs to a UsageError. */
export function parsingError(error: unknown, options: readonly string[]): UsageError {
  const message = messageOf(error);
  const written = /^Unknown option '--([^'=]+)/.exec(message)?.[1];
  if (written === undefined) return new UsageError(message);
  const suggestion = (meant: string) => `Unknown option '--${written}'; did you mean --${meant}?`;
  return new UsageError(message, { written, known: [...options, 'help', 'version'], suggestion });
}
