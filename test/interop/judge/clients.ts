// The judged clients. What a client needs besides this project's packages is installed into .cache/ once, from the lists in
// programs/. Debian packages are used as installed.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Protocol } from '#build/judged-clients.ts';
import { findTool } from '#test/support/debian-programs.ts';
import { installedOnce } from '#test/support/installed-once.ts';
import { modAuthMellon, modAuthOpenidc } from './apache-clients.ts';
import { openProgram, programs } from './driven-program.ts';
import { type JudgedClient, UnavailableError } from './judged-client.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

function inJavaScript(name: string, protocol: Protocol, file: string): JudgedClient {
  return {
    name,
    protocol,
    async open(around) {
      const { version } = JSON.parse(readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'));
      const command = [process.execPath, '--import', 'tsx', join(programs, file)] as const;
      return openProgram({ version, protocol, command }, around);
    },
  };
}

function inPython(name: string, protocol: Protocol, file: string): JudgedClient {
  return {
    name,
    protocol,
    async open(around) {
      const environment = await installed('python', 'requirements.txt', async (list, directory) => {
        await run(toolNamed('python3'), ['-m', 'venv', directory]);
        await run(join(directory, 'bin', 'pip'), ['install', '--quiet', '--requirement', list]);
      });
      const python = join(environment, 'bin', 'python');
      const ask = `import importlib.metadata as all; print(all.version("${name}"))`;
      const { stdout } = await run(python, ['-c', ask]);
      return openProgram({ version: stdout.trim(), protocol, command: [python, join(programs, file)] }, around);
    },
  };
}

const nimbus: JudgedClient = {
  name: 'Nimbus oauth2-oidc-sdk',
  protocol: 'oidc',
  async open(around) {
    const java = toolNamed('java');
    const jars = await installed('java', 'pom.xml', async (list, directory) => {
      const goal = ['dependency:copy-dependencies', `-DoutputDirectory=${directory}`];
      await run(toolNamed('mvn'), ['--quiet', '--batch-mode', '--file', list, ...goal]);
    });
    const version = readdirSync(jars)
      .map((file) => /^oauth2-oidc-sdk-(.+)\.jar$/.exec(file)?.[1])
      .find((found) => found !== undefined);
    const command = [java, '-cp', join(jars, '*'), join(programs, 'Nimbus.java')] as const;
    return openProgram({ version: version ?? 'unknown', protocol: 'oidc', command }, around);
  },
};

/** The directory that `install` filled from a list, once for each state of the list. @throws UnavailableError */
async function installed(
  name: string,
  list: string,
  install: (list: string, directory: string) => Promise<void>,
): Promise<string> {
  const path = join(programs, list);
  try {
    return await installedOnce(join('judge', name), path, (directory) => install(path, directory));
  } catch (error) {
    throw new UnavailableError(`${list} could not be installed: ${error instanceof Error ? error.message : error}`);
  }
}

function toolNamed(name: string): string {
  const path = findTool(name);
  if (path === undefined) throw new UnavailableError(`${name} is not on the PATH`);
  return path;
}

export const judgedClients: readonly JudgedClient[] = [
  inJavaScript('openid-client', 'oidc', 'openid-client.ts'),
  inJavaScript('oauth4webapi', 'oidc', 'oauth4webapi.ts'),
  inPython('Authlib', 'oidc', 'authlib_client.py'),
  nimbus,
  modAuthOpenidc,
  inJavaScript('@node-saml/node-saml', 'saml', 'node-saml.ts'),
  inJavaScript('samlify', 'saml', 'samlify.ts'),
  inPython('pysaml2', 'saml', 'pysaml2_client.py'),
  modAuthMellon,
];
