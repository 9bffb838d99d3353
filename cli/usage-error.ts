// The command line was used in a way it does not understand: exit 1, with the usage on standard error (CLI-01).
import { messageOf } from '#shared/base/error-text.ts';

/** A name that is none, and what there is in its place. */
interface Misspelt {
  readonly written: string;
  readonly known: readonly string[];
  /** What is said where one of these was probably meant. */
  readonly told: (meant: string) => string;
}

export class UsageError extends Error {
  readonly #misspelt: Misspelt | undefined;

  constructor(message: string, misspelt?: Misspelt) {
    super(message);
    this.#misspelt = misspelt;
  }

  /** With what was probably meant, which is looked for now: no command that is spelt right loads how. */
  async explained(): Promise<string> {
    if (this.#misspelt === undefined) return this.message;
    const { written, known, told } = this.#misspelt;
    const { likelyName } = await import('#shared/base/nearest-name.ts');
    const meant = likelyName(written, known);
    return meant === undefined ? this.message : told(meant);
  }
}

/** What util.parseArgs says, as such an error. */
export function parsingError(error: unknown, options: readonly string[]): UsageError {
  const message = messageOf(error);
  const written = /^Unknown option '--([^'=]+)/.exec(message)?.[1];
  if (written === undefined) return new UsageError(message);
  const told = (meant: string) => `Unknown option '--${written}'; did you mean --${meant}?`;
  return new UsageError(message, { written, known: [...options, 'help', 'version'], told });
}
