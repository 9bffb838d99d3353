// Future versions of the program, each a minor or major version after the previous one. They are built from these sources
// with further PostgreSQL schema steps, because versions meet in the schema.
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SchemaStep } from '#shared/state/store/postgres/schema/steps.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sources = [
  ...['api', 'build', 'cli', 'services', 'shared', 'supervisor'],
  ...['docs/openapi.json', 'package.json', 'package-lock.json', 'tsconfig.json'],
];

interface NextVersion {
  readonly version: string;
  /** Steps in addition to those of the previous version. */
  readonly steps: readonly SchemaStep[];
}

export interface NextVersions {
  /** The built command of each version, for `startIdp`. */
  readonly commands: readonly string[];
  remove(): void;
}

/** Each version continues from the previous one. */
export function buildNextVersions(versions: readonly NextVersion[]): NextVersions {
  const directory = mkdtempSync(join(tmpdir(), 'test-idp-next-'));
  let before = root;
  const commands = versions.map(({ version, steps }) => {
    const place = join(directory, version);
    for (const source of sources) {
      mkdirSync(dirname(join(place, source)), { recursive: true });
      cpSync(join(before, source), join(place, source), { recursive: true });
    }
    symlinkSync(join(root, 'node_modules'), join(place, 'node_modules'));
    const manifest: Record<string, unknown> = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'));
    writeFileSync(join(place, 'package.json'), JSON.stringify({ ...manifest, version }));
    appendFileSync(
      join(place, 'shared/state/store/postgres/schema/steps.ts'),
      `(schemaSteps as SchemaStep[]).push(...${JSON.stringify(steps)});\n`,
    );
    execFileSync(process.execPath, [join(place, 'build/build.mjs')], { cwd: place, stdio: 'pipe' });
    before = place;
    return join(place, 'dist/cli.js');
  });
  return { commands, remove: () => rmSync(directory, { recursive: true, force: true }) };
}
