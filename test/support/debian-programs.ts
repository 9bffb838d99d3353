// Programs from Debian that some tests need. If one is missing, the test prints that and is skipped. CI installs the
// programs, so there the test fails instead.
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The absolute path of a program on the PATH, or undefined. */
export function findTool(name: string): string | undefined {
  const directories = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
  return directories.map((directory) => join(directory, name)).find(isExecutable);
}

/** A program that a test needs is missing. `verifies` skips the test and prints the reason. */
export class MissingToolError extends Error {}

/** The program's path. @throws MissingToolError */
export function requiredTool(name: string, debianPackage = name): string {
  const path = findTool(name);
  if (path === undefined)
    throw new MissingToolError(`${name} is not on the PATH; install Debian's package ${debianPackage}`);
  return path;
}

/** A test or hook, or another caller that can skip what needs a tool. */
export type Skippable = Pick<Mocha.Context, 'skip'>;

/** Returns the program's path, or skips the test or hook and prints the reason. */
export function toolOrSkip(context: Skippable, name: string, debianPackage = name): string {
  try {
    return requiredTool(name, debianPackage);
  } catch (error) {
    return skipIfToolIsMissing(context, error);
  }
}

/** Skips for a missing tool only, and not under CI. Rethrows every other error. */
export function skipIfToolIsMissing(context: Skippable, error: unknown): never {
  if (!(error instanceof MissingToolError) || process.env.TEST_IDP_REQUIRE_TOOLS === '1') throw error;
  return skipBecause(context, error.message);
}

/** Skips the test or hook and prints the reason, unless downloads from `registry` (neither npm nor Debian) are enabled. */
export function downloadsOrSkip(context: Skippable, registry: string): void {
  if (process.env.TEST_IDP_DOWNLOADS === '1') return;
  skipBecause(context, `its packages come from ${registry}; TEST_IDP_DOWNLOADS=1 enables the download`);
}

/** Skips the calling test or hook and prints the reason. */
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
