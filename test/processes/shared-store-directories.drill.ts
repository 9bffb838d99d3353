// Two stacks with files of their own on one store: whose files are in force, and who says otherwise (CLU-13 to CLU-16).
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { apiClient, patientApiClient } from '#test/support/management-api.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { until, workersOf } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

describe('two configuration directories on one sqlite store', () => {
  verifies(
    ['STO-25', 'CLI-04'],
    'a start on superseded files joins and names both digests; start --declare declares them, once',
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
          /settings\.yaml in \S+ \(digest [0-9a-f]{12}\) was superseded .*: generation 2 \(digest [0-9a-f]{12}\) stays in force; start with --declare/,
        );
        const user = { username: 'made-there', password: 'secret' };
        expect((await patientApiClient(joined)('POST', '/api/runtime/users', user)).status).to.equal(201);
        await joined.stop();
        const declared = await start(one, '--declare');
        expect([await audienceOf(declared), await audienceOf(second)]).to.deep.equal(['first', 'first']);
        // What is declared afterwards stays, whoever replaces a worker of the stack that was started so.
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

  verifies('STO-25', 'a start on users that were copied before a later promotion takes nothing back', async () => {
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
      expect(again.log()).to.match(/users\.yaml in \S+ \(digest [0-9a-f]{12}\) was superseded/);
    } finally {
      for (const idp of running) await idp.stop();
      one.remove();
      other.remove();
    }
  });
});
