// Complete logins of third-party clients inside a sandbox, in a browser that is logged in at the default identity provider
// as another user.
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { expect } from 'chai';
import * as client from 'openid-client';
import { newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { alice } from '#test/support/credentials.ts';
import { delivered } from '#test/support/saml/service-provider.ts';
import { makeSandbox, type SandboxUnderTest } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

describe('clients of a sandbox', () => {
  let idp: RunningIdp;
  let box: SandboxUnderTest;
  let browser: BrowserClient;
  before(async () => {
    idp = await startIdp({ world: interactive, command: 'start' });
  });
  after(() => idp.stop());
  beforeEach(async () => {
    box = await makeSandbox(idp, { keys: 'own' });
    browser = newBrowser(idp);
    const page = await browser.post('/login', { username: 'bob', password: ' builder ' });
    expect(page.location).to.equal('/');
  });

  async function logIn(address: string) {
    const form = await browser.get(address);
    expect(form.text).to.contain('Password');
    return browser.submit(form, alice);
  }

  verifies(
    ['SBX-18', 'SBX-29', 'SBX-41'],
    "log in with openid-client, which validates the sandbox's documents",
    async () => {
      const web = await client.discovery(
        new URL(box.issuer),
        'web',
        undefined,
        client.ClientSecretBasic('web-secret'),
        {
          execute: [client.allowInsecureRequests],
        },
      );
      client.enableNonRepudiationChecks(web);
      const pkceCodeVerifier = client.randomPKCECodeVerifier();
      const expectedNonce = client.randomNonce();
      const url = client.buildAuthorizationUrl(web, {
        redirect_uri: callback,
        scope: 'openid email',
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
        nonce: expectedNonce,
      });
      const { location } = await logIn(url.href);
      const checks = { pkceCodeVerifier, expectedNonce, idTokenExpected: true };
      const tokens = await client.authorizationCodeGrant(web, new URL(location ?? ''), checks);
      expect(tokens.claims()).to.include({ iss: box.issuer, sub: 'alice' });
      expect(await client.fetchUserInfo(web, tokens.access_token, 'alice')).to.include({ sub: 'alice' });
      // The other session of this browser is unchanged.
      expect((await browser.get('/')).text).to.contain('bob');
    },
  );

  verifies(
    ['SBX-18', 'SBX-29', 'SBX-41'],
    "log in with node-saml, which only has the sandbox's certificate",
    async () => {
      const saml = new SAML({
        callbackUrl: 'https://sp.example/acs',
        entryPoint: box.made.saml.sso_url,
        issuer: 'https://sp.example',
        idpCert: await (await fetch(`${box.issuer}/saml/cert.pem`)).text(),
        idpIssuer: box.made.saml.entity_id,
        audience: 'https://sp.example',
        wantAssertionsSigned: true,
        validateInResponseTo: ValidateInResponseTo.always,
      });
      const page = await logIn(await saml.getAuthorizeUrlAsync('state', undefined, {}));
      const SAMLResponse = Buffer.from(delivered(page).xml).toString('base64');
      const { profile } = await saml.validatePostResponseAsync({ SAMLResponse });
      expect(profile?.issuer).to.equal(box.made.saml.entity_id);
      expect(profile?.nameID).to.contain('alice');
      expect((await browser.get('/')).text).to.contain('bob');
    },
  );
});
