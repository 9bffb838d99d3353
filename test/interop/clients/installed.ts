// The clients' packages, installed apart from the product into .cache/ from the lists in packages/, go/, java/ and rust/,
// once for each state of a list. The programs are copied next to them, so that imports resolve.
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findTool } from '#test/support/debian-programs.ts';
import { installedOnce } from '#test/support/installed-once.ts';
import { type ClientRow, clientRows, type Language } from './client-rows.ts';

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
    // Go caches its own builds.
    await run(toolOf('go'), ['build', '-o', `${join(directory, 'bin')}/`, './...'], { cwd: source });
    const tools = new Map<string, string>();
    for (const name of readdirSync(join(source, 'tools'))) tools.set(name, await installGoTool(name));
    return {
      commandOf({ program }) {
        const tool = tools.get(program);
        return [join(directory, 'bin', program), ...(tool === undefined ? [] : [tool])];
      },
      versionOf({ name, program }) {
        const list = tools.has(program) ? join(source, 'tools', program, 'go.mod') : join(source, 'go.mod');
        const line = readFileSync(list, 'utf8')
          .split('\n')
          .find((each) => each.includes(`${name} v`));
        // The last match, because a pseudo-version is followed by the released one.
        return / v(\S+)$/.exec(line ?? '')?.[1] ?? 'unknown';
      },
    };
  },
  async Java() {
    const source = join(here, 'java');
    const list = join(source, 'pom.xml');
    const directory = await installedOnce('clients-java', list, async (into) => {
      const libraries = `-Dlibraries=${join(into, 'libraries')}`;
      await run(toolOf('mvn'), ['--batch-mode', '--quiet', 'dependency:copy-dependencies', libraries], { cwd: source });
    });
    const librariesOf = (program: string) => join(directory, 'libraries', program);
    const classesOf = (program: string) => join(directory, 'classes', program);
    for (const program of readdirSync(join(directory, 'libraries'))) {
      const classPath = join(librariesOf(program), '*');
      const code = join(source, program, 'Application.java');
      await run(toolOf('javac'), ['-d', classesOf(program), '-cp', classPath, code]);
    }
    return {
      commandOf({ program }) {
        const classPath = [classesOf(program), join(librariesOf(program), '*')].join(delimiter);
        return [toolOf('java'), '-cp', classPath, 'clients.Application'];
      },
      versionOf({ name, program }) {
        const found = readdirSync(librariesOf(program)).find((file) => file.startsWith(`${name}-`));
        return found?.slice(name.length + 1, -'.jar'.length) ?? 'unknown';
      },
    };
  },
  async Rust() {
    const source = join(here, 'rust');
    const directory = await installedOnce('clients-rust', join(source, 'Cargo.lock'), async () => {});
    const target = join(directory, 'target');
    await run(toolOf('cargo'), ['build', '--quiet', '--locked', '--target-dir', target], { cwd: source });
    const locked = readFileSync(join(source, 'Cargo.lock'), 'utf8');
    return {
      commandOf: ({ program }) => [join(target, 'debug', program)],
      versionOf: ({ name }) => new RegExp(`name = "${name}"\\nversion = "(.+)"`).exec(locked)?.[1] ?? 'unknown',
    };
  },
  /** Uses Debian's packages, which must be installed already. */
  async Ruby() {
    const ruby = toolOf('ruby');
    const versions = new Map<string, string>();
    for (const { name } of clientRows.filter(({ language }) => language === 'Ruby')) {
      const { stdout } = await run(ruby, ['-e', 'print Gem::Specification.find_by_name(ARGV[0]).version', name]);
      versions.set(name, stdout);
    }
    return {
      commandOf: ({ program }) => [ruby, join(here, 'ruby', program)],
      versionOf: ({ name }) => versions.get(name) ?? 'unknown',
    };
  },
};

/**
 * Builds a third-party program with the dependencies of its own release. Each has its own module in go/tools, without a
 * go.sum, because Go verifies downloads against its public checksum database.
 * @returns the path of the program
 */
async function installGoTool(name: string): Promise<string> {
  const list = join(here, 'go', 'tools', name, 'go.mod');
  const directory = await installedOnce(`clients-go-${name}`, list, async (into) => {
    cpSync(list, join(into, 'go.mod'));
    const env = { ...process.env, CGO_ENABLED: '0', GOBIN: into };
    await run(toolOf('go'), ['install', '-mod=mod', 'tool'], { cwd: into, env });
  });
  return join(directory, name);
}

function toolOf(name: string): string {
  const path = findTool(name);
  if (path === undefined) throw new Error(`${name} is not on the PATH`);
  return path;
}
