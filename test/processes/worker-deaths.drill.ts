// Slow cases of dying workers and stacks: repeatedly, without a reader of the log, at every boot, on files that no longer
// load, and of all processes together. supervision.test.ts covers one death in `npm test`.
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { authorizePath } from '#test/support/authorization-flow.ts';
import { attributeQuery, startLoad, tokenRequest } from '#test/support/busy-clients.ts';
import { rawRequest } from '#test/support/http.ts';
import { connectHttp } from '#test/support/mcp-client.ts';
import { isAlive, killWorker, stackDirectoryOf, until, workerPid, workersOf } from '#test/support/stack.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { createUser, health, isGone, passwordGrant, withStack } from '#test/support/with-stack.ts';
import { demoSettings } from '#test/support/worlds.ts';

describe('a worker that dies', () => {
  verifies('SUP-04', 'causes no refused connection, even as the only OIDC worker', async () => {
    await withStack([], async (idp) => {
      const { host } = new URL(idp.baseUrl);
      for (let kills = 0; kills < 3; kills += 1) {
        process.kill(workerPid(idp, 'oidc'), 'SIGKILL');
        // These connections are made while no worker can accept them. The replacement answers.
        const answers = await Promise.all(Array.from({ length: 5 }, () => health(idp.baseUrl).catch(String)));
        for (const answer of answers) expect(answer).to.not.match(/ECONNREFUSED/);
        expect(answers).to.include(200);
        expect(await health(`http://${host}`)).to.equal(200);
      }
    });
  });

  verifies('SUP-15', 'loses its unsaved changes but no front end request, if it is MCP', async () => {
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
      // The address is the same. A client that connects meanwhile waits for the replacement.
      const after = await connectHttp(url);
      expect((await after.ok('get_user', { username: 'unsaved' })).found).to.equal(false);
      expect((await after.ok('get_user', { username: 'alice' })).found).to.equal(true);
      await after.close();
      const outcomes = await load.stop();
      expect(outcomes.filter(({ answer }) => answer?.status !== 200)).to.deep.equal([]);
    });
  });

  verifies('SUP-05', 'is replaced even if the log has no reader any more', async () => {
    await withStack([], async (idp) => {
      idp.process.stdout?.destroy();
      idp.process.stderr?.destroy();
      const replacement = await killWorker(idp, 'oidc');
      await until('the replacement answers', async () => (await health(idp.baseUrl)) === 200);
      expect([isAlive(idp.pid), isAlive(replacement)]).to.deep.equal([true, true]);
      expect(await idp.stop()).to.equal(0);
    });
  });

  verifies(
    ['SUP-06', 'CMD-06'],
    'remembers the address that the stack is bound to, even if the files changed',
    async () => {
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
        // Loopback documents are fetched while the server itself is bound to loopback, which is still the case.
        expect((await rawRequest(idp.baseUrl + authorizePath(client))).status).to.equal(400);
        expect(fetches).to.equal(1);
      } finally {
        await idp.stop();
        documents.close();
      }
    },
  );

  verifies('SUP-05', 'is replaced after growing pauses when it dies again', async () => {
    await withStack([], async (idp) => {
      for (let kills = 0; kills < 3; kills += 1) await killWorker(idp, 'saml');
      const pauses = [...idp.log().matchAll(/saml ended \(killed by SIGKILL\)\. Its replacement starts in (\d+) ms/g)];
      expect(pauses.map(([, pause]) => Number(pause))).to.deep.equal([0, 100, 200]);
    });
  });

  verifies('SUP-06', 'leaves its state and configuration to its replacement, even if the files changed', async () => {
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
  });

  for (const worker of ['oidc', 'saml', 'mcp']) {
    verifies('SUP-07', `ends the stack if it dies at every boot: ${worker}`, async () => {
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
      expect(lines).to.deep.equal([
        `test-idp: ${worker} ended 6 times within 60 s, so the stack stops. Last end: exit code 7`,
      ]);
    });
  }
});

describe('the end of a stack', () => {
  verifies('SUP-14', 'after a kill of all processes leaves a directory that the next start removes', async () => {
    const living = await startIdp();
    // Another stack that starts on this machine in between may remove the directory before this test sees it.
    let directory: string | undefined;
    for (let attempt = 0; attempt < 5 && directory === undefined; attempt += 1) directory = await leaveDeadDirectory();
    if (directory === undefined) throw new Error('no kill of all processes left a directory');
    const next = await startIdp();
    expect(isGone(directory)).to.equal(true);
    expect(isGone(stackDirectoryOf(living.pid) ?? '')).to.equal(false);
    expect((await createUser(living.baseUrl, 'still-there')).status).to.equal(201);
    await Promise.all([living.stop(), next.stop()]);
  });
});

/** The directory of a stack whose processes were all killed together, or undefined if it was removed already. */
async function leaveDeadDirectory(): Promise<string | undefined> {
  const killed = await startIdp();
  const directory = stackDirectoryOf(killed.pid);
  if (directory === undefined) throw new Error('the stack has no directory');
  const workers = workersOf(killed.pid);
  for (const { pid } of [{ pid: killed.pid }, ...workers]) process.kill(pid, 'SIGKILL');
  await until('all are dead', () => workers.every(({ pid }) => !isAlive(pid)));
  const isLeft = !isGone(directory);
  await killed.stop();
  return isLeft ? directory : undefined;
}
