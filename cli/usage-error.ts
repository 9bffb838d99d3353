// The command line is invalid: exit 1, with the usage on standard error (CLI-01).
import { messageOf } from '#shared/base/error-text.ts';

/** An unknown name, and the known names. */
interface Misspelt {
  readonly what: 'option' | 'command';
  readonly written: string;
  readonly known: readonly string[];
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
    const { what, written, known } = this.#misspelt;
    const { likelyName } = await import('#shared/base/nearest-name.ts');
    const { unknownNameNear } = await import('#shared/base/unknown-name.ts');
    // A command may be typed as an option, so the dashes do not count.
    const near = likelyName(withoutDashes(written), known.map(withoutDashes));
    const meant = known.find((name) => withoutDashes(name) === near);
    return unknownNameNear(what, written, meant, known);
  }
}

function withoutDashes(name: string): string {
  return name.replace(/^-+/, '');
}

/** Converts an error of util.parseArgs to a UsageError. */
export function parsingError(error: unknown, options: readonly string[]): UsageError {
  const message = messageOf(error);
  const written = /^Unknown option '(--?[^'=]+)/.exec(message)?.[1];
  if (written === undefined) return new UsageError(message);
  const known = [...options, 'help', 'version'].map((name) => `--${name}`);
  return new UsageError(message, { what: 'option', written, known });
}
