// Two and four machines with their own directories behind a load balancer that sends each request to the next one.
// Third-party clients run every flow of both protocols twice, so that each step meets each machine (CLU-01, CLU-02). Then
// one machine is killed (CLU-04).
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import { expect } from 'chai';
import * as client from 'openid-client';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { authorizePath, codeOf, totpAt } from '#test/support/authorization-flow.ts';
import { BrowserClient, redirectParameters } from '#test/support/browser-client.ts';
import { alice, web } from '#test/support/credentials.ts';
import { postForm } from '#test/support/http.ts';
import { type Machine, type Machines, machinesOn } from '#test/support/machines.ts';
import { apiClient } from '#test/support/management-api.ts';
import { type PostgresServer, postgresOrSkip } from '#test/support/postgres-server.ts';
import { type RoundRobin, roundRobin } from '#test/support/round-robin.ts';
import { attributeQuery, enveloped } from '#test/support/saml/attribute-query.ts';
import { delivered, rootOf, statusOf } from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { until, workersOf } from '#test/support/stack.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, demoSettings, demoUsers, totpSecret } from '#test/support/worlds.ts';

const insecure = { execute: [client.allowInsecureRequests] };
const goodbye = 'http://127.0.0.1:9/goodbye';
const settings = {
  ...demoSettings,
  device_flow: { polling_interval: 1 },
  login: { totp: true },
  saml: { want_authn_requests_signed: true, sp_certificates: ['sp.pem'] },
  oauth: {
    ...demoSettings.oauth,
    clients: [
      ...demoSettings.oauth.clients,
      {
        client_id: 'leaving',
        client_secret: 'leaving-secret',
        redirect_uris: [callback],
        post_logout_redirect_uris: [goodbye],
      },
    ],
    dynamic_registration: { enabled: true },
  },
};
const users = { users: { ...demoUsers.users, carol: { password: 'cabbage', totp_secret: totpSecret } } };

