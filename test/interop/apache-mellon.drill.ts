// mod_auth_mellon, a SAML service provider built on lasso, logs a real browser in; its AuthnRequests are signed, and once
// the IdP demands that.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { instant } from '#shared/clock.ts';
import { generateRsaKeyPair, privateKeyPem } from '#shared/keys/rsa-key-pair.ts';
import { selfSignedCertificate } from '#shared/keys/self-signed-certificate.ts';
import { startApache } from '#test/support/apache.ts';
import { launchChromium } from '#test/support/chromium.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { demoUsers } from '#test/support/worlds.ts';

describe('mod_auth_mellon of Debian', () => {
  for (const signed of [false, true]) {
    it(`completes a login${signed ? ', its signed AuthnRequest demanded and verified' : ''}`, async function () {
      const browser = await launchChromium(this);
      const closing: (() => Promise<unknown>)[] = [() => browser.close()];
      try {
        const pair = await generateRsaKeyPair();
        const certificate = selfSignedCertificate(pair, instant(Date.now()));
        const idp = await startIdp({
          settings: {
            oauth: { issuer_from_request: true },
            saml: {
              want_authn_requests_signed: signed,
              sp_certificates: ['../sp.crt'],
              strict_binding: true,
              export_roles: true,
            },
          },
          users: demoUsers,
          files: { 'sp.crt': certificate },
        });
        closing.unshift(() => idp.stop());
        const metadata = await (await fetch(`${idp.baseUrl}/saml/metadata`)).text();
        const apache = await startApache(this, {
          module: 'auth_mellon',
          debianPackage: 'libapache2-mod-auth-mellon',
          configure: ({ root, baseUrl }) => {
            writeFileSync(join(root, 'sp.key'), privateKeyPem(pair));
            writeFileSync(join(root, 'sp.crt'), certificate);
            writeFileSync(join(root, 'idp.xml'), metadata);
            return [
              '<Location />',
              '  MellonEnable info',
              '  MellonEndpointPath /mellon',
              `  MellonSPentityId ${baseUrl}/mellon/metadata`,
              `  MellonSPPrivateKeyFile ${root}/sp.key`,
              `  MellonSPCertFile ${root}/sp.crt`,
              `  MellonIdPMetadataFile ${root}/idp.xml`,
              '  MellonSignatureMethod rsa-sha256',
              '  MellonUser email',
              // Its cookies are SameSite=None, which Chromium takes from loopback when they are Secure.
              '  MellonSecureCookie On',
              '</Location>',
              '<Location /protected>',
              '  AuthType Mellon',
              '  MellonEnable auth',
              '  Require valid-user',
              '</Location>',
            ].join('\n');
          },
        });
        closing.unshift(() => apache.stop());
        const page = await browser.newPage();
        await page.goto(`${apache.baseUrl}/protected/`);
        expect(new URL(page.url()).pathname).to.equal('/saml/sso');
        await page.getByLabel('Username').fill('alice');
        await page.getByLabel('Password').fill('wonderland');
        const guarded = `${apache.baseUrl}/protected/`;
        const answer = page.waitForResponse((response) => response.url() === guarded && response.ok());
        await page.keyboard.press('Enter');
        const response = await answer;
        expect(await response.text()).to.contain('behind the login');
        expect(response.headers()['x-remote-user']).to.equal('alice@example.org');
      } finally {
        for (const close of closing) await close();
      }
    });
  }
});
