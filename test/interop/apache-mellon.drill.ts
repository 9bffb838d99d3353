// mod_auth_mellon, a SAML service provider based on lasso, logs a real browser in. Its AuthnRequests are signed. In one run
// the IdP requires that.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { generateRsaKeyPair, privateKeyPem } from '#shared/state/keys/key-pair.ts';
import { selfSignedCertificate } from '#shared/state/keys/self-signed-certificate.ts';
import { startApache } from '#test/support/apache.ts';
import { launchChromium } from '#test/support/chromium.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { demoUsers } from '#test/support/worlds.ts';

describe('mod_auth_mellon of Debian', () => {
  for (const [signed, registered] of [
    [false, false],
    [true, false],
    [true, true],
  ] as const) {
    const how = registered
      ? ', registered by its own metadata, its Assertion encrypted, and begun at the identity provider'
      : signed
        ? ', its signed AuthnRequest demanded and verified'
        : '';
    it(`completes a login${how}`, async function () {
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
              // Its cookies are SameSite=None, which Chromium accepts from loopback only if they are Secure.
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
        if (registered) {
          const own = await (await fetch(`${apache.baseUrl}/mellon/metadata`)).text();
          writeFileSync(join(idp.configDirectory, 'sp.xml'), own);
          await idp.configure({
            settings: {
              oauth: { issuer_from_request: true },
              saml: {
                idp_initiated: true,
                unregistered: 'refuse',
                strict_binding: true,
                service_providers: [
                  {
                    metadata_file: 'sp.xml',
                    want_signed_requests: true,
                    encrypt: ['assertion'],
                    attributes: [
                      { name: 'email', name_format: 'basic', from: 'email' },
                      { name: 'authority', values: ['one', 'two'] },
                    ],
                  },
                ],
              },
            },
            users: demoUsers,
          });
        }
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
        if (registered) {
          const other = await (await browser.newContext()).newPage();
          const sp = encodeURIComponent(`${apache.baseUrl}/mellon/metadata`);
          await other.goto(`${idp.baseUrl}/saml/idp-initiated?sp=${sp}&RelayState=${encodeURIComponent(guarded)}`);
          await other.getByLabel('Username').fill('alice');
          await other.getByLabel('Password').fill('wonderland');
          const begun = other.waitForResponse((each) => each.url() === guarded && each.ok());
          await other.keyboard.press('Enter');
          expect((await begun).headers()['x-remote-user']).to.equal('alice@example.org');
        }
      } finally {
        for (const close of closing) await close();
      }
    });
  }
});
