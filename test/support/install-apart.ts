// Programs of other people that drills run: installed from a lock file of their own into .cache/, and only when .cache/
// does not hold that version yet. Not under test/, because such packages bring files that look like tests.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from './source-text.ts';

export interface InstalledApart {
  /** Where the packages are, with `node_modules` in it. */
  readonly directory: string;
  /** Why they cannot be had, or undefined when they are there. */
  readonly missing: string | undefined;
}

/** Installs what `test/interop/<name>/package-lock.json` says into `.cache/<name>`, without running any script of it. */
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

/** Skips a suite with the reason printed, or fails it where tools must be there (`TEST_IDP_REQUIRE_TOOLS=1`). */
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
