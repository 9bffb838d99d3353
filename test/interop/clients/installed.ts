// The clients' packages, installed apart from the product into .cache/ from the lists in packages/, once for each state of
// a list. The programs lie beside them there, so that they find them.
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installedOnce } from '#test/support/installed-once.ts';
import { findTool } from '#test/support/tools.ts';
import type { ClientRow } from './client-rows.ts';

const here = fileURLToPath(new URL('./', import.meta.url));
const run = promisify(execFile);

export interface Installed {
  commandOf(row: ClientRow): readonly [string, ...string[]];
  versionOf(row: ClientRow): string;
}

/** @throws Error when a tool or a registry is missing */
export async function installClients(): Promise<Installed> {
  const [javascript, python] = await Promise.all([
    installedOnce('clients-javascript', join(here, 'packages', 'package-lock.json'), async (directory) => {
      for (const list of ['package.json', 'package-lock.json'])
        cpSync(join(here, 'packages', list), join(directory, list));
      const options = ['--ignore-scripts', '--no-audit', '--no-fund'];
      await run('npm', ['ci', ...options], { cwd: directory });
    }),
    installedOnce('clients-python', join(here, 'packages', 'requirements.txt'), async (directory) => {
      const interpreter = findTool('python3');
      if (interpreter === undefined) throw new Error('python3 is not on the PATH');
      await run(interpreter, ['-m', 'venv', directory]);
      await run(join(directory, 'bin', 'pip'), [
        'install',
        '--quiet',
        '--requirement',
        join(here, 'packages', 'requirements.txt'),
      ]);
    }),
  ]);
  for (const directory of [javascript, python]) {
    cpSync(join(here, 'programs'), join(directory, 'programs'), { recursive: true });
  }
  return {
    commandOf({ language, program }) {
      return language === 'JavaScript'
        ? [process.execPath, join(javascript, 'programs', program)]
        : [join(python, 'bin', 'python'), join(python, 'programs', program)];
    },
    versionOf({ language, name }) {
      if (language === 'JavaScript') {
        const { version } = JSON.parse(readFileSync(join(javascript, 'node_modules', name, 'package.json'), 'utf8'));
        return version;
      }
      const site = join(python, 'lib', readdirSync(join(python, 'lib'))[0] ?? '', 'site-packages');
      const wanted = `${name.toLowerCase().replaceAll('-', '_')}-`;
      const found = readdirSync(site).find(
        (file) => file.toLowerCase().startsWith(wanted) && file.endsWith('.dist-info'),
      );
      return found?.slice(wanted.length, -'.dist-info'.length) ?? 'unknown';
    },
  };
}
