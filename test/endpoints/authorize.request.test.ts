// Which authorization requests are accepted, in which order they are checked, and how errors reach the client.

import { expect } from 'chai';
import { authorizePath, challenge, codeOf, newBrowser, redeem, verifier } from '#test/support/authorization-flow.ts';
import { fieldOf, type Page, redirectParameters } from '#test/support/browser-client.ts';
import { web } from '#test/support/credentials.ts';
import { claimsOf } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const odd = 'https://app.example/cb?x=%2f&flag&y=%20';
const pkce = { code_challenge: challenge, code_challenge_method: 'S256' };

type Changes = Readonly<Record<string, string | undefined>>;

describe('authorization requests', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  /** A GET by a new browser. */
  const ask = (changes: Changes = {}): Promise<Page> => newBrowser(idp).get(authorizePath(changes));
  const askRaw = (query: string): Promise<Page> => newBrowser(idp).get(`/authorize?${query}`);

  function expectBadRequest(page: Page, error: string, about?: string) {
    expect(page.status, page.location ?? page.text).to.equal(400);
    expect(page.location).to.equal(null);
    expect(page.headers.get('content-type')).to.equal('application/json');
    const body = JSON.parse(page.body) as Record<string, unknown>;
    expect(Object.keys(body)).to.deep.equal(['error', 'error_description']);
    expect(body.error).to.equal(error);
    expect(body.error_description).to.be.a('string').that.is.not.empty;
    if (about !== undefined) expect(body.error_description).to.contain(about);
  }

  function expectRedirect(page: Page, error: string, about = '') {
    const parameters = redirectParameters(page);
    expect(parameters.get('error'), page.location ?? '').to.equal(error);
    expect(parameters.get('error_description')).to.be.a('string').that.contains(about).and.is.not.empty;
    return parameters;
  }

  verifies(
    'AUT-01',
    'shows a login page for a valid GET, whose forms carry a transaction that then completes',
    async () => {
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath({ state: 's1' }));
      expect(page.status).to.equal(200);
      expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
      // One form logs in, the other goes back.
      expect(page.forms).to.have.lengthOf(2);
      for (const form of page.forms) {
        expect(form.fields.filter(([name]) => name === 'transaction_id')).to.have.lengthOf(1);
      }
      expect(fieldOf(page, 'transaction_id')).to.match(/^[\w-]{20,}$/);
      const done = await browser.submit(page, { username: 'alice', password: 'wonderland' });
      expect(done.location).to.match(/^http:\/\/127\.0\.0\.1:9\/callback\?code=[\w-]+&state=s1$/);
    },
  );

  verifies('AUT-02', 'creates no transaction for a rejected GET', async () => {
    const browser = newBrowser(idp);
    await browser.get(authorizePath());
    await browser.get(authorizePath({ client_id: 'nobody' }));
    await browser.get(authorizePath({ response_type: 'token' }));
    // Exactly one transaction exists, because several would be rejected.
    expect((await browser.get('/authorize')).status).to.equal(200);
    const other = newBrowser(idp);
    await other.get(authorizePath({ scope: 'unheard-of' }));
    expectBadRequest(await other.get('/authorize'), 'invalid_request', 'no pending authorization request');
  });

  verifies(
    'AUT-03',
    'recognizes an OAuth request by any of the ten parameters, even empty, and by no other',
    async () => {
      const names = [
        'response_type',
        'client_id',
        'redirect_uri',
        'scope',
        'state',
        'code_challenge',
        'code_challenge_method',
        'nonce',
        'claims',
        'resource',
      ];
      const browser = newBrowser(idp);
      await browser.get(authorizePath());
      for (const name of names) {
        expectBadRequest(await browser.get(`/authorize?${name}=`), 'invalid_request', 'client_id is missing');
      }
      const others = 'response_mode=x&prompt=none&max_age=1&foo=bar&request=x&display=page&code_verifier=x';
      const page = await browser.get(`/authorize?${others}`);
      expect(page.status).to.equal(200);
      expect(fieldOf(page, 'transaction_id')).to.be.a('string');
    },
  );

  verifies('AUT-04', 'ignores a parameter without a value', async () => {
    expectBadRequest(await ask({ client_id: '' }), 'invalid_request', 'client_id is missing');
    expectRedirect(await ask({ response_type: '' }), 'invalid_request', 'response_type is missing');
    const browser = newBrowser(idp);
    const empties = { state: '', nonce: '', scope: '', resource: '', claims: '', code_challenge: '', prompt: '' };
    const page = await browser.get(authorizePath({ ...empties, response_mode: '', request: '' }));
    const done = await browser.submit(page, { username: 'alice', password: 'wonderland' });
    expect([...redirectParameters(done).keys()]).to.deep.equal(['code']);
    expect((await redeem(idp, codeOf(done))).body.scope).to.equal('openid');
    expect((await askRaw(`${authorizePath().slice(11)}&state=&state=x`)).status).to.equal(200);
  });

  verifies('AUT-05', 'rejects a repeated parameter, at once or by redirect, except resource', async () => {
    const query = authorizePath({ scope: 'openid', state: 's', nonce: 'n', claims: '{}', ...pkce }).slice(11);
    expectBadRequest(await askRaw(`${query}&client_id=web`), 'invalid_request', 'client_id is repeated');
    expectBadRequest(await askRaw(`${query}&redirect_uri=x`), 'invalid_request', 'redirect_uri is repeated');
    // Checked together with the required parameters, before the client lookup.
    expectBadRequest(
      await askRaw(`client_id=nobody&client_id=nobody&redirect_uri=x`),
      'invalid_request',
      'is repeated',
    );
    for (const name of [
      'response_type',
      'scope',
      'state',
      'code_challenge',
      'code_challenge_method',
      'nonce',
      'claims',
    ]) {
      expectRedirect(await askRaw(`${query}&${name}=again`), 'invalid_request', `${name} is repeated`);
    }
    const resources = 'resource=https%3A%2F%2Fa.example&resource=https%3A%2F%2Fb.example';
    expect((await askRaw(`${query}&${resources}`)).status).to.equal(200);
    expect((await askRaw(`${query}&foo=1&foo=2&login_hint=a&login_hint=b`)).status).to.equal(200);
  });

  verifies('AUT-06', 'reports the first failing check', async () => {
    // Every parameter starts wrong. Each step corrects one.
    const steps: [error: string, about: string, remedy: Changes][] = [
      ['invalid_request', 'client_id is missing', { client_id: 'nobody' }],
      ['invalid_request', 'redirect_uri is missing', { redirect_uri: 'javascript:alert(1)' }],
      ['invalid_client', 'Unknown client_id', { client_id: 'spa' }],
      ['invalid_request', 'must not have the scheme javascript', { redirect_uri: 'http://127.0.0.1:9/other' }],
      ['invalid_request', 'not registered', { redirect_uri: callback }],
      ['invalid_request', 'response_mode must be', { response_mode: 'query' }],
      ['request_not_supported', 'request', { request: undefined }],
      ['unsupported_response_type', 'response_type', { response_type: 'code' }],
      ['invalid_scope', 'unheard-of', { scope: 'openid' }],
      ['invalid_request', 'code_challenge', pkce],
      ['invalid_target', 'resource', { resource: 'https://api.example' }],
      ['login_required', 'prompt', { prompt: undefined }],
    ];
    let query: Changes = {
      client_id: undefined,
      redirect_uri: undefined,
      response_mode: 'web_message',
      request: 'x',
      response_type: 'token',
      scope: 'unheard-of',
      resource: 'not absolute',
      prompt: 'none',
    };
    for (const [index, [error, about, remedy]] of steps.entries()) {
      const page = await ask(query);
      if (index < 5) expectBadRequest(page, error, about);
      else expectRedirect(page, error, about);
      query = { ...query, ...remedy };
    }
    expect((await ask(query)).status).to.equal(200);
  });

  verifies('AUT-07', 'sends nothing to an address that was not validated', async () => {
    for (const changes of [
      { client_id: undefined },
      { redirect_uri: undefined },
      { client_id: 'nobody' },
      { redirect_uri: 'https://evil.example/cb' },
      { redirect_uri: 'javascript:alert(1)', response_mode: 'form_post' },
    ]) {
      const page = await ask({ ...changes, state: 's' });
      expect(page.status).to.equal(400);
      expect(page.location).to.equal(null);
      expect(page.headers.get('content-type')).to.equal('application/json');
    }
    expectRedirect(await ask({ response_mode: 'x' }), 'invalid_request');
  });

  verifies('AUT-08', 'requires client_id and redirect_uri', async () => {
    expectBadRequest(await ask({ client_id: undefined }), 'invalid_request', 'client_id');
    expectBadRequest(await ask({ redirect_uri: undefined }), 'invalid_request', 'redirect_uri');
  });

  verifies('AUT-09', 'rejects an unknown client', async () => {
    for (const client_id of ['nobody', 'https://unknown.example/client.json', 'WEB', 'web ']) {
      const page = await ask({ client_id });
      expectBadRequest(page, 'invalid_client');
      expect(JSON.parse(page.body)).to.deep.equal({
        error: 'invalid_client',
        error_description: 'Unknown client_id',
      });
    }
  });

  verifies(
    ['AUT-10', 'AUT-17'],
    'redirects errors with error, description and the state from the request',
    async () => {
      const page = await ask({ response_type: 'token', state: 'a b&c=ü' });
      expect(page.status).to.equal(302);
      expect(page.location).to.match(
        /^http:\/\/127\.0\.0\.1:9\/callback\?error=unsupported_response_type&error_description=[\w%.]+&state=a%20b%26c%3D%C3%BC$/,
      );
      expect([...redirectParameters(await ask({ response_type: 'token', state: '' })).keys()]).to.deep.equal([
        'error',
        'error_description',
      ]);
      expectRedirect(await ask({ response_type: undefined }), 'invalid_request', 'response_type');
      for (const response_type of ['id_token', 'code token', 'CODE', 'none']) {
        expectRedirect(await ask({ response_type }), 'unsupported_response_type');
      }
    },
  );

  verifies('AUT-11', 'keeps the query of the redirect URI byte for byte', async () => {
    const refused = await ask({ redirect_uri: odd, response_type: 'token', state: 's' });
    expect(refused.location).to.match(
      /^https:\/\/app\.example\/cb\?x=%2f&flag&y=%20&error=unsupported_response_type&error_description=[^&]+&state=s$/,
    );
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ redirect_uri: odd, state: 's' }));
    const done = await browser.submit(page, { username: 'alice', password: 'wonderland' });
    expect(done.location).to.match(/^https:\/\/app\.example\/cb\?x=%2f&flag&y=%20&code=[\w-]+&state=s$/);
  });

  verifies(['AUT-12', 'AUT-13'], 'rejects a redirect URI of a form that no client may use', async () => {
    for (const redirect_uri of [
      '/callback',
      'callback',
      'https://',
      'https://app.example/cb#',
      'https://app.example/cb#frag',
      'com.example.app:',
      'https://app.example:0x50000/',
      'https://app.example/\r\nX-Injected: yes',
    ]) {
      expectBadRequest(await ask({ client_id: 'open', redirect_uri }), 'invalid_request', 'redirect_uri must');
    }
    for (const redirect_uri of ['javascript:alert(1)', 'ftp://app.example/cb', 'data:text/html,x']) {
      expectBadRequest(await ask({ client_id: 'open', redirect_uri }), 'invalid_request', 'scheme');
    }
    await idp.configure({ settings: { security_profile: 'stricter-dev' } });
    expectBadRequest(await ask({ client_id: 'open', redirect_uri: 'myapp:/cb' }), 'invalid_request', 'scheme');
    await idp.configure();
    for (const redirect_uri of ['https://app.example', 'com.example.app:/cb', 'http://app.example:8080/cb?a=b']) {
      expect((await ask({ client_id: 'open', redirect_uri })).status, redirect_uri).to.equal(200);
    }
  });

  verifies('AUT-14', 'requires an exact match of a registered redirect URI', async () => {
    expect((await ask({ redirect_uri: odd })).status).to.equal(200);
    for (const redirect_uri of [
      'https://app.example/cb?x=%2F&flag&y=%20',
      'https://app.example/cb?x=%2f&flag&y=+',
      'https://app.example/cb?x=%2f&flag=&y=%20',
      'https://APP.example/cb?x=%2f&flag&y=%20',
      'https://app.example:443/cb?x=%2f&flag&y=%20',
      'https://app.example/cb',
      `${odd}&z=1`,
      'http://127.0.0.1:9/callback/',
    ]) {
      expectBadRequest(await ask({ redirect_uri }), 'invalid_request', 'not registered');
    }
  });

  verifies('AUT-18', "redirects a scope outside the vocabulary or the client's restriction", async () => {
    expectRedirect(await ask({ scope: 'openid zebra aardvark' }), 'invalid_scope', 'aardvark, zebra');
    expectRedirect(await ask({ client_id: 'narrow', scope: 'openid profile' }), 'invalid_scope', 'profile');
    expect((await ask({ client_id: 'narrow', scope: 'email openid' })).status).to.equal(200);
  });

  verifies(['AUT-19', 'PRF-03'], 'requires an S256 challenge from a public client', async () => {
    expect((await ask({ client_id: 'spa', ...pkce })).status).to.equal(200);
    for (const changes of [
      {},
      { code_challenge: challenge },
      { code_challenge: challenge, code_challenge_method: 'plain' },
      { code_challenge: '', code_challenge_method: 'S256' },
    ]) {
      expectRedirect(await ask({ client_id: 'spa', ...changes }), 'invalid_request', 'public client');
    }
  });

  verifies('AUT-21', 'treats an omitted method as plain and rejects an unknown one', async () => {
    expect((await ask({ code_challenge: challenge })).status).to.equal(200);
    expect((await ask({ code_challenge: challenge, code_challenge_method: 'plain' })).status).to.equal(200);
    for (const code_challenge_method of ['s256', 'PLAIN', 'S512']) {
      expectRedirect(
        await ask({ code_challenge: challenge, code_challenge_method }),
        'invalid_request',
        'S256 or plain',
      );
    }
    expectRedirect(await ask({ code_challenge_method: 'S256' }), 'invalid_request', 'but no code_challenge');
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ code_challenge: 'a'.repeat(43) }));
    const done = await browser.submit(page, { username: 'alice', password: 'wonderland' });
    expect((await redeem(idp, codeOf(done), { code_verifier: 'a'.repeat(43) })).status).to.equal(200);
  });

  it('starts nothing on HEAD (RFC 9110 §9.2.1, WEB-25)', async () => {
    const browser = newBrowser(idp);
    const asked = await browser.get(authorizePath());
    const cookie = String(asked.headers.get('set-cookie')).split(';')[0] ?? '';
    for (const query of [authorizePath(), authorizePath({ client_id: 'nobody' }), '/authorize']) {
      const answer = await fetch(idp.baseUrl + query, { method: 'HEAD', headers: { cookie }, redirect: 'manual' });
      expect([answer.status, answer.headers.get('allow')], query).to.deep.equal([405, 'GET, POST, OPTIONS']);
      expect(answer.headers.get('set-cookie')).to.equal(null);
    }
    // Exactly one transaction exists, because several would be rejected.
    expect((await browser.get('/authorize')).status).to.equal(200);
  });

  verifies('AUT-22', 'accepts query, form_post and configured response modes only', async () => {
    expect((await ask({ response_mode: 'query' })).status).to.equal(200);
    expect((await ask({ response_mode: 'form_post' })).status).to.equal(200);
    for (const response_mode of ['web_message', 'FORM_POST', 'query form_post']) {
      expectRedirect(await ask({ response_mode }), 'invalid_request', 'response_mode');
    }
  });

  verifies('AUT-23', 'delivers success and errors with form_post as a page that posts itself', async () => {
    const refused = await ask({ redirect_uri: odd, response_mode: 'form_post', response_type: 'x', state: '"><b>' });
    expect(refused.status).to.equal(200);
    expect(refused.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(refused.location).to.equal(null);
    expect(refused.forms).to.have.lengthOf(1);
    expect(refused.forms[0]?.action).to.equal(odd);
    expect(refused.forms[0]?.method).to.equal('POST');
    expect(Object.fromEntries(refused.forms[0]?.fields ?? [])).to.deep.equal({
      error: 'unsupported_response_type',
      error_description: sentences.responseTypeNotCode,
      state: '"><b>',
    });
    expect(refused.body).not.to.contain('"><b>');
    expect(refused.body).to.match(/<script type="module" src="\/static\/auto-submit\.js\?v=[0-9a-f]+"/);

    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ response_mode: 'form_post', state: 's1' }));
    const done = await browser.submit(page, { username: 'alice', password: 'wonderland' });
    expect(done.status).to.equal(200);
    expect(done.forms[0]?.action).to.equal(callback);
    expect(done.forms[0]?.fields.map(([name]) => name)).to.deep.equal(['code', 'state']);
    expect((await redeem(idp, fieldOf(done, 'code') ?? '')).status).to.equal(200);
  });

  verifies('AUT-24', 'rejects request objects and in-request registration', async () => {
    expectRedirect(await ask({ request: 'eyJ' }), 'request_not_supported');
    expectRedirect(await ask({ request_uri: 'https://a.example/r' }), 'request_uri_not_supported');
    expectRedirect(await ask({ registration: '{}' }), 'registration_not_supported');
  });

  verifies('AUT-25', 'rejects prompt=none without a session, or combined with other values', async () => {
    expectRedirect(await ask({ prompt: 'none' }), 'login_required');
    expectRedirect(await ask({ prompt: 'none login' }), 'invalid_request', 'none');
    expectRedirect(await ask({ prompt: 'consent none' }), 'invalid_request', 'none');
    const browser = newBrowser(idp);
    await browser.submit(await browser.get('/login'), { username: 'alice', password: 'wonderland' });
    expectRedirect(await browser.get(authorizePath({ prompt: 'none' })), 'login_required');
  });

  verifies('AUT-26', 'ignores other prompts and hints', async () => {
    for (const changes of [
      { prompt: 'login' },
      { prompt: 'consent select_account' },
      { prompt: 'unheard-of' },
      { max_age: '0' },
      { max_age: 'x', acr_values: 'urn:x', ui_locales: 'de', display: 'popup', id_token_hint: 'x' },
    ]) {
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath(changes));
      codeOf(await browser.submit(page, { username: 'alice', password: 'wonderland' }));
    }
  });

  verifies('AUT-27', 'puts requested claims into the ID token and /userinfo', async () => {
    const claims = JSON.stringify({
      id_token: { email: null, tenant: { essential: true } },
      userinfo: { groups: null },
    });
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ claims, scope: 'openid offline_access' }));
    const done = await browser.submit(page, { username: 'alice', password: 'wonderland' });
    const { body } = await redeem(idp, codeOf(done));
    expect(claimsOf(String(body.id_token))).to.include({ email: 'alice@example.org', tenant: 'default' });
    const refreshed = await fetch(`${idp.baseUrl}/token`, {
      method: 'POST',
      headers: web,
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: String(body.refresh_token) }),
    });
    const again = (await refreshed.json()) as Record<string, unknown>;
    expect(claimsOf(String(again.id_token))).to.include({ email: 'alice@example.org', tenant: 'default' });
  });

  verifies('AUT-28', 'ignores invalid claims JSON with a warning', async () => {
    for (const claims of ['{', '[]', '"x"', '{"id_token":{"email":true}}', '{"id_token":"email"}']) {
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath({ claims }));
      const done = await browser.submit(page, { username: 'alice', password: 'wonderland' });
      const { body } = await redeem(idp, codeOf(done));
      expect(claimsOf(String(body.id_token))).not.to.have.property('email');
    }
    expect(idp.log()).to.contain('ignored the claims parameter');
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ claims: '{"id_token":{"email":null,"x":true},"userinfo":7}' }));
    const done = await browser.submit(page, { username: 'alice', password: 'wonderland' });
    const { body } = await redeem(idp, codeOf(done));
    expect(claimsOf(String(body.id_token))).to.have.property('email');
    expect(idp.log()).to.contain('ignored 2 members of the claims parameter');
  });

  verifies('AUT-29', 'prefills the username from login_hint', async () => {
    const page = await ask({ login_hint: 'alice"><b>' });
    expect(fieldOf(page, 'username')).to.equal('alice"><b>');
    expect(page.body).not.to.contain('"><b>');
  });

  verifies(['AUT-15'], 'accepts a registered loopback address with any port', async () => {
    expect((await ask({ redirect_uri: 'http://127.0.0.1:51999/callback' })).status).to.equal(200);
    expect((await ask({ redirect_uri: 'http://127.0.0.1/callback' })).status).to.equal(200);
    expectBadRequest(await ask({ redirect_uri: 'http://127.0.0.1:9/callback?x' }), 'invalid_request', 'not registered');
    expectBadRequest(await ask({ redirect_uri: 'http://localhost:9/callback' }), 'invalid_request', 'not registered');
  });

  verifies('AUT-16', 'accepts every valid redirect URI under dev for a client without redirect_uris', async () => {
    expect((await ask({ client_id: 'open', redirect_uri: 'https://anything.example/x?y' })).status).to.equal(200);
  });

  verifies('AUD-16', 'records rejections with their reason and with the fields of a body', async () => {
    await ask({ response_type: 'token' });
    await newBrowser(idp).post('/authorize', { client_id: 'web', redirect_uri: callback, foo: 'bar' });
    const [refused, bare] = (await idp.audit('&event_type=authorization_request')).slice(-2);
    expect(refused).to.deep.include({ status: 'failed', client_id: 'web', endpoint: '/authorize' });
    expect(refused?.details).to.deep.equal({
      reason: sentences.responseTypeNotCode,
      refusal: 'response_type_not_supported',
      sent: 'token',
    });
    expect(bare).to.deep.include({ status: 'failed', client_id: null });
    expect(bare?.details.fields).to.deep.equal(['client_id', 'redirect_uri']);
    expect(bare?.details.reason).to.contain('this one is in the body');
  });
});

