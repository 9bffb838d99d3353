// A stack starts and serves in unusual environments: odd and long paths, few file descriptors, no home, no temporary
// directory, another language and time zone, IPv6 only, closed standard input.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect } from 'chai';
import { repositoryRoot } from '#test/support/source-text.ts';
import { cliPath } from '#test/support/start-idp.ts';

describe('a start in an unusual environment', function () {
  this.timeout(60_000);
  let root: string;
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'test-idp-odd-'));
  });
  afterEach(() => rmSync(root, { recursive: true, force: true }));

  /** Returns the statuses of five addresses, and the exit code after SIGTERM. */
  async function served(directory: string, limit: string, args: readonly string[], env: Record<string, string>) {
    const config = join(root, directory, 'config');
    mkdirSync(config, { recursive: true });
    for (const name of ['settings.yaml', 'users.yaml']) {
      copyFileSync(join(repositoryRoot, 'config', name), join(config, name));
    }
    const command = [
      process.execPath,
      cliPath,
      'start',
      '--port',
      '0',
      '--ready-json',
      '--config-dir',
      config,
      ...args,
    ];
    const child = spawn('sh', ['-c', `${limit} exec "$@" <&-`, 'sh', ...command], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { PATH: process.env.PATH, ...env },
    });
    const exited = once(child, 'exit');
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    const { base_url } = JSON.parse(String(line)) as { base_url: string };
    const paths = ['/api/health', '/saml/metadata', '/.well-known/jwks.json', '/', '/login'];
    const statuses: number[] = [];
    for (const path of paths) statuses.push((await fetch(base_url + path)).status);
    child.kill('SIGTERM');
    return { statuses, exit: await exited, base_url };
  }

  const fine = { statuses: [200, 200, 200, 200, 200], exit: [0, null] };

  it('works with a long path of unusual characters, 256 descriptors, no home and no temporary directory', async () => {
    const path = join('sp ace', 'ünï-日本', "a#b%20c?d;e&f'g", 'd'.repeat(150));
    const env = { TMPDIR: join(root, 'missing'), TZ: 'Asia/Kathmandu', LC_ALL: 'tr_TR.UTF-8' };
    expect(await served(path, 'ulimit -n 256;', ['--log-level', 'WARNING'], env)).to.deep.include(fine);
  });

  it('works with IPv6 only', async function () {
    const addresses = Object.values(networkInterfaces()).flat();
    if (!addresses.some((found) => found?.address === '::1')) {
      process.stderr.write('skipped: this machine has no ::1\n');
      return this.skip();
    }
    const answer = await served('six', '', ['--host', '::1', '--log-level', 'WARNING'], {});
    expect(answer).to.deep.include(fine);
    expect(answer.base_url).to.match(/^http:\/\/\[::1\]:\d+$/);
  });
});
