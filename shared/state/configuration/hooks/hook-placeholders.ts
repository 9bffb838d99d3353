// The words of a shell hook, such as `{path}`. In the command each is replaced by a variable of its environment, so
// that no directory name is ever parsed by the shell (HOK-01).

/** The values by name, such as `config_dir`. */
export type HookPlaceholders = Readonly<Record<string, string>>;

interface HookCommand {
  /** The command line for the shell. */
  readonly line: string;
  /** The variables with the values of the words. Hooks may read them directly. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Braces around anything except the name of a word are unchanged. */
export function hookCommand(command: string, words: HookPlaceholders): HookCommand {
  const environment = Object.fromEntries(Object.entries(words).map(([name, value]) => [variableOf(name), value]));
  if (process.platform === 'win32') return { line: pasted(command, words), environment };
  let line = '';
  let position = 0;
  const quoting = new Quoting();
  for (const match of command.matchAll(/\{([a-z_]+)\}/g)) {
    const [whole, name = ''] = match;
    if (!Object.hasOwn(words, name)) continue;
    const between = command.slice(position, match.index);
    quoting.read(between);
    line += between + quoting.expand(`\${${variableOf(name)}}`);
    position = match.index + whole.length;
  }
  return { line: line + command.slice(position), environment };
}

/** `TEST_IDP_HOOK_CONFIG_DIR` for `config_dir`. */
function variableOf(name: string): string {
  return `TEST_IDP_HOOK_${name.toUpperCase()}`;
}

/** cmd.exe expands variables before it parses the line, so variables would not protect there. */
function pasted(command: string, words: HookPlaceholders): string {
  return command.replaceAll(/\{([a-z_]+)\}/g, (whole, name: string) => words[name] ?? whole);
}

type Context = 'bare' | 'double' | 'single';

/**
 * How the shell quotes the next characters (POSIX, Shell Command Language §2.2). If this is wrong, in a comment or a
 * here-document, a word is split or not expanded, but never executed.
 */
class Quoting {
  /** Quotes and `$(…)` can be nested. */
  readonly #open: Context[] = ['bare'];

  read(text: string): void {
    for (let at = 0; at < text.length; at += 1) {
      const character = text[at];
      const context = this.#open.at(-1);
      if (context === 'single') {
        if (character === "'") this.#open.pop();
      } else if (character === '\\') at += 1;
      else if (character === '"') this.#enterOrLeave('double');
      else if (character === '$' && text[at + 1] === '(') {
        this.#open.push('bare');
        at += 1;
      } else if (context === 'bare') this.#readBare(character);
    }
  }

  expand(variable: string): string {
    const context = this.#open.at(-1);
    if (context === 'double') return variable;
    return context === 'single' ? `'"${variable}"'` : `"${variable}"`;
  }

  #readBare(character: string | undefined): void {
    if (character === "'") this.#open.push('single');
    else if (character === '(') this.#open.push('bare');
    else if (character === ')' && this.#open.length > 1) this.#open.pop();
  }

  #enterOrLeave(context: Context): void {
    if (this.#open.at(-1) === context) this.#open.pop();
    else this.#open.push(context);
  }
}