for (const count of [2, 4]) {
  describe(`${count} machines behind a balancer`, () => {
    let server: PostgresServer;
    let machines: Machines;
    let all: readonly Machine[];
    let one: Machine;
    let two: Machine;
    let balancer: RoundRobin;
    let key: SigningKey;
    before(async function () {
      server = await postgresOrSkip(this);
      machines = machinesOn(server);
      key = await signingKey('sp');
      [one, two] = [machines.make({ settings, users }), machines.make({ settings, users })];
      all = [one, two, ...Array.from({ length: count - 2 }, () => machines.make({ settings, users }))];
      for (const { files } of all) writeFileSync(join(files.root, 'config', 'sp.pem'), key.certificatePem);
      await Promise.all(all.map((machine) => machine.start()));
      balancer = await roundRobin(all.map(({ idp }) => idp));
    });
    after(async () => {
      await balancer?.close();
      await machines?.stopAll();
      // The server is undefined if the hook above was skipped.
      await server?.stop();
    });

    /** In the second run, each step meets the other machine. */
    const twice = async (flow: () => Promise<void>) => {
      const before = [...balancer.answered];
      await flow();
      balancer.shift();
      await flow();
      for (const [index, count] of balancer.answered.entries()) expect(count).to.be.greaterThan(before[index] ?? 0);
      expect(balancer.failed).to.equal(0);
    };
    const discovered = async (id: string) => {
      const authentication = id === 'spa' ? client.None() : client.ClientSecretBasic(`${id}-secret`);
      const config = await client.discovery(new URL(balancer.baseUrl), id, undefined, authentication, insecure);
      client.enableNonRepudiationChecks(config);
      return config;
    };
    const authorized = async (
      config: client.Configuration,
      scope: string,
      browser = new BrowserClient(balancer.baseUrl),
    ) => {
      const [pkceCodeVerifier, expectedState, expectedNonce] = [
        client.randomPKCECodeVerifier(),
        client.randomState(),
        client.randomNonce(),
      ];
      const asked = client.buildAuthorizationUrl(config, {
        ...{ redirect_uri: callback, scope, state: expectedState, nonce: expectedNonce },
        code_challenge: await client.calculatePKCECodeChallenge(pkceCodeVerifier),
        code_challenge_method: 'S256',
      });
      const done = await browser.submit(await browser.get(asked.href), alice);
      const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true };
      return client.authorizationCodeGrant(config, new URL(done.location ?? ''), checks);
    };

    verifies('CLU-01', 'serve code, userinfo, refresh, introspection, revocation and logout', () =>
      twice(async () => {
        for (const id of ['web', 'spa']) {
          const config = await discovered(id);
          const tokens = await authorized(config, 'openid email offline_access');
          expect(tokens.claims()).to.include({ sub: 'alice', iss: balancer.baseUrl });
          expect(await client.fetchUserInfo(config, tokens.access_token, 'alice')).to.include({ sub: 'alice' });
          const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
          expect(next.access_token).to.not.equal(tokens.access_token);
        }
        const config = await discovered('web');
        const { access_token } = await client.clientCredentialsGrant(config);
        expect((await client.tokenIntrospection(config, access_token)).active).to.equal(true);
        await client.tokenRevocation(config, access_token);
        for (let look = 0; look < count; look += 1) {
          expect(await client.tokenIntrospection(config, access_token)).to.deep.equal({ active: false });
        }
        const leaving = await discovered('leaving');
        const { id_token = '' } = await authorized(leaving, 'openid');
        const away = client.buildEndSessionUrl(leaving, { id_token_hint: id_token, post_logout_redirect_uri: goodbye });
        const left = await new BrowserClient(balancer.baseUrl).get(away.href);
        expect([left.status, left.location]).to.deep.equal([302, goodbye]);
      }),
    );

    verifies('CLU-01', 'serve a device flow, and a client that registers itself', () =>
      twice(async () => {
        const config = await discovered('web');
        const begun = await client.initiateDeviceAuthorization(config, { scope: 'openid' });
        const browser = new BrowserClient(balancer.baseUrl);
        const approved = await browser.submit(await browser.get(begun.verification_uri_complete ?? ''), alice);
        expect(approved.status).to.equal(200);
        expect((await client.pollDeviceAuthorizationGrant(config, begun)).claims()?.sub).to.equal('alice');
        const registered = await client.dynamicClientRegistration(
          new URL(balancer.baseUrl),
          { redirect_uris: [callback], token_endpoint_auth_method: 'client_secret_post' },
          undefined,
          insecure,
        );
        expect((await authorized(registered, 'openid')).claims()?.aud).to.equal(registered.clientMetadata().client_id);
        const { registration_client_uri, registration_access_token } = registered.clientMetadata();
        const own = { headers: { Authorization: `Bearer ${registration_access_token}` } };
        const removed = await fetch(String(registration_client_uri), { method: 'DELETE', ...own });
        expect(removed.status).to.equal(204);
        for (let look = 0; look < count; look += 1) {
          const gone = await client.clientCredentialsGrant(registered).catch((error: unknown) => error);
          expect(gone).to.be.instanceOf(Error);
        }
      }),
    );

    verifies(['CLU-01', 'CLU-02'], 'request the second factor for a password that the other one accepted', () =>
      twice(async () => {
        const browser = new BrowserClient(balancer.baseUrl);
        const page = await browser.get(authorizePath());
        const second = await browser.submit(page, { username: 'carol', password: 'cabbage' });
        codeOf(await browser.submit(second, { totp_code: totpAt(Date.now()) }));
        // One cookie, one session.
        for (let look = 0; look < count; look += 1) expect((await browser.get('/')).text).to.contain('carol');
      }),
    );

    const serviceProvider = async () =>
      new SAML({
        ...{ callbackUrl: 'https://sp.example/acs', issuer: 'https://sp.example', audience: 'https://sp.example' },
        entryPoint: `${balancer.baseUrl}/saml/sso`,
        idpCert: await (await fetch(`${balancer.baseUrl}/saml/cert.pem`)).text(),
        idpIssuer: `${balancer.baseUrl}/saml`,
        identifierFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
        privateKey: String(key.privateKey.export({ type: 'pkcs8', format: 'pem' })),
        publicCert: key.certificatePem,
        signatureAlgorithm: 'sha256',
        wantAssertionsSigned: true,
        wantAuthnResponseSigned: false,
        validateInResponseTo: ValidateInResponseTo.always,
      });

    verifies(
      ['CLU-01', 'CLU-02'],
      'serve node-saml a login with one persistent identifier, and an attribute query',
      async () => {
        const identifiers = new Set<string>();
        await twice(async () => {
          const provider = await serviceProvider();
          const browser = new BrowserClient(balancer.baseUrl);
          const form = await browser.get(await provider.getAuthorizeUrlAsync('there', undefined, {}));
          const answer = await browser.submit(form, alice);
          expect(delivered(answer).relayState).to.equal('there');
          const SAMLResponse = Buffer.from(delivered(answer).xml).toString('base64');
          const { profile } = await provider.validatePostResponseAsync({ SAMLResponse });
          identifiers.add(profile?.nameID ?? '');
          // The resulting session, at the machine that did not create it.
          const again = await browser.get(await provider.getAuthorizeUrlAsync('again', undefined, {}));
          expect(delivered(again).relayState).to.equal('again');
          const asked = await fetch(`${balancer.baseUrl}/saml/attribute-query`, {
            method: 'POST',
            body: enveloped(attributeQuery({ attributes: ['email'] })),
            headers: { 'content-type': 'text/xml' },
          });
          expect([asked.status, ...statusOf(rootOf(await asked.text()))]).to.include('Success');
        });
        expect([...identifiers]).to.have.length(1);
        expect([...identifiers][0]).to.not.equal('');
      },
    );

    verifies('CLU-24', 'share one clock, and faults, sandboxes, expectations and verdicts made at either', async () => {
      const [here, there] = [one.idp, two.idp].map((idp) => ({ idp, api: apiClient(idp) }));
      if (here === undefined || there === undefined) throw new Error('two machines');
      for (const [at, elsewhere] of [
        [here, there],
        [there, here],
      ] as const) {
        await at.api('PUT', '/api/clock', { at: '2040-01-01T00:00:00Z', frozen: true });
        expect((await elsewhere.api('GET', '/api/clock')).body).to.include({
          now: '2040-01-01T00:00:00.000Z',
          frozen: true,
        });
        await elsewhere.api('DELETE', '/api/clock');
        expect((await at.api('GET', '/api/clock')).body.moved).to.equal(false);
        await at.api('POST', '/api/faults', { fault: 'status', at: 'jwks', times: 1 });
        const keys = () => fetch(`${elsewhere.idp.baseUrl}/.well-known/jwks.json`);
        expect([(await keys()).status, (await keys()).status]).to.deep.equal([500, 200]);
        await at.api('POST', '/api/sandboxes', { name: 'box' });
        const discovery = `${elsewhere.idp.baseUrl}/s/box/.well-known/openid-configuration`;
        expect((await fetch(discovery)).status).to.equal(200);
        await elsewhere.api('DELETE', '/api/sandboxes/box');
        expect((await fetch(discovery.replace(elsewhere.idp.baseUrl, at.idp.baseUrl))).status).to.equal(404);
        await at.api('DELETE', '/api/flows');
        const expected = at.api('POST', '/api/expect', {
          ...{ endpoint: 'token', client_id: 'web', at_least: 2, within_seconds: 20 },
        });
        for (let request = 0; request < 2; request += 1) {
          await postForm(`${elsewhere.idp.baseUrl}/token`, { grant_type: 'client_credentials' }, web);
        }
        expect((await expected).status).to.equal(200);
        const verdicts = await Promise.all([at, elsewhere].map(({ api }) => api('GET', '/api/verdict')));
        expect(verdicts[0]?.body).to.deep.equal(verdicts[1]?.body);
      }
    });

    verifies('CLU-04', 'lose only the requests in flight in a machine that is killed', async () => {
      const config = await discovered('web');
      const tokens = await authorized(config, 'openid offline_access');
      const browser = new BrowserClient(balancer.baseUrl);
      const asked = client.buildAuthorizationUrl(config, { redirect_uri: callback, scope: 'openid', state: 's' });
      const page = await browser.get(asked.href);
      const killed = [one.idp.pid, ...workersOf(one.idp.pid).map(({ pid }) => pid)];
      for (const pid of killed) process.kill(pid, 'SIGKILL');
      // The process may have ended while its threads still hold its sockets.
      await until('no process accepts a connection', () =>
        fetch(one.idp.baseUrl).then(
          () => false,
          ({ cause }) => cause?.code === 'ECONNREFUSED',
        ),
      );
      const start = performance.now();
      const done = await browser.submit(page, alice);
      expect(redirectParameters(done).get('state')).to.equal('s');
      const next = await client.refreshTokenGrant(config, tokens.refresh_token ?? '');
      expect((await client.tokenIntrospection(config, next.access_token)).active).to.equal(true);
      // A request that waited until the dead machine's silence is noticed would take 10 s.
      expect(performance.now() - start, 'without a pause').to.be.lessThan(9_000);
      expect(balancer.failed).to.equal(0);
      await until('it is no longer listed', async () => {
        const { stacks } = (await apiClient(two.idp)('GET', '/api/cluster')).body;
        return stacks.length === count - 1;
      });
    });
  });
}

describe('two machines with a rate limit', () => {
  verifies('CLU-02', 'count the requests of a client together', async function () {
    const server = await postgresOrSkip(this);
    const machines = machinesOn(server);
    const limited = { ...demoSettings, rate_limit_enabled: true, server: { rate_limit_token_endpoint: '5/minute' } };
    try {
      const [one, two] = [await machines.started({ settings: limited }), await machines.started({ settings: limited })];
      const statuses: number[] = [];
      for (const { idp } of [one, two, one, two, one, two, one]) {
        statuses.push((await postForm(`${idp.baseUrl}/token`, { grant_type: 'client_credentials' }, web)).status);
      }
      expect(statuses).to.deep.equal([200, 200, 200, 200, 200, 429, 429]);
    } finally {
      await machines.stopAll();
      await server.stop();
    }
  });
});
