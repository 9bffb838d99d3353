// Two machines with their own directories behind a load balancer that alternates between them. Two third-party service
// providers log in by one session, and one of them ends it for both (CLU-01).
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { expect } from 'chai';
import * as samlify from 'samlify';
import { privateKeyPem } from '#shared/state/keys/key-pair.ts';
import { BrowserClient, type Page } from '#test/support/browser-client.ts';
import { alice } from '#test/support/credentials.ts';
import { type Machine, machinesOn } from '#test/support/machines.ts';
import { postgresOrSkip } from '#test/support/postgres-server.ts';
import { type RoundRobin, roundRobin } from '#test/support/round-robin.ts';
import { delivered } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

const [first, second] = ['https://first.example', 'https://second.example'] as const;
const rsaSha256 = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256';

describe('two machines behind a balancer, with single logout', () => {
  const closing: (() => Promise<unknown>)[] = [];
  let machines: readonly Machine[];
  let balancer: RoundRobin;
  let parts: Awaited<ReturnType<typeof serviceProviders>>;
  before(async function () {
    const server = await postgresOrSkip(this);
    closing.unshift(() => server.stop());
    const cluster = machinesOn(server);
    closing.unshift(() => cluster.stopAll());
    const key = await signingKey('sp');
    const serviceProvider = (entity: string) => ({
      ...{ entity_id: entity, acs: `${entity}/acs`, certificates: [key.certificatePem] },
      slo: [{ url: `${entity}/slo`, binding: 'HTTP-Redirect' }],
    });
    const settings = {
      ...demoSettings,
      login: { session: 'on' },
      saml: {
        ...{ single_logout: true, want_authn_requests_signed: true, unregistered: 'refuse' },
        service_providers: [serviceProvider(first), serviceProvider(second)],
      },
    };
    machines = [await cluster.started({ settings }), await cluster.started({ settings })];
    balancer = await roundRobin(machines.map(({ idp }) => idp));
    closing.unshift(() => balancer.close());
    parts = await serviceProviders(balancer.baseUrl);
  });
  after(async () => {
    for (const close of closing) await close();
  });

  const samlResponse = (page: Page) => Buffer.from(delivered(page).xml).toString('base64');
  /** The address and message of a redirect, as a service provider reads them. */
  const arrived = (page: Page, at: string) => {
    expect([page.status, page.location?.split('?')[0]], page.text).to.deep.equal([302, at]);
    const { search, searchParams } = new URL(page.location ?? '');
    return { query: Object.fromEntries(searchParams), text: search.slice(1) };
  };

  verifies('CLU-01', 'log in by samlify and node-saml, and end the session of both for node-saml', async () => {
    const { nodeSaml, provider, identityProvider } = parts;
    for (let round = 0; round < 2; round += 1) {
      const answered = [...balancer.answered];
      const browser = new BrowserClient(balancer.baseUrl);
      const form = await browser.get(provider.createLoginRequest(identityProvider, 'redirect').context);
      const body = { SAMLResponse: samlResponse(await browser.submit(form, alice)) };
      const { extract } = await provider.parseLoginResponse(identityProvider, 'post', { body });
      expect([extract.issuer, extract.audience]).to.deep.equal([`${balancer.baseUrl}/saml`, second]);

      const page = await browser.get(await nodeSaml.getAuthorizeUrlAsync('', undefined, {}));
      const { profile } = await nodeSaml.validatePostResponseAsync({ SAMLResponse: samlResponse(page) });
      if (profile === null) throw new Error('node-saml has no profile');
      expect(profile.nameID).to.equal(extract.nameID);
      const sessions = () => Promise.all(machines.map(async ({ idp }) => (await idp.api('GET', '/api/sessions')).body));
      expect((await sessions()).map(({ count }) => count)).to.deep.equal([1, 1]);

      const requestPage = await browser.get(await nodeSaml.getLogoutUrlAsync(profile, 'bye', {}));
      const received = arrived(requestPage, `${second}/slo`);
      const octetString = received.text.replace(/&Signature=[^&]*/, '');
      const asked = await provider.parseLogoutRequest(identityProvider, 'redirect', {
        query: received.query,
        octetString,
      });
      expect(asked.extract.nameID).to.equal(extract.nameID);
      const relayState = received.query.RelayState ?? '';
      const agreed = provider.createLogoutResponse(identityProvider, { ...asked }, 'redirect', relayState);
      const answer = arrived(await browser.get(agreed.context), `${first}/slo`);
      expect(answer.query.RelayState).to.equal('bye');
      expect(await nodeSaml.validateRedirectAsync(answer.query, answer.text)).to.deep.equal({
        ...{ profile: null, loggedOut: true },
      });
      expect((await sessions()).map(({ count }) => count)).to.deep.equal([0, 0]);
      const again = await browser.get(await nodeSaml.getAuthorizeUrlAsync('', undefined, {}));
      expect(again.forms.flatMap(({ fields }) => fields.map(([name]) => name))).to.include('password');

      // Both machines handled steps of the login and of the logout.
      for (const [index, count] of balancer.answered.entries()) expect(count - (answered[index] ?? 0)).to.equal(3);
      balancer.shift();
    }
    expect(balancer.failed).to.equal(0);
  });
});

/** Both service providers know the provider by the address of the load balancer. */
async function serviceProviders(baseUrl: string) {
  const key = await signingKey('sp');
  const read = async (path: string) => (await fetch(`${baseUrl}${path}`)).text();
  const keys = { privateKey: privateKeyPem(key), publicCert: key.certificatePem };
  samlify.setSchemaValidator({ validate: async () => 'no schema validator' });
  const binding = samlify.Constants.namespace.binding;
  return {
    nodeSaml: new SAML({
      ...{ ...keys, issuer: first, audience: first, callbackUrl: `${first}/acs`, logoutCallbackUrl: `${first}/slo` },
      ...{ entryPoint: `${baseUrl}/saml/sso`, logoutUrl: `${baseUrl}/saml/slo`, idpIssuer: `${baseUrl}/saml` },
      ...{ idpCert: await read('/saml/cert.pem'), signatureAlgorithm: 'sha256' as const },
      ...{ wantAssertionsSigned: true, wantAuthnResponseSigned: false },
      validateInResponseTo: ValidateInResponseTo.always,
    }),
    provider: samlify.ServiceProvider({
      ...{ entityID: second, privateKey: keys.privateKey, signingCert: keys.publicCert },
      ...{ authnRequestsSigned: true, wantAssertionsSigned: true, requestSignatureAlgorithm: rsaSha256 },
      ...{ wantLogoutRequestSigned: true, wantLogoutResponseSigned: true },
      assertionConsumerService: [{ Binding: binding.post, Location: `${second}/acs` }],
      singleLogoutService: [{ Binding: binding.redirect, Location: `${second}/slo` }],
    }),
    identityProvider: samlify.IdentityProvider({
      metadata: await read('/saml/metadata'),
      ...{ wantLogoutRequestSigned: true, wantLogoutResponseSigned: true },
    }),
  };
}
