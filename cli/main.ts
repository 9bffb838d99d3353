// The command table of `test-idp`: the commands and how to load them. Each command is one file, imported when it is
// called, because every start waits for what this file loads.
import { messageOf } from '#shared/base/error-text.ts';
import type { CommandName } from './options.ts';
import { UsageError } from './usage-error.ts';

interface Command {
  /** Returns the exit code: 0 success, 1 rejected or failed, 2 could not run (CLI-09). */
  run(args: readonly string[]): Promise<number>;
}

const commands = {
  start: () => import('./start.ts'),
  oidc: () => import('./oidc.ts'),
  saml: () => import('./saml.ts'),
  mcp: () => import('./mcp.ts'),
  'validate-config': () => import('./validate-config.ts'),
  'config-schema': () => import('./config-schema.ts'),
  init: () => import('./init.ts'),
  token: () => import('./token.ts'),
  ca: () => import('./ca.ts'),
  health: () => import('./health.ts'),
  exam: () => import('./exam.ts'),
} satisfies Record<CommandName, () => Promise<Command>>;

// The program that started this one may close the pipe. Serving continues, so a broken pipe is not an error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

void main(process.argv.slice(2)).then((code) => process.exit(code));

async function main([first, ...rest]: readonly string[]): Promise<number> {
  const name = commandName(first);
  // Arguments after `--` are not options.
  const options = rest.includes('--') ? rest.slice(0, rest.indexOf('--')) : rest;
  try {
    if (first === '--version' || (name !== undefined && options.includes('--version'))) return await printVersion();
    if (first === '--help' || first === '-h') return await printHelp(commandName(rest[0]));
    if (first === 'help') return await printHelp(helpSubject(rest));
    if (name !== undefined && (options.includes('--help') || options.includes('-h'))) return await printHelp(name);
    if (first === undefined) throw new UsageError('The command is missing.');
    if (name === undefined) throw unknownCommand(first);
    const command: Command = await commands[name]();
    return await command.run(rest);
  } catch (error) {
    return await explain(error, name);
  }
}

function commandName(text: string | undefined): CommandName | undefined {
  return text !== undefined && isCommandName(text) ? text : undefined;
}

function isCommandName(text: string): text is CommandName {
  return Object.hasOwn(commands, text);
}

/** Suggests similar commands, commands that share a word, and commands that were typed as options. */
function unknownCommand(written: string): UsageError {
  const what = written.startsWith('-') ? 'option' : 'command';
  const known = [...Object.keys(commands), 'help', '--version'];
  return new UsageError(`Unknown ${what} ${JSON.stringify(written)}.`, { what, written, known });
}

/** `test-idp help start` explains start. */
function helpSubject([subject]: readonly string[]): CommandName | undefined {
  const name = commandName(subject);
  if (subject !== undefined && name === undefined) throw unknownCommand(subject);
  return name;
}

async function printHelp(name: CommandName | undefined): Promise<number> {
  const { commandHelp, programHelp } = await import('./help.ts');
  process.stdout.write(name === undefined ? programHelp() : commandHelp(name));
  return 0;
}

async function printVersion(): Promise<number> {
  const { version } = await import('#shared/base/version.ts');
  process.stdout.write(`${version}\n`);
  return 0;
}

/** One line with the problem, without a stack trace. */
async function explain(error: unknown, name: CommandName | undefined): Promise<number> {
  const message = error instanceof UsageError ? await error.explained() : messageOf(error);
  process.stderr.write(`test-idp: ${message.replaceAll(/\s*\n\s*/g, ' ')}\n`);
  if (error instanceof UsageError || isParseArgsError(error)) {
    const { usageLine } = await import('./help.ts');
    process.stderr.write(usageLine(name));
  }
  return 1;
}

/** The errors of util.parseArgs for an unknown option or a missing value. */
function isParseArgsError(error: unknown): boolean {
  return error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
}
