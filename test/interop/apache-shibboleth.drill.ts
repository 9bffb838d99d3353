// Shibboleth's service provider (mod_shib and its daemon) logs a real browser in and passes the attributes on.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { generateRsaKeyPair, privateKeyPem } from '#shared/state/keys/key-pair.ts';
import { selfSignedCertificate } from '#shared/state/keys/self-signed-certificate.ts';
import { startApache } from '#test/support/apache.ts';
import { launchChromium } from '#test/support/chromium.ts';
import { startShibd } from '#test/support/shibd.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { demoUsers } from '#test/support/worlds.ts';

const attributeMap = `<Attributes xmlns="urn:mace:shibboleth:2.0:attribute-map">
  <Attribute name="email" nameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified" id="email"/>
  <Attribute name="roles" nameFormat="urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified" id="roles"/>
</Attributes>
`;

const configuration = (root: string, baseUrl: string, idpEntityId: string) => `<SPConfig
    xmlns="urn:mace:shibboleth:3.0:native:sp:config" clockSkew="180">
  <UnixListener address="${root}/shibd.sock"/>
  <ApplicationDefaults entityID="${baseUrl}/shibboleth" REMOTE_USER="email">
    <Sessions lifetime="28800" timeout="3600" relayState="ss:mem" checkAddress="false" handlerSSL="false" cookieProps="http">
      <SSO entityID="${idpEntityId}">SAML2</SSO>
      <Handler type="MetadataGenerator" Location="/Metadata" signing="false"/>
    </Sessions>
    <MetadataProvider type="XML" validate="false" path="${root}/idp.xml"/>
    <AttributeExtractor type="XML" validate="false" path="${root}/attribute-map.xml"/>
    <CredentialResolver type="File" key="${root}/sp.key" certificate="${root}/sp.crt"/>
  </ApplicationDefaults>
  <SecurityPolicyProvider type="XML" validate="true" path="/etc/shibboleth/security-policy.xml"/>
  <ProtocolProvider type="XML" validate="true" reloadChanges="false" path="/etc/shibboleth/protocols.xml"/>
</SPConfig>
`;

describe("Debian's Shibboleth service provider", () => {
  for (const registered of [false, true]) {
    const how = registered
      ? ', registered by its own metadata, its Assertion encrypted, and begun at the identity provider'
      : '';
    it(`completes a login${how}`, async function () {
      const browser = await launchChromium(this);
      const closing: (() => Promise<unknown>)[] = [() => browser.close()];
      try {
        const idp = await startIdp({
          settings: { oauth: { issuer_from_request: true }, saml: { export_roles: true, strict_binding: true } },
          users: demoUsers,
        });
        closing.unshift(() => idp.stop());
        const metadata = await (await fetch(`${idp.baseUrl}/saml/metadata`)).text();
        const pair = await generateRsaKeyPair();
        const apache = await startApache(this, {
          module: 'shib',
          symbol: 'mod_shib',
          debianPackage: 'libapache2-mod-shib',
          configure: async ({ root, baseUrl }) => {
            writeFileSync(join(root, 'sp.key'), privateKeyPem(pair));
            writeFileSync(join(root, 'sp.crt'), selfSignedCertificate(pair, instant(Date.now())));
            writeFileSync(join(root, 'idp.xml'), metadata);
            writeFileSync(join(root, 'attribute-map.xml'), attributeMap);
            writeFileSync(join(root, 'shibboleth2.xml'), configuration(root, baseUrl, `${idp.baseUrl}/saml`));
            closing.unshift(await startShibd(this, root));
            return [
              `ShibConfig ${root}/shibboleth2.xml`,
              '<Location /Shibboleth.sso>',
              '  SetHandler shib',
              '</Location>',
              '<Location /protected>',
              '  AuthType shibboleth',
              '  ShibRequestSetting requireSession 1',
              '  Require valid-user',
              '</Location>',
              'Header always set X-Roles "expr=%{reqenv:roles}"',
            ].join('\n');
          },
        });
        closing.unshift(() => apache.stop());
        if (registered) {
          const own = await (await fetch(`${apache.baseUrl}/Shibboleth.sso/Metadata`)).text();
          writeFileSync(join(idp.configDirectory, 'sp.xml'), own);
          const name_format = 'unspecified';
          await idp.configure({
            settings: {
              oauth: { issuer_from_request: true },
              saml: {
                idp_initiated: true,
                unregistered: 'refuse',
                service_providers: [
                  {
                    metadata_file: 'sp.xml',
                    encrypt: ['assertion'],
                    attributes: [
                      { name: 'email', name_format, from: 'email' },
                      { name: 'roles', name_format, from: 'roles' },
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
        expect(new URL(page.url()).pathname, readFileSync(join(apache.root, 'error.log'), 'utf8')).to.equal(
          '/saml/sso',
        );
        await page.getByLabel('Username').fill('alice');
        await page.getByLabel('Password').fill('wonderland');
        const guarded = `${apache.baseUrl}/protected/`;
        const answer = page.waitForResponse((response) => response.url() === guarded && response.ok());
        await page.keyboard.press('Enter');
        const response = await answer;
        expect(await response.text()).to.contain('behind the login');
        expect(response.headers()['x-remote-user']).to.equal('alice@example.org');
        expect(response.headers()['x-roles']).to.equal('USER;ADMIN');
        if (registered) {
          const other = await (await browser.newContext()).newPage();
          const sp = encodeURIComponent(`${apache.baseUrl}/shibboleth`);
          await other.goto(`${idp.baseUrl}/saml/idp-initiated?sp=${sp}&RelayState=${encodeURIComponent(guarded)}`);
          await other.getByLabel('Username').fill('alice');
          await other.getByLabel('Password').fill('wonderland');
          const begun = other.waitForResponse((each) => each.url() === guarded && each.ok());
          await other.keyboard.press('Enter');
          expect((await begun).headers()['x-roles']).to.equal('USER;ADMIN');
        }
      } finally {
        for (const close of closing) await close();
      }
    });
  }
});
