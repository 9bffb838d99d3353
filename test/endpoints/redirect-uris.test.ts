// Which redirect URIs the endpoints accept in each profile, and what they report about the others (section RDU).
import { expect } from 'chai';
import { authorizePath, challenge, newBrowser } from '#test/support/authorization-flow.ts';
import { alice } from '#test/support/credentials.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, lastEvent, postTo, refusalOf } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

const preview = 'https://preview-*.example.org/cb';
const publicClient = { token_endpoint_auth_method: 'none' };
const clients = [
  { ...publicClient, client_id: 'cli', redirect_uris: ['http://localhost/callback', 'http://localhost:3000/cb'] },
  { ...publicClient, client_id: 'literal', redirect_uris: ['http://127.0.0.1/callback'] },
  { ...publicClient, client_id: 'editor', redirect_uris: ['cursor://host/path', 'myapp:/cb'] },
  {
    ...{ ...publicClient, client_id: 'site', redirect_uris: ['https://www.example.org/cb'] },
    ...{ redirect_uri_patterns: [preview, 'https://www.example.org/b-*/cb'] },
    ...{ post_logout_redirect_uris: ['https://www.example.org/bye', 'http://localhost:3000/bye'] },
    ...{ post_logout_redirect_uri_patterns: ['https://preview-*.example.org/bye'] },
  },
  {
    ...{ ...publicClient, client_id: 'previews', redirect_uri_patterns: preview },
    post_logout_redirect_uri_patterns: 'https://preview-*.example.org/bye',
  },
  { ...publicClient, client_id: 'open' },
];
const gated = ['stricter-dev', 'oauth21'];

