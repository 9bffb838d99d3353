// A moved clock in the processes of a stack, and from one start to the next.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { web } from '#test/support/credentials.ts';
import { claimsOf, rawRequest } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const noonText = '2031-03-04T12:00:00Z';

describe('a clock among processes', () => {
  verifies('TIM-11', 'lives as long as the store, and a start with a moved clock warns', async () => {
    const root = mkdtempSync(join(tmpdir(), 'test-idp-clock-'));
    const settingsOf = (store: string) => `oauth:\n  issuer: http://127.0.0.1:8000\nruntime:\n  store: ${store}\n`;
    const life = async (store: 'memory' | 'sqlite', use: (idp: RunningIdp) => Promise<void>) => {
      const path = store === 'sqlite' ? '  path: ../state/runtime.db\n' : '';
      writeFileSync(join(root, 'config', 'settings.yaml'), settingsOf(store) + path);
      const idp = await startIdp({ root });
      try {
        await use(idp);
      } finally {
        await idp.stop();
      }
    };
    try {
      for (const directory of ['config', 'state']) mkdirSync(join(root, directory));
      writeFileSync(join(root, 'config', 'users.yaml'), 'users: {}\n');
      await life('sqlite', async (idp) => {
        await idp.api('PUT', '/api/clock', { at: noonText, frozen: true });
      });
      await life('sqlite', async (idp) => {
        expect((await idp.api('GET', '/api/clock')).body).to.include({ now: '2031-03-04T12:00:00.000Z', frozen: true });
        expect(
          idp.log().match(/the clock of this store is frozen at 2031-03-04T12:00:00\.000Z, \d+ days/g),
        ).to.have.length(1);
      });
      await life('memory', async (idp) => {
        await idp.api('PUT', '/api/clock', { offset_seconds: 60 });
        expect(idp.log()).to.not.contain('the clock of this store');
      });
      await life('memory', async (idp) => {
        expect((await idp.api('GET', '/api/clock')).body.moved).to.equal(false);
      });
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });

  verifies(
    ['TIM-09', 'TIM-10'],
    'is changed in every process once the response arrives, and no request sees two times',
    async () => {
      const idp = await startIdp({ command: 'start', world: interactive, args: ['--oidc-workers', '2'] });
      try {
        const fresh = { Connection: 'close' };
        const clockOf = async (path: string) =>
          (await rawRequest(idp.baseUrl + path, { headers: fresh })).headers['x-test-idp-clock'];
        for (let day = 1; day <= 20; day += 1) {
          const at = new Date(Date.UTC(2030, 0, day)).toISOString();
          await idp.api('PUT', '/api/clock', { at, frozen: true });
          const paths = ['/health', '/jwks', '/nowhere', '/saml/metadata', '/userinfo', '/static/none', '/login'];
          expect(new Set(await Promise.all(paths.map(clockOf))), at).to.deep.equal(new Set([at]));
        }
        let going = true;
        const mover = async () => {
          for (let day = 1; going; day = (day % 28) + 1) {
            await idp.api('PUT', '/api/clock', { at: new Date(Date.UTC(2030, 5, day)).toISOString() });
          }
        };
        const moving = mover();
        const answers = await Promise.all(
          Array.from({ length: 150 }, () =>
            call(idp, '/token', {
              method: 'POST',
              headers: { ...web, ...fresh },
              body: new URLSearchParams({ grant_type: 'client_credentials' }),
            }),
          ),
        );
        going = false;
        await moving;
        for (const { headers, body } of answers) {
          const { iat } = claimsOf(String(body.access_token));
          expect(new Date(Number(iat) * 1000).toISOString()).to.equal(headers.get('x-test-idp-clock'));
        }
        const before = (await idp.api('GET', '/api/clock')).body.now;
        expect((await idp.api('DELETE', '/api/runtime')).status).to.equal(200);
        expect((await idp.api('GET', '/api/clock')).body.now).to.equal(before);
      } finally {
        await idp.stop();
      }
    },
  );
});
