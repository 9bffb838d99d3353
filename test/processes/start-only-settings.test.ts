// Settings that apply only at the start of a stack stay fixed until it ends, in every worker.
import { expect } from 'chai';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { alice } from '#test/support/credentials.ts';
import { rawRequest } from '#test/support/http.ts';
import { killWorker, until } from '#test/support/stack.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { health, passwordGrant } from '#test/support/with-stack.ts';

const atStart = {
  require_ui_login: true,
  session: { secret_key: 'the-first-secret' },
  cors_allowed_originss: ['https://first.example'],
  oauth: { issuer_from_request: true },
  logging: { level: 'INFO' },
};
const later = {
  require_ui_login: true,
  session: { secret_key: 'the-second-secret' },
  cors_allowed_originss: ['https://second.example'],
  oauth: { issuer_from_request: true, issuer_from_proxy_headers: true },
  rate_limit_enabled: true,
  server: { rate_limit_token_endpoint: '1/hour' },
  logging: { level: 'DEBUG' },
};

describe('settings that apply at the next start', function () {
  this.timeout(60_000);

  verifies(
    ['ACT-17', 'CFG-14', 'ISS-08', 'SUP-05'],
    'are the same in a worker that is replaced after a reload as in its siblings',
    async () => {
      const idp = await startIdp({ settings: atStart });
      try {
        const browser = newBrowser(idp);
        await browser.submit(await browser.get('/login'), alice);
        expect((await browser.get('/')).status).to.equal(200);
        await idp.configure({ settings: later });
        for (const name of ['saml', 'oidc'] as const) await killWorker(idp, name);
        await until('it answers again', () =>
          health(idp.baseUrl)
            .then((status) => status === 200)
            .catch(() => false),
        );

        expect((await browser.get('/')).status, 'the cookie of a sibling').to.equal(200);
        const origins = ['https://first.example', 'https://second.example'].map(async (Origin) => {
          const forwarded = { 'X-Forwarded-Host': 'elsewhere.example', 'X-Forwarded-Proto': 'https', Origin };
          const answers = ['/.well-known/openid-configuration', '/saml/metadata'].map(async (path) => {
            const { headers, body } = await rawRequest(idp.baseUrl + path, { headers: forwarded });
            expect(body, path).to.not.contain('elsewhere.example');
            return headers['access-control-allow-origin'];
          });
          return Promise.all(answers);
        });
        expect(await Promise.all(origins)).to.deep.equal([
          ['https://first.example', 'https://first.example'],
          [undefined, undefined],
        ]);
        for (let turn = 0; turn < 3; turn += 1) {
          expect((await passwordGrant(idp.baseUrl, 'nobody')).status, 'no rate limit').to.not.equal(429);
        }
        expect(idp.log()).to.not.match(/"level":20,/);
        expect(idp.log()).to.not.contain('-secret"');
      } finally {
        await idp.stop();
      }
    },
  );
});
