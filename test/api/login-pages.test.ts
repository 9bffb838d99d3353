// The pages that a login of the start API passes in addition to the password form, and the addresses that it accepts
// (API-21, API-22, API-36).
import { expect } from 'chai';
import { claimsOf } from '#test/support/http.ts';
import { connectIdp, pemKeys, rejection, startIdp } from '#test/support/start-api.ts';
import { verifies } from '#test/support/verifies.ts';

type Idp = Awaited<ReturnType<typeof startIdp>>;
type Options = NonNullable<Parameters<typeof startIdp>[0]>;

const users = { alice: { password: 'wonderland' }, bob: { password: 'builder' } };
const clients = { web: { client_secret: 's', redirect_uris: ['http://127.0.0.1/cb'] } };

function authorizePath(changes: Record<string, string> = {}): string {
  const usualParameters = {
    response_type: 'code',
    client_id: 'web',
    redirect_uri: 'http://127.0.0.1:9/cb',
    scope: 'openid',
  };
  return `/authorize?${new URLSearchParams({ ...usualParameters, state: 'st', nonce: 'n', ...changes })}`;
}

describe('a login of the start API', function () {
  this.timeout(60_000);
  const start = async (options: Options = {}) => startIdp({ keys: await pemKeys(), users, clients, ...options });
  const subjectOf = async (idp: Idp, code: string | undefined) => {
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: code ?? '',
      redirect_uri: 'http://127.0.0.1:9/cb',
    });
    const headers = { Authorization: `Basic ${btoa('web:s')}` };
    const { id_token } = (await (await idp.fetch('/token', { headers, body })).json()) as { id_token: string };
    return claimsOf(id_token).sub;
  };

  verifies('API-21', 'returns the parameters of the fragment', async () => {
    await using idp = await start({ settings: { oauth: { response_types: ['code', 'id_token'] } } });
    const url = idp.url + authorizePath({ response_type: 'id_token' });
    const { callbackUrl, params } = await idp.login({ url, user: 'alice' });
    expect(callbackUrl).to.include('/cb#');
    expect([params.state, claimsOf(params.id_token ?? '').sub]).to.deep.equal(['st', 'alice']);
  });

  verifies('API-21', 'accepts the consent page', async () => {
    await using idp = await start({ settings: { login: { consent: 'always' } } });
    const { params } = await idp.login({ url: idp.url + authorizePath(), user: 'alice' });
    expect(await subjectOf(idp, params.code)).to.equal('alice');
  });

  verifies('API-21', 'chooses the account of the user, or logs in with another one', async () => {
    await using idp = await start({ settings: { login: { session: 'on' } } });
    const browser = idp.browser();
    await idp.login({ url: idp.url + authorizePath(), user: 'alice', browser });
    for (const user of ['alice', 'bob', 'alice', 'bob']) {
      const url = idp.url + authorizePath({ prompt: 'select_account' });
      const { params } = await idp.login({ url, user, browser });
      expect(await subjectOf(idp, params.code)).to.equal(user);
    }
  });

  verifies('API-21', 'accepts an address under the issuer, wherever the instance listens', async () => {
    for (const issuer of ['https://idp.example', 'https://idp.example/tenant']) {
      await using idp = await start({ issuer });
      const { authorization_endpoint } = await (await fetch(idp.discoveryUrl)).json();
      const url = `${authorization_endpoint}${authorizePath().slice('/authorize'.length)}`;
      expect(url.startsWith(`${issuer}/`)).to.equal(true);
      expect((await idp.login({ url, user: 'alice' })).params).to.have.property('code');
      for (const other of ['https://idp.example.org/authorize', 'http://idp.example/authorize', '//idp.example.org/']) {
        expect((await rejection(idp.login({ url: other, user: 'alice' }))).kind, other).to.equal('invalid_option');
      }
    }
  });

  verifies(['API-21', 'API-36'], 'stays in its sandbox', async () => {
    await using running = await start();
    await using idp = await connectIdp(running.url);
    await using other = await connectIdp(running.url);
    await idp.addUser({ username: 'zoe', password: 'z' });
    const { pathname } = new URL(idp.url);
    for (const url of [
      authorizePath(),
      authorizePath().slice(1),
      pathname + authorizePath(),
      idp.url + authorizePath(),
    ]) {
      expect((await idp.login({ url, user: 'zoe' })).params, url).to.have.property('code');
    }
    for (const url of [other.url + authorizePath(), running.url + authorizePath(), `/..${authorizePath()}`]) {
      expect((await rejection(idp.login({ url, user: 'zoe' }))).kind, url).to.equal('invalid_option');
    }
  });
});
