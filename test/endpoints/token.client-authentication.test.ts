// Who may call /token, /introspect, /revoke and /device_authorization, and how a failure looks at each.

import { expect } from 'chai';
import { web } from '#test/support/credentials.ts';
import { basic } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  type Answer,
  lastEvent,
  postTo,
  publicTokens,
  refusalOf,
  token,
  tokensFor,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const clients = [
  { client_id: 'post', client_secret: 'post-secret', token_endpoint_auth_method: 'client_secret_post' },
  { client_id: 'my app:1', client_secret: 'p%+: s' },
  { client_id: 'plus', client_secret: 'a+b' },
  { client_id: 'colon', client_secret: 'a:b:c' },
  { client_id: 'leftover', client_secret: 'left', token_endpoint_auth_method: 'none' },
];

const own = { grant_type: 'client_credentials' };

function expectChallenge(answer: Answer) {
  expect(refusalOf(answer)).to.deep.equal([401, 'invalid_client']);
  expect(answer.headers.get('www-authenticate')).to.match(/^Basic realm="http:\/\/127\.0\.0\.1:\d+"$/);
}

function expectNoChallenge(answer: Answer) {
  expect(refusalOf(answer)).to.deep.equal([400, 'invalid_client']);
  expect(answer.headers.get('www-authenticate')).to.equal(null);
}

