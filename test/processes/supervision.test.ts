// Workers that die, hang, refuse to start or are told to end: what the stack does, seen from outside.
import { readdirSync, statSync, writeFileSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { basic, postForm, rawRequest } from '#test/support/http.ts';
import { authorizePath } from '#test/support/interactive-idp.ts';
import { attributeQuery, startLoad, tokenRequest } from '#test/support/load.ts';
import { connectHttp } from '#test/support/mcp-client.ts';
import { slowForm } from '#test/support/slow-request.ts';
import {
  isAlive,
  killWorker,
  listeningPorts,
  stackDirectoryOf,
  until,
  workerPid,
  workersOf,
} from '#test/support/stack.ts';
import { demoSettings, type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const clientCredentials = { grant_type: 'client_credentials' };
const authorization = { Authorization: basic('web', 'web-secret') };

const health = async (url: string) => (await rawRequest(`${url}/api/health`)).status;

function createUser(baseUrl: string, username: string) {
  return rawRequest(`${baseUrl}/api/runtime/users`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username, password: 'secret-of-it' }),
  });
}

function passwordGrant(baseUrl: string, username: string) {
  const form = { grant_type: 'password', username, password: 'secret-of-it' };
  return postForm(`${baseUrl}/token`, form, { ...authorization, Connection: 'close' });
}

/** Starts for one test, which ends the stack in its own way. */
async function withStack(args: readonly string[], body: (idp: RunningIdp) => Promise<void>): Promise<void> {
  const idp = await startIdp({ args });
  const workers = workersOf(idp.pid);
  try {
    await body(idp);
  } finally {
    for (const { pid } of workers) if (isAlive(pid)) process.kill(pid, 'SIGCONT');
    await idp.stop();
  }
}

describe('one stack', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp();
  });
  after(() => idp.stop());

  verifies('SUP-01', 'answers OIDC, REST, web UI and SAML at one address', async () => {
    for (const path of [
      '/.well-known/openid-configuration',
      '/.well-known/jwks.json',
      '/api/users',
      '/login',
      '/',
      '/saml/metadata',
      '/saml/cert.pem',
    ]) {
      expect((await rawRequest(idp.baseUrl + path)).status, path).to.be.oneOf([200, 302]);
    }
  });

  verifies('SUP-01', 'has no TCP port for SAML', () => {
    const port = Number(new URL(idp.baseUrl).port);
    expect(listeningPorts(workerPid(idp, 'oidc'))).to.deep.equal([port]);
    expect(listeningPorts(workerPid(idp, 'saml'))).to.deep.equal([]);
  });

  verifies('SUP-14', 'keeps its store in a private directory outside the configuration directory', () => {
    const directory = stackDirectoryOf(idp.pid) ?? '';
    expect(statSync(directory).mode & 0o777).to.equal(0o700);
    expect(directory.startsWith(idp.root)).to.equal(false);
    const databases = (folder: string) => readdirSync(folder).filter((name) => name.includes('.db'));
    expect(databases(directory)).not.to.deep.equal([]);
    expect(databases(idp.configDirectory)).to.deep.equal([]);
  });

  verifies('SUP-13', 'shares store and audit among its workers and with nobody else', async () => {
    const others = await Promise.all([startIdp(), startIdp({ command: 'oidc' })]);
    try {
      expect((await createUser(idp.baseUrl, 'shared-user')).status).to.equal(201);
      expect((await passwordGrant(idp.baseUrl, 'shared-user')).status).to.equal(200);
      await rawRequest(`${idp.baseUrl}/saml/attribute-query`, { method: 'POST', body: 'no query' });
      const audit = await (await fetch(`${idp.baseUrl}/api/audit`)).json();
      const endpoints: string[] = audit.entries.map(({ endpoint }: { endpoint: string }) => endpoint);
      expect(endpoints).to.include.members(['/token', '/saml/attribute-query']);
      for (const other of others) {
        expect((await passwordGrant(other.baseUrl, 'shared-user')).status).to.equal(400);
        const { entries } = await (await fetch(`${other.baseUrl}/api/audit`)).json();
        expect(entries.map(({ event_type: type }: { event_type: string }) => type)).to.deep.equal(['token_request']);
      }
    } finally {
      await Promise.all(others.map((other) => other.stop()));
    }
  });
});

