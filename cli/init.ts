// `test-idp init [directory]`: writes commented configuration files to start from. It never overwrites a file (CLI-16,
// D30).

import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { configDirectory, withConfigDir } from './command-line.ts';
import { optionsOf } from './options.ts';
import { starterFiles } from './starter-files.ts';
import { parsingError, UsageError } from './usage-error.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { values, positionals } = readArguments(args);
  const option = values['config-dir'];
  const [directory, ...more] = positionals;
  if (more.length > 0 || (directory !== undefined && option !== undefined)) {
    throw new UsageError('init accepts only one directory, as its argument or as --config-dir');
  }
  // An unset variable in a script must not mean the working directory.
  if (directory === '') throw new UsageError('The directory of init must not be empty');
  const target = directory === undefined ? configDirectory(option) : resolve(directory);
  try {
    mkdirSync(target, { recursive: true });
    for (const [name, text] of Object.entries(starterFiles)) {
      const path = join(target, name);
      process.stdout.write(create(path, text) ? `created ${path}\n` : `skipped ${path} (it already exists)\n`);
    }
  } catch (error) {
    throw new Error(`${target} cannot be written (${codeOf(error)})`, { cause: error });
  }
  return 0;
}

function readArguments(args: readonly string[]) {
  const options = optionsOf.init;
  try {
    return parseArgs({ args: withConfigDir(args, options), options, allowPositionals: true });
  } catch (error) {
    throw parsingError(error, Object.keys(options));
  }
}

/** false: the name already exists, even as a dangling symbolic link. */
function create(path: string, text: string): boolean {
  try {
    writeFileSync(path, text, { flag: 'wx' });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
}