describe('authorization requests under other profiles and modes', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  const ask = (changes: Changes = {}): Promise<Page> => newBrowser(idp).get(authorizePath(changes));
  const errorOf = async (changes: Changes) => redirectParameters(await ask(changes)).get('error');

  verifies(
    ['AUT-20', 'PRF-01'],
    'requires PKCE of a confidential client if the setting or the profile says so',
    async () => {
      for (const settings of [
        { oauth: { require_pkce: true } },
        { security_profile: 'stricter-dev' },
        { security_profile: 'oauth21' },
      ]) {
        await idp.configure({ settings });
        expect(await errorOf({})).to.equal('invalid_request');
        expect((await ask(pkce)).status).to.equal(200);
      }
      await idp.configure();
      expect((await ask()).status).to.equal(200);
    },
  );

  verifies(['AUT-21', 'PRF-02'], 'rejects plain under the gated profiles, even for an omitted method', async () => {
    for (const security_profile of ['stricter-dev', 'oauth21']) {
      await idp.configure({ settings: { security_profile } });
      expect(await errorOf({ code_challenge: challenge })).to.equal('invalid_request');
      expect(await errorOf({ code_challenge: challenge, code_challenge_method: 'plain' })).to.equal('invalid_request');
      expect(await errorOf({ code_challenge: challenge, code_challenge_method: 'x' })).to.equal('invalid_request');
    }
  });

  verifies(
    'AUT-21',
    'rejects a challenge outside RFC 7636 §4.2 under the gated profiles, and logs it under dev',
    async () => {
      const s256 = { code_challenge_method: 'S256' };
      const malformed = ['abc', 'a'.repeat(42), 'a'.repeat(44), `${challenge}=`, challenge.replace('-', '+')];
      for (const security_profile of ['stricter-dev', 'oauth21']) {
        await idp.configure({ settings: { security_profile } });
        for (const client_id of ['web', 'spa']) {
          for (const code_challenge of malformed) {
            const page = await ask({ client_id, code_challenge, ...s256 });
            expect(redirectParameters(page).get('error'), `${client_id} ${code_challenge}`).to.equal('invalid_request');
            expect(redirectParameters(page).get('error_description')).to.contain('43 base64url characters');
          }
          expect((await ask({ client_id, ...pkce })).status).to.equal(200);
        }
      }
      await idp.configure();
      const warning = 'accepted a malformed code_challenge';
      expect((await ask(pkce)).status).to.equal(200);
      expect((await ask({ code_challenge: 'a'.repeat(43) })).status).to.equal(200);
      expect(idp.log()).to.not.contain(warning);
      expect((await ask({ code_challenge: 'abc', ...s256 })).status).to.equal(200);
      expect(idp.log().split(warning)).to.have.lengthOf(2);
      expect((await ask({ code_challenge: 'abc' })).status).to.equal(200);
      expect(idp.log().split(warning)).to.have.lengthOf(3);
      expect(idp.log()).to.contain('43 to 128 unreserved characters for plain');
    },
  );

  verifies(['AUT-16', 'PRF-07'], 'rejects a client without redirect_uris only under oauth21', async () => {
    const changes = { client_id: 'open', redirect_uri: 'https://app.example/cb', ...pkce };
    await idp.configure({ settings: { security_profile: 'stricter-dev' } });
    expect((await ask(changes)).status).to.equal(200);
    await idp.configure({ settings: { security_profile: 'oauth21' } });
    const refused = await ask(changes);
    expect(refused.status).to.equal(400);
    expect(JSON.parse(refused.body).error).to.equal('invalid_request');
  });

  verifies('AUT-15', 'keeps the loopback exception in every profile', async () => {
    for (const security_profile of ['dev', 'stricter-dev', 'oauth21']) {
      await idp.configure({ settings: { security_profile } });
      expect((await ask({ redirect_uri: 'http://127.0.0.1:40000/callback', ...pkce })).status).to.equal(200);
    }
  });

  verifies('AUT-27', 'returns a claim from the userinfo member at /userinfo without its scope', async () => {
    await idp.configure({ settings: { security_profile: 'stricter-dev' } });
    const userinfo = async (claims: string | undefined) => {
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath({ ...pkce, scope: 'openid', claims }));
      const done = await browser.submit(page, { username: 'alice', password: 'wonderland' });
      const { body } = await redeem(idp, codeOf(done), { code_verifier: verifier });
      const headers = { Authorization: `Bearer ${body.access_token}` };
      return (await (await fetch(`${idp.baseUrl}/userinfo`, { headers })).json()) as Record<string, unknown>;
    };
    expect(await userinfo('{"userinfo":{"email":null}}')).to.have.property('email', 'alice@example.org');
    expect(await userinfo('{"id_token":{"email":null}}')).not.to.have.property('email');
    expect(await userinfo(undefined)).not.to.have.property('email');
  });

  verifies(['AUT-30', 'LOG-08', 'AUT-25'], 'issues the code without a page for persona auto-login', async () => {
    await idp.configure({ settings: { login: { mode: 'persona', auto_login: true } } });
    const login_hint = 'persona-auto-login:erin';
    for (const prompt of [undefined, 'none']) {
      const done = await ask({ login_hint, state: 's', prompt });
      expect(done.location).to.match(/^http:\/\/127\.0\.0\.1:9\/callback\?code=[\w-]+&state=s$/);
      const { body } = await redeem(idp, codeOf(done));
      expect(claimsOf(String(body.id_token)))
        .to.include({ sub: 'erin' })
        .and.not.to.have.property('amr');
    }
    const [event] = (await idp.audit('&event_type=authorization_request')).slice(-1);
    expect(event).to.deep.include({ status: 'success', username: 'erin', client_id: 'web' });
    expect(event?.details).to.deep.equal({ scope: 'openid', pkce: false, auto_login: true });
    expect(await errorOf({ login_hint: 'persona-auto-login:nobody' })).to.equal('invalid_request');
    expect(await errorOf({ login_hint: 'persona-auto-login:' })).to.equal('invalid_request');
    expect(await errorOf({ login_hint: 'persona-auto-login:erin', scope: 'unheard-of' })).to.equal('invalid_scope');
    expect((await ask({ login_hint: 'erin' })).status).to.equal(200);
    // Only for a GET.
    const posted = await newBrowser(idp).post(authorizePath({ login_hint }));
    expect(posted.status).to.equal(200);
    expect(await errorOf({ prompt: 'none' })).to.equal('login_required');
  });

  verifies(['AUT-30', 'LOG-07'], 'ignores auto-login while it is off or outside persona mode', async () => {
    for (const login of [{ mode: 'persona' }, { mode: 'password', auto_login: true }]) {
      await idp.configure({ settings: { login } });
      expect((await ask({ login_hint: 'persona-auto-login:alice' })).status).to.equal(200);
      expect(await errorOf({ login_hint: 'persona-auto-login:alice', prompt: 'none' })).to.equal('login_required');
    }
  });

  verifies(['AUT-10', 'AUT-31', 'ISS-12'], 'sends iss on success and error with an https issuer', async () => {
    await idp.configure({ settings: { oauth: { issuer: 'https://idp.example', issuer_from_request: false } } });
    expect(redirectParameters(await ask({ response_type: 'x' })).get('iss')).to.equal('https://idp.example');
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ state: 's' }));
    const done = await browser.submit(page, { username: 'alice', password: 'wonderland' });
    expect([...redirectParameters(done).keys()]).to.deep.equal(['code', 'state', 'iss']);
    expect(redirectParameters(done).get('iss')).to.equal('https://idp.example');
  });
});
