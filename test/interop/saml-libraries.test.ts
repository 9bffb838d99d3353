// Third-party service providers: @node-saml/node-saml and samlify send signed AuthnRequests by both bindings and verify the
// responses.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { expect } from 'chai';
import * as samlify from 'samlify';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { loggedIn, newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient, Page } from '#test/support/browser-client.ts';
import { delivered } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers } from '#test/support/worlds.ts';

const hostile = '<&"\'>]]> \u202E\u{1F600}';
const users = { ...samlUsers, alice: { ...samlUsers.alice, attributes: { hostile, long: 'x'.repeat(100_000) } } };
const formats = [
  '1.1:nameid-format:unspecified',
  '1.1:nameid-format:emailAddress',
  '2.0:nameid-format:persistent',
  '2.0:nameid-format:transient',
].map((suffix) => `urn:oasis:names:tc:SAML:${suffix}`);

describe('SAML libraries as service providers', () => {
  let idp: RunningIdp;
  let key: SigningKey;
  let privateKey: string;
  let certificate: string;
  let alice: BrowserClient;
  before(async () => {
    idp = await startIdp({ world: saml });
    key = await signingKey('sp');
    privateKey = String(key.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    mkdirSync(join(idp.configDirectory, 'sp'));
    writeFileSync(join(idp.configDirectory, 'sp', 'sp.pem'), key.certificatePem);
    certificate = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
    alice = await loggedIn(idp);
  });
  after(() => idp.stop());

  const signed = (c14n_algorithm: string, strict_binding: boolean) =>
    idp.configure({
      settings: {
        saml: { want_authn_requests_signed: true, sp_certificates: ['sp/sp.pem'], c14n_algorithm, strict_binding },
      },
      users,
    });
  const samlResponse = (page: Page) => Buffer.from(delivered(page).xml).toString('base64');

  describe('@node-saml/node-saml', () => {
    const sp = (changes: object = {}) =>
      new SAML({
        callbackUrl: 'https://sp.example/acs',
        entryPoint: `${idp.baseUrl}/saml/sso`,
        issuer: 'https://sp.example',
        idpCert: certificate,
        idpIssuer: `${idp.baseUrl}/saml`,
        audience: 'https://sp.example',
        privateKey,
        publicCert: key.certificatePem,
        signatureAlgorithm: 'sha256',
        wantAssertionsSigned: true,
        validateInResponseTo: ValidateInResponseTo.always,
        ...changes,
      });

    for (const strict of [false, true]) {
      for (const c14n of ['exc_c14n', 'c14n']) {
        verifies(['SAM-25', 'SAM-26', 'SAM-46'], `logs in by both bindings, ${c14n}, strict ${strict}`, async () => {
          await signed(c14n, strict);
          for (const identifierFormat of formats) {
            const provider = sp({ identifierFormat });
            const redirected = await alice.get(await provider.getAuthorizeUrlAsync('state', undefined, {}));
            expect(delivered(redirected).relayState).to.equal('state');
            const { profile } = await provider.validatePostResponseAsync({ SAMLResponse: samlResponse(redirected) });
            expect(profile?.nameIDFormat).to.equal(identifierFormat);
            expect(profile?.hostile).to.equal(hostile);
            expect(profile?.long).to.equal('x'.repeat(100_000));

            // node-saml compresses its message by default, but the POST binding requires it uncompressed.
            const poster = sp({ identifierFormat, authnRequestBinding: 'HTTP-POST', skipRequestCompression: true });
            const form = await poster.getAuthorizeFormAsync('state');
            const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? '';
            const posted = await alice.post('/saml/sso', {
              SAMLRequest: field('SAMLRequest'),
              RelayState: field('RelayState'),
            });
            const answer = await poster.validatePostResponseAsync({ SAMLResponse: samlResponse(posted) });
            expect(answer.profile?.nameIDFormat).to.equal(identifierFormat);
            expect(answer.profile?.sessionIndex).to.match(/^_/);
          }
        });
      }
    }

    verifies('ENC-13', 'reads encrypted assertions like plain ones', async () => {
      const entry = { entity_id: 'https://sp.example', acs: 'https://sp.example/acs' };
      const read = async (further: object) => {
        await idp.configure({
          settings: { saml: { service_providers: [{ ...entry, ...further }] } },
          users: samlUsers,
        });
        const provider = sp({ decryptionPvk: privateKey });
        const page = await alice.get(await provider.getAuthorizeUrlAsync('', undefined, {}));
        const { profile } = await provider.validatePostResponseAsync({ SAMLResponse: samlResponse(page) });
        return [profile?.nameID, profile?.email, profile?.entitlements];
      };
      const plain = await read({});
      expect(plain).to.deep.equal(['alice@example.com', 'alice@example.com', ['E1', 'E,2']]);
      const encryption_certificate = key.certificatePem;
      expect(await read({ encrypt: ['assertion'], encryption_certificate })).to.deep.equal(plain);
      expect(await read({ encrypt: ['assertion'], sign: 'both', encryption_certificate })).to.deep.equal(plain);
    });

    verifies(['SAM-34', 'SAM-53'], 'understands a signed rejection', async () => {
      await signed('exc_c14n', false);
      const provider = sp({ passive: true });
      const page = await newBrowser(idp).get(await provider.getAuthorizeUrlAsync('', undefined, {}));
      const outcome = await provider.validatePostResponseAsync({ SAMLResponse: samlResponse(page) });
      expect(outcome.profile).to.equal(null);
    });

    verifies('SAM-46', 'rejects a changed response', async () => {
      await signed('exc_c14n', false);
      const provider = sp();
      const page = await alice.get(await provider.getAuthorizeUrlAsync('', undefined, {}));
      const forged = delivered(page).xml.replace('alice@example.com', 'admin@example.com');
      const outcome = await provider
        .validatePostResponseAsync({ SAMLResponse: Buffer.from(forged).toString('base64') })
        .then(
          () => 'accepted',
          (error: Error) => error.message,
        );
      expect(outcome).to.match(/[Ss]ignature/);
    });
  });

  describe('samlify', () => {
    before(() => samlify.setSchemaValidator({ validate: async () => 'no schema validator' }));

    verifies(['SAM-01', 'SAM-25', 'SAM-26', 'SAM-46'], 'reads the metadata and logs in by both bindings', async () => {
      await signed('exc_c14n', false);
      const provider = samlify.ServiceProvider({
        entityID: 'https://sp.example',
        authnRequestsSigned: true,
        wantAssertionsSigned: true,
        privateKey,
        signingCert: key.certificatePem,
        assertionConsumerService: [
          { Binding: samlify.Constants.namespace.binding.post, Location: 'https://sp.example/acs' },
        ],
        requestSignatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
        relayState: 'state',
      });
      const metadata = await (await fetch(`${idp.baseUrl}/saml/metadata`)).text();
      const identityProvider = samlify.IdentityProvider({ metadata });
      expect(identityProvider.entityMeta.isWantAuthnRequestsSigned()).to.equal(true);

      const redirect = provider.createLoginRequest(identityProvider, 'redirect');
      const redirected = await alice.get(redirect.context);
      const post = provider.createLoginRequest(identityProvider, 'post');
      if (!('entityEndpoint' in post)) throw new Error('samlify made no POST request');
      const posted = await alice.post('/saml/sso', { SAMLRequest: post.context, RelayState: 'state' });
      for (const page of [redirected, posted]) {
        const { extract } = await provider.parseLoginResponse(identityProvider, 'post', {
          body: { SAMLResponse: samlResponse(page) },
        });
        expect(extract.nameID).to.equal('alice@example.com');
        expect(extract.attributes?.hostile).to.equal(hostile);
        expect(extract.issuer).to.equal(`${idp.baseUrl}/saml`);
        expect(extract.audience).to.equal('https://sp.example');
      }
    });
  });
});