describe('a worker that dies', function () {
  this.timeout(60_000);
  verifies(['SUP-04', 'SUP-05', 'SUP-15'], 'is replaced while the others go on', async () => {
    await withStack([], async (idp) => {
      for (const name of ['mcp', 'saml', 'oidc'] as const) {
        const before = workersOf(idp.pid);
        const [first] = await Promise.all([killWorker(idp, name), health(idp.baseUrl)]);
        const survivors = before.filter((worker) => worker.name !== name).map(({ pid }) => pid);
        expect(survivors.filter(isAlive)).to.deep.equal(survivors);
        expect(workerPid(idp, name)).to.equal(first);
      }
      expect(await health(idp.baseUrl)).to.equal(200);
      expect((await rawRequest(`${idp.baseUrl}/saml/metadata`)).status).to.equal(200);
      await until('MCP answers again', async () => {
        return (await rawRequest(idp.mcpUrl ?? '').catch(() => undefined))?.status !== undefined;
      });
    });
  });

  verifies('SUP-04', 'refuses nobody, also when it is the only OIDC worker', async () => {
    await withStack([], async (idp) => {
      const { host } = new URL(idp.baseUrl);
      for (let kills = 0; kills < 3; kills += 1) {
        process.kill(workerPid(idp, 'oidc'), 'SIGKILL');
        // The connections are made while nobody lives to accept them; the replacement answers.
        const answers = await Promise.all(Array.from({ length: 5 }, () => health(idp.baseUrl).catch(String)));
        for (const answer of answers) expect(answer).to.not.match(/ECONNREFUSED/);
        expect(answers).to.include(200);
        expect(await health(`http://${host}`)).to.equal(200);
      }
    });
  });

  verifies('SUP-15', 'costs its unsaved changes and no request of the frontends, when it is MCP', async () => {
    await withStack([], async (idp) => {
      const url = idp.mcpUrl ?? '';
      const before = await connectHttp(url);
      await before.ok('create_user', { username: 'unsaved', password: 'x' });
      expect((await before.ok('get_user', { username: 'unsaved' })).found).to.equal(true);
      await before.close();
      const load = startLoad(idp.baseUrl, {
        clients: 3,
        pauseMilliseconds: 5,
        keepAlive: false,
        next: (index) => (index % 2 === 0 ? tokenRequest : attributeQuery),
      });
      await killWorker(idp, 'mcp');
      // The address is the same one: whoever calls it meanwhile waits for the replacement.
      const after = await connectHttp(url);
      expect((await after.ok('get_user', { username: 'unsaved' })).found).to.equal(false);
      expect((await after.ok('get_user', { username: 'alice' })).found).to.equal(true);
      await after.close();
      const outcomes = await load.stop();
      expect(outcomes.filter(({ answer }) => answer?.status !== 200)).to.deep.equal([]);
    });
  });

  verifies('SUP-05', 'is replaced also when nobody reads the log any more', async () => {
    await withStack([], async (idp) => {
      idp.process.stdout?.destroy();
      idp.process.stderr?.destroy();
      const replacement = await killWorker(idp, 'oidc');
      await until('the replacement answers', async () => (await health(idp.baseUrl)) === 200);
      expect([isAlive(idp.pid), isAlive(replacement)]).to.deep.equal([true, true]);
      expect(await idp.stop()).to.equal(0);
    });
  });

  verifies(['SUP-06', 'CMD-06'], 'knows what the door is bound to, whatever the files say by then', async () => {
    let fetches = 0;
    const documents = createServer((socket) => {
      fetches += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => documents.listen(0, '127.0.0.1', resolve));
    const { port } = documents.address() as AddressInfo;
    const authority = `127.0.0.1:${port}`;
    const client_id_metadata_documents = { enabled: true, allowed_hosts: [authority], allow_loopback: true };
    const settings = (host: string) =>
      stringify({ oauth: { ...demoSettings.oauth, client_id_metadata_documents }, server: { host } });
    const idp = await startIdp({ settings: settings('127.0.0.1') });
    try {
      writeFileSync(join(idp.configDirectory, 'settings.yaml'), settings('0.0.0.0'));
      expect((await rawRequest(`${idp.baseUrl}/api/config/reload`, { method: 'POST' })).status).to.equal(200);
      await killWorker(idp, 'oidc');
      const client = { client_id: `https://${authority}/client`, redirect_uri: `https://${authority}/cb` };
      // Loopback documents are fetched while the server itself is on loopback, which it still is.
      expect((await rawRequest(idp.baseUrl + authorizePath(client))).status).to.equal(400);
      expect(fetches).to.equal(1);
    } finally {
      await idp.stop();
      documents.close();
    }
  });

  verifies('SUP-05', 'is replaced after growing pauses when it dies again', async () => {
    await withStack([], async (idp) => {
      for (let kills = 0; kills < 3; kills += 1) await killWorker(idp, 'saml');
      const pauses = [...idp.log().matchAll(/saml ended \(killed by SIGKILL\); a new one starts in (\d+) ms/g)];
      expect(pauses.map(([, pause]) => Number(pause))).to.deep.equal([0, 100, 200]);
    });
  });

  verifies(
    'SUP-06',
    'leaves its state and configuration to its replacement, whatever the files say by then',
    async () => {
      await withStack([], async (idp) => {
        expect((await createUser(idp.baseUrl, 'survivor')).status).to.equal(201);
        const { keys } = await (await fetch(`${idp.baseUrl}/.well-known/jwks.json`)).json();
        for (const broken of ['oauth: [', 'oauth: {issuer: "http://elsewhere.example"}']) {
          writeFileSync(join(idp.configDirectory, 'settings.yaml'), broken);
          await killWorker(idp, 'oidc');
          await killWorker(idp, 'saml');
          expect((await passwordGrant(idp.baseUrl, 'survivor')).status).to.equal(200);
          const discovery = await rawRequest(`${idp.baseUrl}/.well-known/openid-configuration`);
          expect(JSON.parse(discovery.body).issuer).to.equal(idp.baseUrl);
          expect((await rawRequest(`${idp.baseUrl}/saml/metadata`)).body).to.include(`entityID="${idp.baseUrl}/saml"`);
        }
        expect((await (await fetch(`${idp.baseUrl}/.well-known/jwks.json`)).json()).keys).to.deep.equal(keys);
        expect(idp.log()).not.to.match(/ended \(exit code/);
      });
    },
  );

  for (const worker of ['oidc', 'saml', 'mcp']) {
    verifies('SUP-07', `at every boot ends the stack: ${worker}`, async () => {
      const crash = `data:text/javascript,if(process.env.TEST_IDP_WORKER==='${worker}')process.exit(7)`;
      const idp = await startIdp({ env: { NODE_OPTIONS: `--import=${crash}` } }).then(
        () => undefined,
        (error: Error) => error.message,
      );
      expect(idp).to.match(/ended with exit code 1 before it was ready/);
      const lines = (idp ?? '')
        .split('\n')
        .slice(1)
        .filter((line) => line !== '' && !line.startsWith('{'));
      expect(lines).to.deep.equal([`test-idp: ${worker} ended 6 times within 60 s, at last by exit code 7`]);
    });
  }
});

describe('the end of a stack', function () {
  this.timeout(60_000);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    verifies(['SUP-09', 'SUP-14'], `${signal} lets a request in flight finish and leaves nothing behind`, async () => {
      await withStack([], async (idp) => {
        const workers = workersOf(idp.pid);
        const directory = stackDirectoryOf(idp.pid) ?? '';
        const slow = slowForm(`${idp.baseUrl}/token`, clientCredentials, authorization);
        await slow.arrived;
        process.kill(idp.pid, signal);
        await until('the door is closed', () =>
          health(idp.baseUrl).then(
            () => false,
            () => true,
          ),
        );
        expect(isAlive(idp.pid)).to.equal(true);
        slow.finish();
        const answer = await slow.answer;
        expect(answer.status).to.equal(200);
        expect(answer.headers.connection).to.equal('close');
        expect(await idp.exited).to.equal(0);
        expect(workers.filter(({ pid }) => isAlive(pid))).to.deep.equal([]);
        expect(() => statSync(directory)).to.throw(/ENOENT/);
      });
    });
  }

  for (const command of ['oidc', 'saml'] as const) {
    verifies('SUP-09', `${command} alone ends in the same way`, async () => {
      const idp = await startIdp({ command });
      const path = command === 'oidc' ? '/token' : '/saml/sso';
      const slow = slowForm(`${idp.baseUrl}${path}`, clientCredentials, authorization);
      await slow.arrived;
      process.kill(idp.pid, 'SIGTERM');
      await until('it is closed', () =>
        health(idp.baseUrl).then(
          () => false,
          () => true,
        ),
      );
      slow.finish();
      expect((await slow.answer).status).to.equal(command === 'oidc' ? 200 : 400);
      expect(await idp.exited).to.equal(0);
      await idp.stop();
    });
  }

  verifies('SUP-09', 'is not held up by idle keep-alive connections', async () => {
    await withStack([], async (idp) => {
      const agent = new Agent({ keepAlive: true });
      await new Promise<void>((resolve, reject) => {
        get(`${idp.baseUrl}/api/health`, { agent }, (answer) => answer.resume().once('end', resolve)).once(
          'error',
          reject,
        );
      });
      const start = performance.now();
      process.kill(idp.pid, 'SIGTERM');
      expect(await idp.exited).to.equal(0);
      expect(performance.now() - start).to.be.below(3_000);
      agent.destroy();
    });
  });

  verifies('SUP-09', 'is not held up by an MCP session', async () => {
    await withStack([], async (idp) => {
      const session = await connectHttp(idp.mcpUrl ?? '');
      expect((await session.ok('list_users')).count).to.equal(2);
      const start = performance.now();
      process.kill(idp.pid, 'SIGTERM');
      expect(await idp.exited).to.equal(0);
      expect(performance.now() - start).to.be.below(5_000);
      await session.close().catch(() => {});
    });
  });

  for (const command of ['start', 'oidc'] as const) {
    verifies('SUP-09', `comes at once with a second signal: ${command}`, async () => {
      const idp = await startIdp({ command });
      const workers = workersOf(idp.pid);
      const slow = slowForm(`${idp.baseUrl}/token`, clientCredentials, authorization);
      await slow.arrived;
      process.kill(idp.pid, 'SIGTERM');
      await until('the door is closed', () =>
        health(idp.baseUrl).then(
          () => false,
          () => true,
        ),
      );
      const start = performance.now();
      process.kill(idp.pid, 'SIGTERM');
      expect(await idp.exited).to.equal(1);
      expect(performance.now() - start).to.be.below(2_000);
      expect(workers.filter(({ pid }) => isAlive(pid))).to.deep.equal([]);
      await idp.stop();
    });
  }

  verifies(['SUP-10', 'SUP-14'], 'after a kill of the supervisor comes by itself', async () => {
    const idp = await startIdp({ args: ['--oidc-workers', '2'] });
    const workers = workersOf(idp.pid);
    const directory = stackDirectoryOf(idp.pid) ?? '';
    expect(workers).to.have.length(4);
    const slow = slowForm(`${idp.baseUrl}/token`, clientCredentials, authorization);
    await slow.arrived;
    process.kill(idp.pid, 'SIGKILL');
    slow.finish();
    expect((await slow.answer).status).to.equal(200);
    await until('the workers have ended', () => workers.every(({ pid }) => !isAlive(pid)), 6_000);
    await until('the directory is gone', () => directoryIsGone(directory), 2_000);
    await bindable(Number(new URL(idp.baseUrl).port));
    await idp.stop();
  });

  verifies('SUP-14', 'after a kill of all processes leaves a directory that the next start removes', async () => {
    const living = await startIdp();
    const killed = await startIdp();
    const directory = stackDirectoryOf(killed.pid) ?? '';
    const workers = workersOf(killed.pid);
    for (const { pid } of [{ pid: killed.pid }, ...workers]) process.kill(pid, 'SIGKILL');
    await until('all are dead', () => workers.every(({ pid }) => !isAlive(pid)));
    expect(directoryIsGone(directory)).to.equal(false);
    const next = await startIdp();
    expect(directoryIsGone(directory)).to.equal(true);
    expect(directoryIsGone(stackDirectoryOf(living.pid) ?? '')).to.equal(false);
    expect((await createUser(living.baseUrl, 'still-there')).status).to.equal(201);
    await Promise.all([living.stop(), killed.stop(), next.stop()]);
  });
});

function directoryIsGone(directory: string): boolean {
  try {
    statSync(directory);
    return false;
  } catch {
    return true;
  }
}

/** The address is free: somebody else can listen on it. */
function bindable(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}
