// bcrypt uses a tenth of a second of CPU for each password. Other requests must not wait for it.
import { hashSync } from 'bcryptjs';
import { expect } from 'chai';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { web } from '#test/support/credentials.ts';
import { postForm } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const hashed = (cost: number) => ({ password: hashSync('hashed', cost) });
/** A hash whose cost would keep bcrypt busy for days. */
const endless = { password: hashSync('hashed', 4).replace('$04$', '$31$') };

describe('hashed passwords', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({
      world: interactive,
      settings: { security_profile: 'stricter-dev' },
      users: { hank: hashed(10), cora: hashed(13), enid: endless },
    });
  });
  after(() => idp.stop());

  const login = async (username: string) =>
    (await newBrowser(idp).post('/login', { username, password: 'hashed' })).location;

  /** Sends a login and resolves once it is being processed. `leave` closes its connection. */
  async function beginLogin(username: string) {
    const controller = new AbortController();
    const form = new URLSearchParams({ username, password: 'hashed' });
    const answer = fetch(`${idp.baseUrl}/login`, { method: 'POST', body: form, signal: controller.signal });
    const left = answer.then(
      () => 'answered',
      () => 'left',
    );
    await fetch(`${idp.baseUrl}/health`);
    return {
      leave: () => {
        controller.abort();
        return left;
      },
    };
  }

  verifies('LOG-10', 'do not delay other requests while sixty of them are compared', async () => {
    let finished = 0;
    const logins = Array.from({ length: 60 }, async () => {
      const location = await login('hank');
      finished += 1;
      return location;
    });
    const { status } = await postForm(`${idp.baseUrl}/token`, { grant_type: 'client_credentials' }, web);
    expect(status).to.equal(200);
    for (let answered = 0; answered < 300; answered += 1) {
      expect((await fetch(`${idp.baseUrl}/health`)).status).to.equal(200);
    }
    expect(finished, 'logins finished after 300 other requests').to.be.lessThan(60);
    expect(new Set(await Promise.all(logins))).to.deep.equal(new Set(['/']));
  });

  it('of high cost delay only logins with another hash, until their client disconnects', async () => {
    const endlessLogins = [await beginLogin('enid'), await beginLogin('enid')];
    expect(await login('hank')).to.equal('/');
    for (const each of endlessLogins) expect(await each.leave()).to.equal('left');
    expect(await login('cora')).to.equal('/');
  });
});
