// Two stacks with their own files on one store: whose files are active, and which stack reports otherwise (CLU-13 to
// CLU-16).
import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { apiClient, patientApiClient } from '#test/support/management-api.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { killWorker, until, workersOf } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

describe('two configuration directories on one sqlite store', () => {
  verifies(
    ['STO-25', 'CLI-04'],
    'joins on superseded files and names both digests, and declares them once with start --declare',
    async () => {
      const audienceOf = (idp: RunningIdp) =>
        apiClient(idp)('GET', '/api/config').then(({ body }) => body.oauth.audience);
      const of = (audience: string, path: string) => ({
        ...sharedSettings,
        oauth: { ...sharedSettings.oauth, audience },
        runtime: { store: 'sqlite', path },
      });
      const one = makeSharedRoot();
      one.writeSettings(of('first', one.storePath));
      const other = makeSharedRoot(of('second', one.storePath));
      const running: RunningIdp[] = [];
      const start = async ({ root }: SharedRoot, ...args: string[]) => {
        const idp = await startIdp({ root, command: 'start', args });
        running.push(idp);
        return idp;
      };
      try {
        await (await start(one)).stop();
        const second = await start(other);
        const joined = await start(one);
        expect(await audienceOf(joined)).to.equal('second');
        expect(joined.log()).to.match(
          /superseded settings\.yaml in \S+ \(digest [0-9a-f]{12}\)\. Its generation 2 \(digest [0-9a-f]{12}\) stays active\. .*--declare/,
        );
        const user = { username: 'made-there', password: 'secret' };
        expect((await patientApiClient(joined)('POST', '/api/runtime/users', user)).status).to.equal(201);
        await joined.stop();
        const declared = await start(one, '--declare');
        expect([await audienceOf(declared), await audienceOf(second)]).to.deep.equal(['first', 'first']);
        // A later declaration remains, even if a worker of the stack with --declare is replaced.
        expect((await apiClient(second)('POST', '/api/config/reload')).status).to.equal(200);
        const [oidc] = workersOf(declared.pid).filter(({ name }) => name === 'oidc');
        process.kill(oidc?.pid ?? Number.NaN, 'SIGKILL');
        await until('the worker is replaced', () => {
          const [present] = workersOf(declared.pid).filter(({ name }) => name === 'oidc');
          return present !== undefined && present.pid !== oidc?.pid;
        });
        expect([await audienceOf(declared), await audienceOf(second)]).to.deep.equal(['second', 'second']);
      } finally {
        for (const idp of running) await idp.stop();
        one.remove();
        other.remove();
      }
    },
  );

  verifies('STO-25', 'keeps a promotion when a stack starts on users that were copied before it', async () => {
    const one = makeSharedRoot();
    const shared = { ...sharedSettings, runtime: { store: 'sqlite', path: one.storePath } };
    one.writeSettings(shared);
    const other = makeSharedRoot(shared);
    const running: RunningIdp[] = [];
    const start = async ({ root }: SharedRoot) => {
      const idp = await startIdp({ root, command: 'start' });
      running.push(idp);
      return idp;
    };
    const promote = async (idp: RunningIdp, username: string) => {
      const api = patientApiClient(idp);
      expect((await api('POST', '/api/runtime/users', { username, password: 'secret' })).status).to.equal(201);
      expect((await api('POST', `/api/runtime/users/${username}/promote`)).status).to.equal(200);
    };
    try {
      const a = await start(one);
      const b = await start(other);
      await promote(a, 'first');
      await b.stop();
      copyFileSync(join(one.root, 'config', 'users.yaml'), join(other.root, 'config', 'users.yaml'));
      await promote(a, 'second');
      const again = await start(other);
      const found = [a, again].map((idp) => patientApiClient(idp)('GET', '/api/users/second'));
      expect((await Promise.all(found)).map(({ status }) => status)).to.deep.equal([200, 200]);
      expect(again.log()).to.match(/has superseded users\.yaml in \S+ \(digest [0-9a-f]{12}\)/);
    } finally {
      for (const idp of running) await idp.stop();
      one.remove();
      other.remove();
    }
  });

  verifies(
    ['CLU-19', 'STO-25'],
    "declare the same if only the machine's own settings differ, and keep those",
    async () => {
      const one = makeSharedRoot();
      const other = makeSharedRoot();
      const own = (port: number) =>
        `runtime:\n  store: sqlite\n  path: ${one.storePath} # for both\nserver:\n  # of this machine\n  port: ${port}\n`;
      const written = (port: number) => `${own(port)}${stringify(demoSettings)}`;
      const settingsOf = ({ root }: SharedRoot) => readFileSync(join(root, 'config', 'settings.yaml'), 'utf8');
      one.writeSettings(written(9001));
      // Another order of the sections is another declaration. Another form of the machine's own settings is not.
      other.writeSettings(
        `${stringify(demoSettings)}server: { port: 9002 }\nruntime: { store: sqlite, path: ${one.storePath} }\n`,
      );
      const running: RunningIdp[] = [];
      const start = async ({ root }: SharedRoot) => {
        const idp = await startIdp({ root, command: 'start' });
        running.push(idp);
        return idp;
      };
      const portOf = async (idp: RunningIdp) => (await patientApiClient(idp)('GET', '/api/config')).body.server.port;
      const promote = async (idp: RunningIdp, username: string) => {
        const api = patientApiClient(idp);
        expect((await api('POST', '/api/runtime/users', { username, password: 'secret' })).status).to.equal(201);
        return (await api('POST', `/api/runtime/users/${username}/promote`)).status;
      };
      try {
        const a = await start(one);
        const b = await start(other);
        const before = settingsOf(other);
        expect([await portOf(a), await portOf(b)]).to.deep.equal([9001, 9002]);
        for (const idp of [a, b])
          expect((await patientApiClient(idp)('POST', '/api/config/reload')).status).to.equal(200);
        for (const idp of [a, b]) expect(idp.log()).not.to.match(/behind|superseded/);

        expect(await promote(a, 'first')).to.equal(200);
        expect((await patientApiClient(b)('GET', '/api/users/first')).status).to.equal(200);
        expect([await portOf(a), await portOf(b)]).to.deep.equal([9001, 9002]);
        expect([settingsOf(one), settingsOf(other)]).to.deep.equal([written(9001), before]);
        expect(a.log()).not.to.match(/behind|superseded/);

        // A client is written into settings.yaml, and the rest of the file remains.
        const client = {
          client_id: 'promoted',
          redirect_uris: ['http://127.0.0.1:9/cb'],
          token_endpoint_auth_method: 'none',
        };
        expect((await patientApiClient(a)('POST', '/api/runtime/clients', client)).status).to.equal(201);
        expect((await patientApiClient(a)('POST', '/api/runtime/clients/promoted/promote')).status).to.equal(200);
        expect(settingsOf(one)).to.include(own(9001)).and.include('promoted').and.not.include('9002');

        // Manual edits remain, even while the other one is declared.
        other.writeSettings(before.replace('9002', '9003'));
        expect([await portOf(a), await portOf(b)]).to.deep.equal([9001, 9003]);
        await killWorker(b, 'oidc');
        expect([await portOf(a), await portOf(b)]).to.deep.equal([9001, 9003]);
        expect((await patientApiClient(b)('GET', '/api/users/first')).status).to.equal(200);
      } finally {
        for (const idp of running) await idp.stop();
        one.remove();
        other.remove();
      }
    },
  );
});
