// mod_auth_openidc, a certified relying party not written in JavaScript, logs a real browser in.
import { expect } from 'chai';
import type { Browser } from 'playwright-core';
import { type Apache, startApache } from '#test/support/apache.ts';
import { launchChromium } from '#test/support/chromium.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';

describe('mod_auth_openidc of Debian', () => {
  for (const profile of ['dev', 'oauth21']) {
    it(`completes a login under ${profile} and shows the user to the application`, async function () {
      const browser: Browser = await launchChromium(this);
      let idp: RunningIdp | undefined;
      let apache: Apache | undefined;
      try {
        idp = await startIdp({
          args: ['--profile', profile],
          settings: { oauth: { issuer_from_request: true } },
        });
        const { baseUrl: issuer } = idp;
        apache = await startApache(this, {
          module: 'auth_openidc',
          debianPackage: 'libapache2-mod-auth-openidc',
          configure: async ({ baseUrl }) => {
            const redirectUri = `${baseUrl}/protected/callback`;
            const created = await fetch(`${issuer}/api/runtime/clients`, {
              method: 'POST',
              headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify({ client_id: 'site', client_secret: 'site-secret', redirect_uris: [redirectUri] }),
            });
            expect(created.status).to.equal(201);
            return [
              `OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration`,
              'OIDCClientID site',
              'OIDCClientSecret site-secret',
              `OIDCRedirectURI ${redirectUri}`,
              'OIDCCryptoPassphrase a-passphrase-of-the-test',
              'OIDCPKCEMethod S256',
              'OIDCScope "openid email profile"',
              'OIDCRemoteUserClaim email',
              '<Location /protected>',
              '  AuthType openid-connect',
              '  Require valid-user',
              '</Location>',
            ].join('\n');
          },
        });
        const page = await browser.newPage();
        await page.goto(`${apache.baseUrl}/protected/`);
        expect(page.url()).to.match(/\/authorize\?/);
        await page.getByLabel('Username').fill('alice');
        await page.getByLabel('Password').fill('wonderland');
        const answer = page.waitForResponse(
          (response) => response.url() === `${apache?.baseUrl}/protected/` && response.ok(),
        );
        await page.keyboard.press('Enter');
        const response = await answer;
        expect(await response.text()).to.contain('behind the login');
        expect(response.headers()['x-remote-user']).to.match(/^alice@example\.org/);
      } finally {
        await apache?.stop();
        await idp?.stop();
        await browser.close();
      }
    });
  }
});
