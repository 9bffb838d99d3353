// The programs that the benchmark starts: builds of this program with a configuration of their own, and the peers.
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type StartedProgram, startProgram } from './started-program.ts';

export const root = fileURLToPath(new URL('..', import.meta.url));
export const peersDirectory = join(root, 'bench', 'peers');
export const client = { id: 'demo-client', secret: 'demo-secret' } as const;
export const user = { username: 'admin', password: 'admin' } as const;
/** No server listens there, because the flows stop at the redirect. */
export const callback = 'http://127.0.0.1:9/callback';

export interface Programs {
  /** Starts a build: the directory of its cli.js, with additional arguments for `start`. */
  build(directory: string, ...further: string[]): Promise<StartedProgram>;
  ours(...further: string[]): Promise<StartedProgram>;
  /** One of `bench/peers`, by file name. */
  peer(name: Peer, ...further: string[]): Promise<StartedProgram>;
}

type Peer = 'bare-http' | 'bare-token' | 'oauth2-mock-server' | 'oidc-provider';

/** `directory` contains the configuration, as prepareDirectory created it. */
export function programsOn(directory: string): Programs {
  const build: Programs['build'] = (built, ...further) =>
    startProgram([
      join(built, 'cli.js'),
      'start',
      ...further,
      ...['--config-dir', join(directory, 'config'), '--port', '0', '--ready-json', '--log-level', 'WARNING'],
    ]);
  return {
    build,
    ours: (...further) => build(join(root, 'dist'), ...further),
    peer: (name, ...further) =>
      startProgram([join(peersDirectory, `${name}.mjs`), ...further], { cwd: peersDirectory }),
  };
}

/** `further`: top-level sections of settings.yaml in addition to those of every scenario. */
export function prepareDirectory(further: Readonly<Record<string, unknown>> = {}): string {
  const directory = mkdtempSync(join(tmpdir(), 'test-idp-bench-'));
  mkdirSync(join(directory, 'config'));
  writeFileSync(
    join(directory, 'config', 'settings.yaml'),
    [
      'oauth:',
      '  issuer_from_request: true',
      '  clients:',
      `    - { client_id: ${client.id}, client_secret: ${client.secret} }`,
      'logging: { log_token_requests: false }',
      // JSON is YAML.
      ...Object.entries(further).map(([section, content]) => `${section}: ${JSON.stringify(content)}`),
      '',
    ].join('\n'),
  );
  writeFileSync(
    join(directory, 'config', 'users.yaml'),
    `users:\n  ${user.username}: { password: ${user.password}, email: admin@example.org }\n`,
  );
  return directory;
}
