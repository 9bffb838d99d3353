// Many instances, separate processes, and tests that fake time or intercept requests of an instance.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { claimsOf } from '#test/support/http.ts';
import { median } from '#test/support/median.ts';
import { until } from '#test/support/stack.ts';
import { apiPath, pemKeys, rejection, startIdp } from '#test/support/start-api.ts';
import { verifies } from '#test/support/verifies.ts';

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

/** Milliseconds. The timeout of mocha would not stop what the test waits for. */
const timeout = 240_000;

describe('the start API', function () {
  this.timeout(300_000);

  verifies('API-31', 'leaks nothing in a hundred starts and stops', () => {
    const args = ['--no-warnings', '--expose-gc', fixture('start-api-traces.mjs'), apiPath, 'often'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout });
    expect([status, stderr]).to.deep.equal([0, '']);
    const { before, after, left, grown } = JSON.parse(stdout);
    expect({ ...after, temporary: 0 }).to.deep.equal({ ...before, temporary: 0 });
    expect(left).to.deep.equal([]);
    expect(grown).to.be.at.most(10 * 1024 * 1024);
  });

  verifies('API-11', 'starts within 600 ms with the import, and within 100 ms from then on', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'test-idp-duration-'));
    try {
      const keysFile = join(directory, 'keys.json');
      writeFileSync(keysFile, JSON.stringify(await pemKeys()));
      const measured = Array.from({ length: 10 }, (): { first: Taken; later: Taken[] } => {
        const args = ['--no-warnings', fixture('start-api-duration.mjs'), apiPath, keysFile];
        return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', timeout }));
      });
      expect(quietly(measured.map(({ first }) => first))).to.be.at.most(600);
      expect(quietly(measured.flatMap(({ later }) => later))).to.be.at.most(100);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  verifies('API-13', 'runs fifty at once that share nothing, their keys included', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => startIdp()));
    try {
      await Promise.all(all.map((idp, index) => idp.addUser({ username: 'same', password: `p${index}` })));
      await Promise.all(all.map((idp, index) => idp.clock.advance(3600 * (index + 1))));
      const seen = await Promise.all(
        all.map(async (idp) => {
          const { access_token } = await idp.token({ user: 'same' });
          const { keys } = (await (await idp.fetch('/.well-known/jwks.json')).json()) as { keys: { kid: string }[] };
          const ours = (await idp.audit()).filter(({ event_type }) => event_type === 'runtime_identity_created');
          return { claims: claimsOf(access_token), kids: keys.map(({ kid }) => kid), ours: ours.length };
        }),
      );
      expect(new Set(seen.map(({ claims }) => claims.iss)).size).to.equal(50);
      expect(new Set(seen.flatMap(({ kids }) => kids)).size).to.equal(50);
      expect(seen.map(({ ours }) => ours)).to.deep.equal(Array(50).fill(1));
      expect(
        new Set(seen.map(({ claims }) => Math.round((Number(claims.iat) * 1000 - Date.now()) / 3_600_000))).size,
      ).to.equal(50);
    } finally {
      await Promise.all(all.map((idp) => idp.stop()));
    }
  });

  verifies('API-09', 'runs separate processes behind the same members', async () => {
    const keys = await pemKeys();
    const idp = await startIdp({
      stack: true,
      oidcWorkers: 2,
      keys,
      users: { alice: { password: 'a' } },
      timeout: 60_000,
    });
    try {
      expect(idp.mcpUrl).to.match(/^http:\/\/127\.0\.0\.1:\d+\/mcp$/);
      const children = readFileSync(`/proc/${idp.pid}/task/${idp.pid}/children`, 'utf8').trim().split(' ');
      // Two OIDC frontends, the SAML frontend and MCP.
      expect(children).to.have.length(4);
      expect(await idp.keys.pem()).to.deep.equal(keys);
      expect([idp.users.alice?.password, idp.issuer]).to.deep.equal(['a', idp.url]);
      await idp.addUser({ username: 'bob', password: 'b' });
      expect(claimsOf((await idp.token({ user: 'bob' })).access_token).iss).to.equal(idp.url);
      await idp.clock.advance('1h');
      await idp.reset();
      expect((await idp.clock.read()).offset_seconds).to.equal(0);
      expect((await idp.fetch('/api/users/bob')).status).to.equal(404);
      expect(claimsOf((await idp.token({ user: 'alice' })).access_token).iss).to.equal(idp.url);
      const inUse = await rejection(startIdp({ stack: true, keys, port: idp.port, timeout: 60_000 }));
      expect(inUse.kind).to.equal('address_in_use');
    } finally {
      await idp.stop();
    }
    expect(isAlive(idp.pid)).to.equal(false);
    expect((await rejection(idp.token())).kind).to.equal('stopped');
  });

  verifies('API-32', 'ends its processes with the process that started them, even when that is killed', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'test-idp-forgotten-'));
    try {
      for (const how of ['forgotten', 'killed'] as const) {
        const script = join(directory, `${how}.mjs`);
        const wait = how === 'killed' ? 'setInterval(() => {}, 1000);' : '';
        writeFileSync(
          script,
          `import { startIdp } from ${JSON.stringify(pathToFileURL(apiPath).href)};
const idp = await startIdp({ stack: true, timeout: 60_000 });
console.log(idp.pid);
${wait}`,
        );
        const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
        const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
        const pid = await new Promise<number>((resolve) => {
          createInterface({ input: child.stdout }).once('line', (line) => resolve(Number(line)));
        });
        if (how === 'killed') child.kill('SIGKILL');
        expect(await exited).to.equal(how === 'killed' ? null : 0);
        await until('the stack has ended', async () => !isAlive(pid));
      }
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  verifies('API-34', 'is neither blocked nor moved by fake timers, and reachable despite interceptors', () => {
    const project = mkdtempSync(join(tmpdir(), 'test-idp-interference-'));
    try {
      writeFileSync(join(project, 'package.json'), '{"private": true}');
      cpSync(fixture('start-api-interference.mjs'), join(project, 'run.mjs'));
      const packages = ['sinon@22.1.0', 'msw@3.0.5', 'nock@15.0.6'];
      const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
      execFileSync('npm', ['install', ...quiet, ...packages], { cwd: project, stdio: ['ignore', 'ignore', 'inherit'] });
      const { status, stdout, stderr } = spawnSync(process.execPath, ['--no-warnings', 'run.mjs', apiPath], {
        cwd: project,
        encoding: 'utf8',
        timeout,
      });
      expect([status, stderr]).to.deep.equal([0, '']);
      const seen = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      const fine = { near: true, code: 'string', hashed: 'login_refused', connected: true };
      const ways = ['nothing', 'sinon', 'node:test', 'msw', 'nock'];
      expect(seen).to.deep.equal(ways.map((name) => ({ name, ...fine })));
    } finally {
      rmSync(project, { recursive: true, force: true });
    }
  });
});

interface Taken {
  /** Milliseconds. */
  readonly clock: number;
  readonly processor: number;
}

/** The median duration on an idle machine: by the clock, or by processor time if other processes delayed it. */
function quietly(starts: readonly Taken[]): number {
  return Math.min(median(starts.map(({ clock }) => clock)), median(starts.map(({ processor }) => processor)));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
