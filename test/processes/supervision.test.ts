// Workers that die, hang, fail to start or are stopped: the behaviour of the stack from outside.

import { readdirSync, statSync } from 'node:fs';
import { Agent, get } from 'node:http';
import { connect, createServer } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { expect } from 'chai';
import { web } from '#test/support/credentials.ts';
import { rawRequest } from '#test/support/http.ts';
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
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { createUser, health, isGone, passwordGrant, withStack } from '#test/support/with-stack.ts';

const clientCredentials = { grant_type: 'client_credentials' };

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

  verifies('SUP-13', 'shares store and audit among its workers only', async () => {
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
  verifies(['SUP-04', 'SUP-05', 'SUP-15'], 'is replaced while the others continue', async () => {
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
});

describe('the end of a stack', function () {
  this.timeout(60_000);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    verifies(['SUP-09', 'SUP-14'], `by ${signal} finishes a request in flight and leaves nothing behind`, async () => {
      await withStack([], async (idp) => {
        const workers = workersOf(idp.pid);
        const directory = stackDirectoryOf(idp.pid) ?? '';
        const slow = slowForm(`${idp.baseUrl}/token`, clientCredentials, web);
        await slow.arrived;
        process.kill(idp.pid, signal);
        await until('the port is closed', () =>
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
    verifies('SUP-09', `is the same for ${command} alone`, async () => {
      const idp = await startIdp({ command });
      const path = command === 'oidc' ? '/token' : '/saml/sso';
      const slow = slowForm(`${idp.baseUrl}${path}`, clientCredentials, web);
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
      expect(performance.now() - start, 'less than the grace period').to.be.below(9_000);
      agent.destroy();
    });
  });

  for (const [command, ...rest] of [['start'], ['oidc'], ['saml'], ['start', '--tls']] as const) {
    const name = [command, ...rest].join(' ');
    verifies('SUP-09', `is not held up by connections on which nothing was sent: ${name}`, async () => {
      const idp = await startIdp({ command, args: rest });
      const ports = [idp.baseUrl, idp.mcpUrl].flatMap((url) => (url === undefined ? [] : [Number(new URL(url).port)]));
      const silent = ports.map((port) => connect(port, '127.0.0.1'));
      if (rest.length > 0) silent.push(connectTls({ port: ports[0], host: '127.0.0.1', rejectUnauthorized: false }));
      for (const socket of silent) {
        socket.on('error', () => {});
        const event = 'encrypted' in socket ? 'secureConnect' : 'connect';
        await new Promise((resolve) => socket.once(event, resolve));
      }
      const start = performance.now();
      process.kill(idp.pid, 'SIGTERM');
      expect(await idp.exited).to.equal(0);
      expect(performance.now() - start, 'less than the grace period').to.be.below(9_000);
      for (const socket of silent) socket.destroy();
      await idp.stop();
    });
  }

  verifies('SUP-09', 'is not held up by an MCP session', async () => {
    await withStack([], async (idp) => {
      const session = await connectHttp(idp.mcpUrl ?? '');
      expect((await session.ok('list_users')).count).to.equal(2);
      const start = performance.now();
      process.kill(idp.pid, 'SIGTERM');
      expect(await idp.exited).to.equal(0);
      expect(performance.now() - start, 'less than the grace period').to.be.below(9_000);
      await session.close().catch(() => {});
    });
  });

  for (const command of ['start', 'oidc'] as const) {
    verifies('SUP-09', `comes at once with a second signal: ${command}`, async () => {
      const idp = await startIdp({ command });
      const workers = workersOf(idp.pid);
      const slow = slowForm(`${idp.baseUrl}/token`, clientCredentials, web);
      await slow.arrived;
      process.kill(idp.pid, 'SIGTERM');
      await until('the port is closed', () =>
        health(idp.baseUrl).then(
          () => false,
          () => true,
        ),
      );
      const start = performance.now();
      process.kill(idp.pid, 'SIGTERM');
      expect(await idp.exited).to.equal(1);
      expect(performance.now() - start, 'less than the grace period').to.be.below(8_000);
      expect(workers.filter(({ pid }) => isAlive(pid))).to.deep.equal([]);
      await idp.stop();
    });
  }

  verifies(['SUP-10', 'SUP-14'], 'comes automatically after a kill of the supervisor', async () => {
    const idp = await startIdp({ args: ['--oidc-workers', '2'] });
    const workers = workersOf(idp.pid);
    const directory = stackDirectoryOf(idp.pid) ?? '';
    expect(workers).to.have.length(4);
    const slow = slowForm(`${idp.baseUrl}/token`, clientCredentials, web);
    await slow.arrived;
    process.kill(idp.pid, 'SIGKILL');
    slow.finish();
    expect((await slow.answer).status).to.equal(200);
    await until('the workers have ended', () => workers.every(({ pid }) => !isAlive(pid)));
    await until('the directory is deleted', () => isGone(directory));
    await bindable(Number(new URL(idp.baseUrl).port));
    await idp.stop();
  });
});

/** Resolves if the address is free, so that another program can listen on it. */
function bindable(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => server.close(() => resolve()));
  });
}