describe('redirect URIs', () => {
  let idp: RunningIdp;
  const settings = (security_profile = 'dev') => ({
    ...{ security_profile, rate_limit_enabled: false },
    oauth: {
      ...{ issuer: 'http://127.0.0.1:8000', issuer_from_request: true, clients },
      ...{ dynamic_registration: { enabled: true }, pushed_authorization_requests: 'on' },
    },
  });
  before(async () => {
    idp = await startIdp({ command: 'instance', settings: settings() });
  });
  beforeEach(() => idp.configure({ settings: settings() }));
  after(() => idp.stop());

  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };
  const ask = (client_id: string, redirect_uri: string, headers: Record<string, string> = {}) =>
    newBrowser(idp).get(authorizePath({ client_id, redirect_uri, ...pkce }), headers);

  async function expectLogin(client: string, redirectUri: string, isAccepted: boolean) {
    const page = await ask(client, redirectUri);
    expect(page.status, `${client} ${redirectUri}: ${page.text}`).to.equal(isAccepted ? 200 : 400);
    if (!isAccepted) expect(JSON.parse(page.body).error).to.equal('invalid_request');
  }

  async function expectLogout(client_id: string, address: string, isFollowed: boolean) {
    const query = new URLSearchParams({ client_id, post_logout_redirect_uri: address });
    const page = await newBrowser(idp).get(`/logout?${query}`);
    expect(page.location, `${client_id} ${address}`).to.equal(isFollowed ? address : null);
  }

  verifies(['RDU-01', 'AUT-15'], 'of localhost match with any port under dev, and otherwise exactly', async () => {
    for (const uri of ['http://localhost:57289/callback', 'http://localhost/callback', 'http://localhost:1/cb']) {
      await expectLogin('cli', uri, true);
    }
    await expectLogin('cli', 'http://127.0.0.1:57289/callback', false);
    await expectLogin('cli', 'http://localhost:57289/callback/', false);
    await expectLogin('cli', 'https://localhost:57289/callback', false);
    await expectLogin('literal', 'http://localhost:57289/callback', false);
    for (const profile of gated) {
      await idp.configure({ settings: settings(profile) });
      await expectLogin('cli', 'http://localhost:57289/callback', false);
      await expectLogin('cli', 'http://localhost:3000/cb', true);
      await expectLogin('literal', 'http://127.0.0.1:57289/callback', true);
    }
  });

  verifies(['RDU-02', 'AUT-13'], 'need no period in their scheme under dev, up to the code', async () => {
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ client_id: 'editor', redirect_uri: 'cursor://host/path', ...pkce }));
    const done = await browser.submit(page, alice);
    expect(done.location).to.match(/^cursor:\/\/host\/path\?code=/);
    await expectLogin('editor', 'myapp:/cb', true);
    await expectLogin('open', 'anyapp:/cb', true);
    await expectLogout('open', 'anyapp:/bye', true);
    for (const profile of gated) {
      await idp.configure({ settings: settings(profile) });
      await expectLogin('editor', 'cursor://host/path', false);
      expect((await lastEvent(idp, 'authorization_request'))?.details.reason).to.contain('contains a period');
    }
  });

  verifies('RDU-03', 'never have a scheme such as javascript', async () => {
    for (const uri of [
      'javascript:alert(1)',
      'DATA:text/html,x',
      'view-source:https://a.example/',
      'wss://a.example/',
    ]) {
      for (const profile of ['dev', 'stricter-dev']) {
        await idp.configure({ settings: settings(profile) });
        await expectLogin('open', uri, false);
        await expectLogout('open', uri, false);
        const scheme = uri.slice(0, uri.indexOf(':')).toLowerCase();
        expect((await lastEvent(idp, 'authorization_request'))?.details.reason).to.equal(
          `The redirect_uri must not have the scheme ${scheme}.`,
        );
      }
    }
    const client = { client_id: 'script', client_secret: 's', redirect_uris: ['javascript:alert(1)'] };
    const refused = await idp.api('POST', '/api/runtime/clients', client);
    expect(refused.status).to.equal(400);
    expect(JSON.stringify(refused.body)).to.contain(
      'redirect_uris must not have an address with the scheme javascript',
    );
  });

  verifies(['RDU-05', 'RDU-K01', 'AUT-14'], 'match by a pattern only under dev, beside the exact ones', async () => {
    for (const uri of [
      'https://www.example.org/cb',
      'https://preview-7.example.org/cb',
      'https://www.example.org/b-7/cb',
    ]) {
      await expectLogin('site', uri, true);
    }
    for (const uri of ['https://preview-7.evil.org/cb', 'https://preview-a.b.example.org/cb', 'https://evil.org/']) {
      await expectLogin('site', uri, false);
      await expectLogin('previews', uri, false);
    }
    await expectLogin('previews', 'https://preview-7.example.org/cb', true);
    await expectLogin('previews', 'https://www.example.org/cb', false);
    for (const profile of gated) {
      await idp.configure({ settings: settings(profile) });
      await expectLogin('site', 'https://preview-7.example.org/cb', false);
      await expectLogin('site', 'https://www.example.org/cb', true);
      await expectLogin('previews', 'https://preview-7.example.org/cb', false);
      await expectLogin('previews', 'https://anything.example/', false);
    }
  });

  verifies(['RDU-05', 'RDU-K02', 'OUT-06'], 'after a logout match by a pattern only under dev', async () => {
    await expectLogout('site', 'https://www.example.org/bye', true);
    await expectLogout('site', 'https://preview-7.example.org/bye', true);
    await expectLogout('site', 'https://preview-7.example.org/bye/', false);
    await expectLogout('site', 'http://localhost:3001/bye', false);
    await expectLogout('previews', 'https://preview-7.example.org/bye', true);
    await expectLogout('previews', 'https://www.example.org/bye', false);
    for (const profile of gated) {
      await idp.configure({ settings: settings(profile) });
      await expectLogout('site', 'https://www.example.org/bye', true);
      await expectLogout('site', 'https://preview-7.example.org/bye', false);
      await expectLogout('previews', 'https://preview-7.example.org/bye', false);
    }
  });

  verifies('RDU-06', 'of a runtime client cause the same warnings', async () => {
    const { status, body } = await idp.api('POST', '/api/runtime/clients', {
      ...{ client_id: 'warned', client_secret: 's', redirect_uris: ['https://*.example.org/cb'] },
      redirect_uri_patterns: [preview],
    });
    expect([status, body.redirect_uri_patterns]).to.deep.equal([201, [preview]]);
    expect(body.warnings).to.deep.equal([
      'redirect_uris[0] contains *, which is compared literally. For a pattern use redirect_uri_patterns.',
      'redirect_uri_patterns[0] is a pattern. Other providers compare redirect URIs exactly.',
    ]);
  });

  verifies('RDU-07', 'that are not registered are compared with the nearest one in the audit', async () => {
    await ask('cli', 'http://localhost:9/other');
    expect((await lastEvent(idp, 'authorization_request'))?.details).to.deep.include({
      ...{ refusal: 'redirect_uri_not_registered', sent: 'http://localhost:9/other' },
      ...{ registered: ['http://localhost/callback', 'http://localhost:3000/cb'], differs_in: ['path'] },
    });
    await ask('site', 'https://preview-7.example.org:8443/cb?x=1');
    expect((await lastEvent(idp, 'authorization_request'))?.details).to.deep.include({
      ...{ registered: ['https://www.example.org/cb', preview, 'https://www.example.org/b-*/cb'], nearest: preview },
      differs_in: ['port', 'query'],
    });
    const pushed = await postTo(
      idp,
      '/par',
      { client_id: 'literal', response_type: 'code', redirect_uri: 'http://127.0.0.2/callback', ...pkce },
      {},
    );
    expect(pushed.status).to.equal(400);
    expect((await lastEvent(idp, 'pushed_authorization_request'))?.details).to.deep.include({
      ...{ sent: 'http://127.0.0.2/callback', registered: ['http://127.0.0.1/callback'], differs_in: ['host'] },
    });
  });

  verifies('RDU-07', 'lists at most 20 registered ones', async () => {
    const redirect_uris = Array.from({ length: 25 }, (_, index) => `https://app.example/${index}`);
    await idp.api('POST', '/api/runtime/clients', { ...publicClient, client_id: 'many', redirect_uris });
    await ask('many', 'https://app.example/24/');
    const details = (await lastEvent(idp, 'authorization_request'))?.details;
    expect(details?.registered).to.deep.equal(redirect_uris.slice(0, 20));
    expect([details?.nearest, details?.differs_in]).to.deep.equal([redirect_uris[24], ['path']]);
  });

  verifies('RDU-07', 'that are not registered get a page that shows the comparison under dev only', async () => {
    const asBrowser = { Accept: 'text/html', 'Upgrade-Insecure-Requests': '1' };
    const page = await ask('cli', 'http://localhost:9/other', asBrowser);
    expect(page.status).to.equal(400);
    expect(page.text).to.match(/redirect_uri http:\/\/localhost:9\/other/);
    expect(page.text).to.match(/registered http:\/\/localhost\/callback http:\/\/localhost:3000\/cb/);
    expect(page.text).to.match(/nearest http:\/\/localhost/);
    expect(page.text).to.match(/differs_in path/);
    for (const profile of gated) {
      await idp.configure({ settings: settings(profile) });
      const hidden = await ask('cli', 'http://localhost:9/other', asBrowser);
      expect([hidden.status, hidden.headers.get('content-type')]).to.deep.equal([400, 'text/html; charset=utf-8']);
      expect(hidden.text).not.to.match(/differs_in|localhost\/callback/);
    }
  });

  verifies(
    ['RDU-08', 'DCR-08'],
    'are registered by the rules of the profile, with the first rejected one',
    async () => {
      const register = (body: object) =>
        call(idp, '/register', {
          ...{ method: 'POST', headers: { 'Content-Type': 'application/json' } },
          body: JSON.stringify({ token_endpoint_auth_method: 'none', ...body }),
        });
      const redirect_uris = [
        'http://127.0.0.1/cb',
        'http://localhost/cb',
        'cursor://anysphere.mcp/callback',
        'myapp:/cb',
      ];
      const registered = await register({ redirect_uris, post_logout_redirect_uris: ['myapp:/bye'] });
      expect([registered.status, registered.body.redirect_uris]).to.deep.equal([201, redirect_uris]);
      const script = await register({ redirect_uris: [...redirect_uris, 'javascript:1', 'data:x'] });
      expect(refusalOf(script)).to.deep.equal([400, 'invalid_redirect_uri']);
      expect(script.body.error_description).to.equal(
        "'redirect_uris': javascript:1 must not have the scheme javascript.",
      );
      for (const profile of gated) {
        await idp.configure({ settings: settings(profile) });
        const refused = await register({ redirect_uris });
        expect(refusalOf(refused)).to.deep.equal([400, 'invalid_redirect_uri']);
        expect(refused.body.error_description).to.equal(
          "'redirect_uris': cursor://anysphere.mcp/callback must have the scheme http, https or a private-use scheme that contains a period.",
        );
      }
    },
  );

  verifies('SHV-01', 'that only dev accepts are in the verdict', async () => {
    const findings = async (client: string) => {
      const { body } = await idp.api('GET', `/api/verdict?client_id=${client}`);
      const { findings = [], clean = [] } = body as {
        findings?: { id: string; severity: string; detail: string }[];
        clean?: string[];
      };
      const found = findings.find(({ id }) => id === 'redirect_uri_not_exact');
      return found === undefined ? clean.includes('redirect_uri_not_exact') : [found.severity, found.detail];
    };
    await idp.api('DELETE', '/api/flows');
    await ask('cli', 'http://localhost:57289/callback');
    await ask('editor', 'myapp:/cb');
    await ask('previews', 'https://preview-7.example.org/cb');
    await ask('literal', 'http://127.0.0.1:57289/callback');
    for (const client of ['cli', 'editor', 'previews']) {
      expect((await findings(client)).toString(), client).to.match(/^warning,Other providers can reject/);
    }
    expect(await findings('literal')).to.equal(true);
  });
});
