// A Debian Apache with its own server root, configuration and free port, for real service providers in interop drills.
import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '#test/support/free-port.ts';
import { type Skippable, toolOrSkip } from './debian-programs.ts';

const modulesDirectory = '/usr/lib/apache2/modules';
const commonModules = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'dir', 'mime', 'headers', 'alias'];

export interface Apache {
  readonly baseUrl: string;
  readonly root: string;
  errorLog(): string;
  stop(): Promise<void>;
}

export interface ApacheOptions {
  /** The module under test and its Debian package. */
  readonly module: string;
  /** The symbol of the module if it differs from `<module>_module`. */
  readonly symbol?: string;
  readonly debianPackage: string;
  /** Called with the addresses. It may write files into the root, and returns the directives. */
  readonly configure: (site: { readonly root: string; readonly baseUrl: string }) => Promise<string> | string;
}

/** Serves `/protected/` with the page "behind the login", protected by the directives of `configure`. */
export async function startApache(context: Skippable, options: ApacheOptions): Promise<Apache> {
  const program = toolOrSkip(context, 'apache2');
  if (!existsSync(join(modulesDirectory, `mod_${options.module}.so`))) {
    toolOrSkip(context, `mod_${options.module}`, options.debianPackage);
  }
  const root = mkdtempSync(join(tmpdir(), 'test-idp-apache-'));
  const port = await freePort();
  const baseUrl = `http://127.0.0.1:${port}`;
  mkdirSync(join(root, 'htdocs', 'protected'), { recursive: true });
  writeFileSync(
    join(root, 'htdocs', 'protected', 'index.html'),
    '<!doctype html><title>ok</title><p>behind the login</p>\n',
  );
  const directives = await options.configure({ root, baseUrl });
  const isRoot = process.getuid?.() === 0;
  writeFileSync(
    join(root, 'httpd.conf'),
    [
      `ServerRoot ${root}`,
      'ServerName 127.0.0.1',
      `Listen 127.0.0.1:${port}`,
      `PidFile ${root}/httpd.pid`,
      `ErrorLog ${root}/error.log`,
      `DefaultRuntimeDir ${root}`,
      `Mutex file:${root}`,
      ...commonModules.map((name) => `LoadModule ${name}_module ${modulesDirectory}/mod_${name}.so`),
      `LoadModule ${options.symbol ?? `${options.module}_module`} ${modulesDirectory}/mod_${options.module}.so`,
      ...(isRoot ? ['User www-data', 'Group www-data'] : []),
      'StartServers 1',
      `DocumentRoot ${root}/htdocs`,
      'TypesConfig /dev/null',
      'AddType text/html .html',
      'DirectoryIndex index.html',
      `<Directory ${root}/htdocs>`,
      '  Require all granted',
      '</Directory>',
      'Header always set X-Remote-User "expr=%{REMOTE_USER}"',
      // A browser may treat a page as fresh for a tenth of its age, and show protected content after the logout.
      'Header always set Cache-Control no-store',
      directives,
      '',
    ].join('\n'),
  );
  // The worker processes of Apache run as another user and must be able to read their site.
  chmodSync(root, 0o777);
  const child = spawn(program, ['-f', join(root, 'httpd.conf'), '-DFOREGROUND'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaints = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk.toString();
  });
  const errorLog = () =>
    complaints + (existsSync(join(root, 'error.log')) ? readFileSync(join(root, 'error.log'), 'utf8') : '');
  await answers(baseUrl, child, errorLog);
  return {
    baseUrl,
    root,
    errorLog,
    async stop() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGTERM');
      await ended;
      rmSync(root, { recursive: true, force: true });
    },
  };
}

async function answers(baseUrl: string, child: ChildProcess, errorLog: () => string): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (Date.now() < deadline && child.exitCode === null) {
    try {
      await fetch(`${baseUrl}/favicon.ico`);
      return;
    } catch {
      // With a pause, because the awaited process needs the CPU.
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`Apache does not answer:\n${errorLog()}`);
}
