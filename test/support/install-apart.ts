// Third-party programs for drills, installed from their own lock file into .cache/ unless .cache/ has that version. They
// are not under test/, because such packages contain files that look like tests.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './source-text.ts';

export interface InstalledApart {
  /** The directory with the packages in `node_modules`. */
  readonly directory: string;
  /** Why they are unavailable, or undefined. */
  readonly missing: string | undefined;
}

/** Installs `test/interop/<name>/package-lock.json` into `.cache/<name>`, without running its scripts. */
export function installApart(name: string): InstalledApart {
  const locked = join(repositoryRoot, 'test/interop', name);
  const directory = join(repositoryRoot, '.cache', name);
  const marker = join(directory, 'installed-lock.json');
  const lock = readFileSync(join(locked, 'package-lock.json'), 'utf8');
  if (textOf(marker) === lock) return { directory, missing: undefined };
  mkdirSync(directory, { recursive: true });
  for (const file of ['package.json', 'package-lock.json']) copyFileSync(join(locked, file), join(directory, file));
  const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
  const { status, stderr, error } = spawnSync('npm', ['ci', ...options], { cwd: directory, encoding: 'utf8' });
  if (status !== 0) {
    return { directory, missing: `${name} cannot be installed: ${error?.message ?? stderr.trim().split('\n').at(-1)}` };
  }
  copyFileSync(join(locked, 'package-lock.json'), marker);
  return { directory, missing: undefined };
}

/** Skips a suite and prints the reason, or fails it if tools are required (`TEST_IDP_REQUIRE_TOOLS=1`). */
export function skipIfMissing(context: Mocha.Context, { missing }: InstalledApart): void {
  if (missing === undefined) return;
  if (process.env.TEST_IDP_REQUIRE_TOOLS === '1') throw new Error(missing);
  process.stderr.write(`skipped: ${missing}\n`);
  context.skip();
}

function textOf(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