describe('client authentication', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, clients });
  });
  after(() => idp.stop());

  const asked = (form: Record<string, string>, headers: Record<string, string> = {}) =>
    token(idp, { ...own, ...form }, headers);
  const status = async (answer: Promise<Answer>) => (await answer).status;

  verifies('CLT-01', 'each method works for the client registered with it and for no other', async () => {
    expect(await status(asked({}, web))).to.equal(200);
    expect(await status(asked({ client_id: 'post', client_secret: 'post-secret' }))).to.equal(200);
    expectNoChallenge(await asked({ client_id: 'web', client_secret: 'web-secret' }));
    expectChallenge(await asked({}, { Authorization: basic('post', 'post-secret') }));
    expectNoChallenge(await asked({ client_id: 'web' }));
    expectNoChallenge(await asked({ client_id: 'post' }));
  });

  verifies('CLT-02', 'the form field names the client, and a Basic user name beside it must agree', async () => {
    expect(await status(asked({ client_id: 'web' }, web))).to.equal(200);
    expectChallenge(await asked({ client_id: 'open' }, web));
    const differing = await lastEvent(idp, 'token_request');
    expect(differing?.details).to.deep.equal({
      reason: 'The Basic user name and client_id differ',
      refusal: 'client_named_twice',
      body_client_id: 'open',
      grant_type: 'client_credentials',
    });
    expectChallenge(await asked({ client_id: 'spa' }, web));
    expectChallenge(
      await token(
        idp,
        { grant_type: 'refresh_token', refresh_token: 'x', client_id: 'spa' },
        { Authorization: basic('other', '') },
      ),
    );
    const byBasicName = await token(
      idp,
      { grant_type: 'refresh_token', refresh_token: 'x' },
      { Authorization: basic('spa', '') },
    );
    expect(refusalOf(byBasicName)).to.deep.equal([400, 'invalid_grant']);
  });

  verifies('CLT-03', 'a client_secret_basic client is refused with a secret in the body, correct or not', async () => {
    expectChallenge(await asked({ client_secret: 'web-secret' }, web));
    expectChallenge(await asked({ client_id: 'web', client_secret: 'wrong' }, web));
    expectNoChallenge(await asked({ client_id: 'web', client_secret: 'web-secret' }));
  });

  verifies('CLT-04', 'a client_secret_post client is refused with any Basic header', async () => {
    const secret = { client_id: 'post', client_secret: 'post-secret' };
    expectChallenge(await asked(secret, { Authorization: basic('post', 'post-secret') }));
    expectChallenge(await asked(secret, { Authorization: basic('post', '') }));
    expectChallenge(await asked(secret, { Authorization: 'Basic' }));
    expectNoChallenge(await asked({ client_id: 'post', client_secret: 'wrong' }));
  });

  verifies('CLT-05', 'an empty client_secret counts as absent', async () => {
    expect(await status(asked({ client_secret: '' }, web))).to.equal(200);
    expectNoChallenge(await asked({ client_id: 'post', client_secret: '' }));
  });

  verifies('CLT-06', 'Basic halves are form-decoded, and the password begins after the first colon', async () => {
    expect(await status(asked({}, { Authorization: basic('my app:1', 'p%+: s') }))).to.equal(200);
    const raw = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    expect(await status(asked({}, raw('my+app%3A1:p%25%2B%3a%20s')))).to.equal(200);
    expect(await status(asked({}, raw('colon:a:b:c')))).to.equal(200);
    expectChallenge(await asked({}, raw('my app:1:p%+: s')));
  });

  it('the audit tells a secret that was sent without its form-encoding from a wrong one (RFC 6749 §2.3.1)', async () => {
    const raw = (text: string) => ({ Authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    const reasonOf = async (text: string) => {
      expectChallenge(await asked({}, raw(text)));
      return String((await lastEvent(idp, 'token_request'))?.details.reason);
    };
    expect(await reasonOf('plus:a+b')).to.match(/^Wrong client secret: it is correct without form-decoding/);
    expect(await reasonOf('plus:a+c')).to.equal('Wrong client secret');
    expect(await reasonOf('plus:a%zz')).to.match(/^Malformed Basic credentials. Form-encode/);
  });

  verifies(
    ['CLT-07', 'CLT-08'],
    'a public client is known by its client_id alone and proves nothing by a secret',
    async () => {
      const tokens = await publicTokens(idp);
      const form = {
        grant_type: 'refresh_token',
        refresh_token: tokens.refresh_token ?? '',
        client_id: 'spa',
        client_secret: 'x',
      };
      const answer = await token(idp, form, { Authorization: basic('spa', 'whatever') });
      expect(answer.status, answer.text).to.equal(200);
      const leftover = { grant_type: 'client_credentials', client_id: 'leftover' };
      for (const headers of [{}, { Authorization: basic('leftover', 'left') }] as Record<string, string>[]) {
        expect(refusalOf(await token(idp, { ...leftover, client_secret: 'left' }, headers))).to.deep.equal([
          400,
          'unauthorized_client',
        ]);
      }
      expectChallenge(await postTo(idp, '/introspect', { token: 'x' }, { Authorization: basic('leftover', 'left') }));
    },
  );

  verifies('CLT-09', '/token challenges whoever named the scheme Basic, and nobody else', async () => {
    expectChallenge(await asked({}, { Authorization: basic('web', 'wrong') }));
    for (const header of ['Basic', 'bAsIC !!!', 'BASIC bm9jb2xvbg==', 'Basic YTolenp6']) {
      expectChallenge(await asked({ client_id: 'web' }, { Authorization: header }));
    }
    expectNoChallenge(await asked({ client_id: 'web' }, { Authorization: 'Bearer abc' }));
    expectNoChallenge(await asked({ client_id: 'post', client_secret: 'wrong' }));
  });

  verifies('CLT-10', 'the other endpoints always answer 401 with a challenge', async () => {
    for (const path of ['/introspect', '/revoke', '/device_authorization', '/device/code']) {
      for (const headers of [{}, { Authorization: basic('web', 'wrong') }] as Record<string, string>[]) {
        expectChallenge(await postTo(idp, path, { client_id: 'web', token: 'x' }, headers));
      }
      expectChallenge(await postTo(idp, path, { client_id: 'post', client_secret: 'wrong' }, {}));
    }
  });

  describe('whose issuer has characters that no header holds', () => {
    before(() =>
      idp.configure({ clients, settings: { oauth: { issuer: 'https://例え.jp/ü', issuer_from_request: false } } }),
    );
    after(() => idp.configure({ clients }));

    verifies(['CLT-09', 'CLT-10'], 'the challenge has them percent-encoded', async () => {
      for (const path of ['/token', '/introspect', '/revoke', '/device_authorization']) {
        const answer = await postTo(idp, path, { ...own, token: 'x' }, { Authorization: basic('web', 'wrong') });
        expect(refusalOf(answer), path).to.deep.equal([401, 'invalid_client']);
        expect(answer.headers.get('www-authenticate')).to.equal('Basic realm="https://%E4%BE%8B%E3%81%88.jp/%C3%BC"');
      }
    });
  });

  verifies('CLT-11', 'no client fails, and an unknown one is answered like a wrong secret', async () => {
    expectNoChallenge(await asked({}));
    expectNoChallenge(await asked({ client_id: '' }));
    expectChallenge(await asked({}, { Authorization: basic('', 'web-secret') }));
    const unknown = await asked({}, { Authorization: basic('nobody', 'x') });
    const wrong = await asked({}, { Authorization: basic('web', 'x') });
    expectChallenge(unknown);
    expect(unknown.text).to.equal(wrong.text);
    expect([...unknown.headers.keys()]).to.deep.equal([...wrong.headers.keys()]);
    expect((await asked({ client_id: 'nobody', client_secret: 'x' })).text).to.equal(
      (await asked({ client_id: 'post', client_secret: 'x' })).text,
    );
  });

  verifies('CLT-12', 'a public client may not introspect', async () => {
    expectChallenge(await postTo(idp, '/introspect', { token: 'x', client_id: 'spa' }, {}));
    expectChallenge(await postTo(idp, '/introspect', { token: 'x' }, { Authorization: basic('spa', '') }));
  });

  verifies('CLT-13', 'a public client may revoke by its client_id alone', async () => {
    const tokens = await publicTokens(idp);
    const answer = await postTo(idp, '/revoke', { token: tokens.refresh_token ?? '', client_id: 'spa' }, {});
    expect([answer.status, answer.text]).to.deep.equal([200, '']);
    const refreshed = await token(
      idp,
      { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '', client_id: 'spa' },
      {},
    );
    expect(refusalOf(refreshed)).to.deep.equal([400, 'invalid_grant']);
  });

  verifies(
    'CLT-14',
    'a public client begins a device flow by its client_id alone, and not with credentials',
    async () => {
      for (const path of ['/device_authorization', '/device/code']) {
        expect((await postTo(idp, path, { client_id: 'spa' }, {})).status).to.equal(200);
        expect((await postTo(idp, path, { client_id: 'spa', client_secret: '' }, {})).status).to.equal(200);
        expectChallenge(await postTo(idp, path, { client_id: 'spa', client_secret: 'x' }, {}));
        expectChallenge(await postTo(idp, path, { client_id: 'spa' }, { Authorization: basic('spa', '') }));
      }
    },
  );

  it('never writes a presented secret into the audit or the log', async () => {
    await asked({ client_id: 'post', client_secret: 'tell-nobody-1' });
    await asked({}, { Authorization: basic('web', 'tell-nobody-2') });
    await tokensFor(idp);
    const told = JSON.stringify(await idp.audit()) + idp.log();
    expect(told).not.to.contain('tell-nobody');
    expect(told).not.to.contain('web-secret');
  });
});
