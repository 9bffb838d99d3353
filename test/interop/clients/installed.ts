// The clients' packages, installed apart from the product into .cache/ from the lists in packages/ and go/, once for each state
// of a list. The programs lie beside them there, so that they find them.
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installedOnce } from '#test/support/installed-once.ts';
import { findTool } from '#test/support/tools.ts';
import type { ClientRow, Language } from './client-rows.ts';

const here = fileURLToPath(new URL('./', import.meta.url));
const run = promisify(execFile);

export interface Installed {
  commandOf(row: ClientRow): readonly [string, ...string[]];
  versionOf(row: ClientRow): string;
}

/** @throws Error when a tool or a registry is missing */
export async function installClients(languages: readonly Language[]): Promise<Installed> {
  const installed = new Map<Language, Installed>();
  for (const language of languages) installed.set(language, await installers[language]());
  const of = ({ language }: ClientRow): Installed => {
    const found = installed.get(language);
    if (found === undefined) throw new Error(`nothing in ${language} was installed`);
    return found;
  };
  return { commandOf: (row) => of(row).commandOf(row), versionOf: (row) => of(row).versionOf(row) };
}

const installers: Readonly<Record<Language, () => Promise<Installed>>> = {
  async JavaScript() {
    const list = join(here, 'packages', 'package-lock.json');
    const directory = await installedOnce('clients-javascript', list, async (into) => {
      for (const name of ['package.json', 'package-lock.json']) {
        cpSync(join(here, 'packages', name), join(into, name));
      }
      await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: into });
    });
    cpSync(join(here, 'programs'), join(directory, 'programs'), { recursive: true });
    return {
      commandOf: ({ program }) => [process.execPath, join(directory, 'programs', program)],
      versionOf: ({ name }) =>
        JSON.parse(readFileSync(join(directory, 'node_modules', name, 'package.json'), 'utf8')).version,
    };
  },
  async Python() {
    const list = join(here, 'packages', 'requirements.txt');
    const directory = await installedOnce('clients-python', list, async (into) => {
      await run(toolOf('python3'), ['-m', 'venv', into]);
      await run(join(into, 'bin', 'pip'), ['install', '--quiet', '--requirement', list]);
    });
    cpSync(join(here, 'programs'), join(directory, 'programs'), { recursive: true });
    return {
      commandOf: ({ program }) => [join(directory, 'bin', 'python'), join(directory, 'programs', program)],
      versionOf({ name }) {
        const site = join(directory, 'lib', readdirSync(join(directory, 'lib'))[0] ?? '', 'site-packages');
        const wanted = `${name.toLowerCase().replaceAll('-', '_')}-`;
        const found = readdirSync(site).find(
          (file) => file.toLowerCase().startsWith(wanted) && file.endsWith('.dist-info'),
        );
        return found?.slice(wanted.length, -'.dist-info'.length) ?? 'unknown';
      },
    };
  },
  async Go() {
    const source = join(here, 'go');
    const list = join(source, 'go.sum');
    const directory = await installedOnce('clients-go', list, async () => {
      await run(toolOf('go'), ['mod', 'download'], { cwd: source });
    });
    // Go itself knows what it has built already.
    await run(toolOf('go'), ['build', '-o', `${join(directory, 'bin')}/`, './...'], { cwd: source });
    return {
      commandOf: ({ program }) => [join(directory, 'bin', program)],
      versionOf({ name }) {
        const words = readFileSync(join(source, 'go.mod'), 'utf8').split(/\s+/);
        return words[words.indexOf(name) + 1]?.replace(/^v/, '') ?? 'unknown';
      },
    };
  },
};

function toolOf(name: string): string {
  const path = findTool(name);
  if (path === undefined) throw new Error(`${name} is not on the PATH`);
  return path;
}
