// Programs from Debian that some tests need. Where one is missing the test says so and is skipped; under CI, which
// installs them, it fails instead, so that nothing is skipped there unseen.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The absolute path of a program on the PATH, or undefined. */
export function findTool(name: string): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

/** A program that a test needs is missing: `verifies` skips the test and prints why. */
export class MissingToolError extends Error {}

/** The program's path. @throws MissingToolError */
export function requiredTool(name: string, debianPackage = name): string {
  const path = findTool(name);
  if (path === undefined)
    throw new MissingToolError(`${name} is not on the PATH; install Debian's package ${debianPackage}`);
  return path;
}

/** A test or hook, or whoever else can leave out what needs a tool. */
export type Skippable = Pick<Mocha.Context, 'skip'>;

/** Inside a test or hook: the program's path, or the test is skipped with the reason printed. */
export function toolOrSkip(context: Skippable, name: string, debianPackage = name): string {
  try {
    return requiredTool(name, debianPackage);
  } catch (error) {
    return skipIfToolIsMissing(context, error);
  }
}

/** Skips for that reason alone, and not under CI; whatever else was thrown goes on. */
export function skipIfToolIsMissing(context: Skippable, error: unknown): never {
  if (!(error instanceof MissingToolError) || process.env.TEST_IDP_REQUIRE_TOOLS === '1') throw error;
  return skipBecause(context, error.message);
}

/** Inside a test or hook: skipped with the reason printed, unless downloads from `registry` (neither npm nor Debian) are asked for. */
export function downloadsOrSkip(context: Skippable, registry: string): void {
  if (process.env.TEST_IDP_DOWNLOADS === '1') return;
  skipBecause(context, `its packages come from ${registry}; TEST_IDP_DOWNLOADS=1 asks for them`);
}

/** Skips the test or hook it is called in, and prints why. */
export function skipBecause(context: Skippable, reason: string): never {
  process.stderr.write(`skipped: ${reason}\n`);
  return context.skip();
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
