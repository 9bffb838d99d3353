// Typical integration mistakes, made with real libraries. The page of the flow alone must show the cause, even on a phone.
// TEST_IDP_PICTURES=<folder> saves pictures of each page.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SAML } from '@node-saml/node-saml';
import { expect } from 'chai';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import * as client from 'openid-client';
import type { Browser, Page } from 'playwright-core';
import * as samlify from 'samlify';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { launchChromium } from '#test/support/chromium.ts';
import { alice } from '#test/support/credentials.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoSettings } from '#test/support/worlds.ts';

const insecure = { execute: [client.allowInsecureRequests] };
const pictures = process.env.TEST_IDP_PICTURES;

describe('the page of a flow explains', () => {
  let idp: RunningIdp;
  let chromium: Browser;
  let page: Page;
  before(async function () {
    chromium = await launchChromium(this);
    idp = await startIdp({ command: 'instance' });
    page = await chromium.newPage({ viewport: { width: 360, height: 740 }, reducedMotion: 'reduce' });
  });
  beforeEach(async () => {
    await idp.api('DELETE', '/api/clock');
    await idp.api('DELETE', '/api/flows');
  });
  after(async () => {
    await chromium?.close();
    await idp?.stop();
  });

  /** The text of the newest flow's page on a phone, without opening any detail. */
  async function read(name: string): Promise<string> {
    const [flow] = (await idp.api('GET', '/api/flows?limit=1')).body.flows;
    await page.goto(`${idp.baseUrl}/flows/${flow.id}`);
    const { text, overflow } = await page.evaluate(() => ({
      text: document.querySelector('main')?.innerText ?? '',
      overflow: document.documentElement.scrollWidth - window.innerWidth,
    }));
    if (pictures !== undefined) {
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
      writeFileSync(join(pictures, `${name}.txt`), text);
    }
    expect(overflow, 'scrolls sideways').to.be.at.most(0);
    return text.replaceAll(/\s+/g, ' ');
  }

  const relyingParty = (clientId: string, auth: client.ClientAuth, metadata?: Partial<client.ClientMetadata>) =>
    client.discovery(new URL(idp.baseUrl), clientId, metadata, auth, insecure);

  interface Login {
    readonly redirect_uri?: string;
    readonly verifier?: string;
    readonly config?: client.Configuration;
    readonly further?: Record<string, string>;
  }

  /** A login by openid-client as documented, with the given mistake. */
  async function logIn({ redirect_uri = callback, verifier, config, further = {} }: Login) {
    const party = config ?? (await relyingParty('web', client.ClientSecretBasic('web-secret')));
    const pkceCodeVerifier = client.randomPKCECodeVerifier();
    const [expectedState, expectedNonce] = [client.randomState(), client.randomNonce()];
    const url = client.buildAuthorizationUrl(party, {
      ...{ redirect_uri, scope: 'openid email', state: expectedState, nonce: expectedNonce },
      code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
      ...further,
    });
    const browser = newBrowser(idp);
    const asked = await browser.get(url.href);
    if (asked.status !== 200) return undefined;
    const done = await browser.submit(asked, alice);
    const checks = { pkceCodeVerifier: verifier ?? pkceCodeVerifier, expectedState, expectedNonce };
    return client.authorizationCodeGrant(party, new URL(done.location ?? ''), checks, further);
  }

  const messageOf = (work: Promise<unknown>) =>
    work.then(
      () => 'it went well',
      (error: Error) => `${error.message} ${error.cause instanceof Error ? error.cause.message : ''}`,
    );

  verifies(['REC-18', 'REC-21'], 'an unregistered redirect_uri, and shows both addresses', async () => {
    await logIn({ redirect_uri: `${callback}/` });
    const text = await read('redirect-uri');
    expect(text).to.contain(
      `/authorize rejected the request with 400: The redirect_uri is not registered for this client: ${callback}/`,
    );
    expect(text).to.contain(`Received ${callback}/ Registered: ${callback} `);
    expect(text).to.contain(`Nearest ${callback} Differs in path`);
    expect(text).to.match(/Expected: Exactly one of the client’s registered redirect URIs\. RFC 9700 §2\.1/);
  });

  verifies(['REC-18', 'REC-21'], 'a wrong secret, and a correct one sent by another method', async () => {
    const wrong = await relyingParty('web', client.ClientSecretBasic('another-secret'));
    expect(await messageOf(logIn({ config: wrong }))).to.match(/WWW-Authenticate/);
    const secret = await read('secret');
    expect(secret).to.contain('/token rejected the request with 401: Wrong client secret (RFC 6749 §2.3.1)');
    expect(secret).to.match(
      /Expected: Exactly the client_secret of the client entry, .* Method used client_secret_basic Registered method: client_secret_basic/,
    );
    const other = await relyingParty('web', client.ClientSecretPost('web-secret'));
    expect(await messageOf(logIn({ config: other }))).to.match(/error in the response body/);
    const method = await read('method');
    expect(method).to.contain(
      '/token rejected the request with 400: A client_secret_basic client sent client_secret in the body',
    );
    expect(method).to.contain('Method used client_secret_post Registered method client_secret_basic');
    expect(method).to.contain(
      'Remedy: Set token_endpoint_auth_method to the same value in the client and in its registration.',
    );
  });

  verifies(['REC-18', 'REC-21'], 'a code_verifier of another login', async () => {
    const verifier = client.randomPKCECodeVerifier();
    expect(await messageOf(logIn({ verifier }))).to.match(/error in the response body/);
    const text = await read('pkce');
    expect(text).to.contain(
      "'code_verifier' does not match the code_challenge of the authorization request (RFC 7636 §4.6)",
    );
    expect(text).to.contain('A client stores one for each login, beside its state.');
    const { exchanges } = (await idp.api('GET', '/api/exchanges?endpoint=authorize')).body;
    const sent = exchanges[0].parameters.find(({ name }: { name: string }) => name === 'code_challenge').value;
    expect(text).to.contain(`code_challenge ${sent} code_challenge_method S256`);
    expect(text, 'the page shows no verifier').to.not.contain(verifier);
  });

  verifies('REC-21', 'an API that expects another audience, and how to request it', async () => {
    const ask = async (further: Record<string, string>) => {
      const tokens = await logIn({ further });
      const keys = createRemoteJWKSet(new URL(`${idp.baseUrl}/.well-known/jwks.json`));
      return messageOf(jwtVerify(tokens?.access_token ?? '', keys, { audience: 'https://api.example' }));
    };
    expect(await ask({})).to.match(/unexpected "aud" claim value/);
    const text = await read('audience');
    expect(text).to.contain('Login completed. Last request: /token.');
    expect(text).to.contain('Last response: /token. This server cannot see whether the client accepted it.');
    expect(text).to.match(/access_token Issuer \(iss\) \S+ Audience \(aud\) default Subject \(sub\) alice/);
    expect(text).to.contain('A client can request another one with the parameter resource (RFC 8707 §2)');
    expect(text).to.match(/id_token Issuer \(iss\) \S+ Audience \(aud\) web /);
    expect(await ask({ resource: 'https://api.example' }), 'what the page advises').to.match(/it went well/);
    expect(await read('audience-mended')).to.contain('Audience (aud) https://api.example');
  });

  verifies('REC-21', 'a client whose clock is two hours slow', async () => {
    const config = await relyingParty('web', client.ClientSecretBasic('web-secret'), { [client.clockSkew]: -7200 });
    expect(await messageOf(logIn({ config }))).to.match(/timestamp claim value failed validation/);
    const text = await read('skew');
    expect(text).to.match(/Server clock \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, real time/);
    expect(text).to.match(
      /Issued \(iat\) [^,]+, (the time of the response|1 second later) .*Expires \(exp\) [^,]+, 1 hour later/,
    );
    expect(text).to.match(
      /Its clock must be between iat and exp, within a few minutes \(OpenID Connect Core 1\.0 §3\.1\.3\.7\)/,
    );
  });

  verifies('REC-21', 'an identity provider clock that was moved', async () => {
    await idp.api('PUT', '/api/clock', { advance_seconds: 7200 });
    expect(await messageOf(logIn({}))).to.match(/timestamp claim value failed validation/);
    const text = await read('moved-clock');
    expect(text).to.match(
      /The clock of this identity provider was moved It showed \S+ \S+ UTC, 2 hours ahead of real time .* DELETE \/api\/clock returns the clock to real time\./,
    );
  });

  const serviceProvider = async (changes: object) =>
    new SAML({
      ...{ callbackUrl: 'https://sp.example/acs', entryPoint: `${idp.baseUrl}/saml/sso`, issuer: 'https://sp.example' },
      idpCert: await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text(),
      ...changes,
    });
  const withSaml = (settings: object) => idp.configure({ settings: { ...demoSettings, saml: settings } });

  verifies(['REC-18', 'REC-21'], 'an unregistered assertion consumer service', async () => {
    await withSaml({ service_providers: [{ entity_id: 'https://sp.example', acs: ['https://sp.example/acs'] }] });
    const provider = await serviceProvider({ callbackUrl: 'https://sp.example/saml/acs' });
    await newBrowser(idp).get(await provider.getAuthorizeUrlAsync('', undefined, {}));
    const text = await read('saml-acs');
    expect(text).to.contain('unregistered assertion consumer service URL (SAML 2.0 core §3.4.1)');
    expect(text).to.contain(
      'Expected: Exactly one of the URLs in the acs list of the service provider. SAML 2.0 core §3.4.1',
    );
    expect(text).to.contain('Received https://sp.example/saml/acs Expected https://sp.example/acs');
  });

  verifies(['REC-18', 'REC-21'], 'a request without the required signature', async () => {
    const key = await signingKey('sp');
    mkdirSync(join(idp.configDirectory, 'sp'), { recursive: true });
    writeFileSync(join(idp.configDirectory, 'sp', 'sp.pem'), key.certificatePem);
    await withSaml({ want_authn_requests_signed: true, sp_certificates: ['sp/sp.pem'] });
    const location = { Binding: samlify.Constants.namespace.binding.post, Location: 'https://sp.example/acs' };
    const provider = samlify.ServiceProvider({ entityID: 'https://sp.example', assertionConsumerService: [location] });
    const metadata = await (await fetch(`${idp.baseUrl}/saml/metadata`)).text();
    // A service provider that does not know that requests must be signed.
    const older = samlify.IdentityProvider({ metadata: metadata.replace('WantAuthnRequestsSigned="true"', '') });
    await newBrowser(idp).get(provider.createLoginRequest(older, 'redirect').context);
    const text = await read('saml-unsigned');
    expect(text).to.contain(
      '/saml/sso rejected the request with 400: Signature is missing (SAML 2.0 bindings §3.4.4.1)',
    );
    expect(text).to.contain('Remedy: Sign requests with the key whose certificate saml.sp_certificates declares.');
  });

  verifies(['REC-18', 'REC-21'], 'a request in the form of another binding', async () => {
    await withSaml({ strict_binding: true });
    // As node-saml posts without `skipRequestCompression`.
    const form = await (await serviceProvider({ authnRequestBinding: 'HTTP-POST' })).getAuthorizeFormAsync('state');
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(form)?.[1] ?? '';
    await newBrowser(idp).post('/saml/sso', { SAMLRequest: field('SAMLRequest'), RelayState: field('RelayState') });
    const text = await read('saml-binding');
    expect(text).to.contain(
      '/saml/sso rejected the request with 400: unreadable SAMLRequest (SAML 2.0 bindings §3.4.4.1)',
    );
    expect(text)
      .to.contain('SAMLRequest must be an XML document in base64.')
      .and.contain('It has the form of the HTTP-Redirect binding.');
    expect(text).to.contain('HTTP-Redirect deflates and base64-encodes, HTTP-POST only base64-encodes.');
  });
});
