// The front channel: the page with frames that a browser sees at logout, its content, and where it leads.
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient, Page } from '#test/support/browser-client.ts';
import { noFaults, setFault } from '#test/support/faults.ts';
import { basic, postForm } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const alice = { username: 'alice', password: 'wonderland' };
const bye = 'https://app.example/bye';
const client = (client_id: string, more: object = {}) => ({
  ...{ client_id, client_secret: 's', redirect_uris: [callback], post_logout_redirect_uris: [bye] },
  ...more,
});
const clients = [
  client('plain', { frontchannel_logout_uri: 'https://plain.example:8443/out?a=%2f&b' }),
  client('strict', {
    frontchannel_logout_uri: 'http://strict.example/out?x=1',
    frontchannel_logout_session_required: true,
  }),
  client('silent'),
  client('odd', { frontchannel_logout_uri: 'http://a;sandbox/' }),
];

describe('front-channel logout', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, settings: { login: { session: 'on' } }, clients });
  });
  beforeEach(() => idp.api('DELETE', '/api/sessions'));
  after(() => idp.stop());

  /** A browser in whose session these clients took part, and the ID token of the last one. */
  async function participant(...names: string[]): Promise<{ browser: BrowserClient; hint: string; sid: string }> {
    const browser = newBrowser(idp);
    let hint = '';
    for (const client_id of names) {
      const page = await browser.get(authorizePath({ scope: 'openid', client_id }));
      const done = page.status === 302 ? page : await browser.submit(page, alice);
      const grant = { grant_type: 'authorization_code', code: codeOf(done), redirect_uri: callback };
      const headers = { Authorization: basic(client_id, 's') };
      const answer = await postForm(`${idp.baseUrl}/token`, grant, headers);
      hint = ((await answer.json()) as { id_token: string }).id_token;
    }
    const [{ sid }] = (await idp.api('GET', '/api/sessions')).body.sessions;
    return { browser, hint, sid };
  }
  const framesOf = ({ body }: Page) =>
    [...body.matchAll(/<iframe src="([^"]*)"/g)].map(([, src = '']) => src.replaceAll('&amp;', '&'));
  const linkOf = ({ body }: Page) => /<a [^>]*href="([^"]*)"[^>]*data-go-on/.exec(body)?.[1]?.replaceAll('&amp;', '&');
  const logOut = (browser: BrowserClient, parameters: Readonly<Record<string, string>>) =>
    browser.get(`/logout?${new URLSearchParams(parameters)}`);

  verifies('LGO-17', 'shows a page with a frame for each client, and a policy with their origins', async () => {
    const { browser, hint, sid } = await participant('plain', 'silent', 'strict');
    const page = await logOut(browser, { id_token_hint: hint });
    expect([page.status, page.location]).to.deep.equal([200, null]);
    const query = `iss=${encodeURIComponent(idp.baseUrl)}&sid=${sid}`;
    expect(framesOf(page)).to.have.members([
      'https://plain.example:8443/out?a=%2f&b',
      `http://strict.example/out?x=1&${query}`,
    ]);
    const policy = (page.headers.get('content-security-policy') ?? '').split('; ');
    const [frames] = policy.filter((directive) => directive.startsWith('frame-src'));
    expect(frames?.split(' ')).to.have.members(['frame-src', 'https://plain.example:8443', 'http://strict.example']);
    expect(policy).to.include.members(["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"]);
    expect((await idp.api('GET', '/api/sessions')).body.count).to.equal(0);
    const prompted = await browser.get(authorizePath({ prompt: 'none' }));
    expect(prompted.location).to.contain('error=login_required');
  });

  verifies('LGO-17', 'shows no page if no client has an address', async () => {
    const { browser, hint } = await participant('silent');
    const page = await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri: bye });
    expect([page.status, page.location]).to.deep.equal([302, bye]);
    expect(page.headers.get('content-security-policy')).to.equal(null);
  });

  verifies('LGO-18', 'continues to the requested address by a link, or says that the user is logged out', async () => {
    const { browser, hint } = await participant('plain');
    const to = { post_logout_redirect_uri: bye, state: 'a&b' };
    const page = await logOut(browser, { id_token_hint: hint, ...to });
    expect([page.status, page.location]).to.deep.equal([200, null]);
    expect(linkOf(page)).to.equal(`${bye}?state=a%26b`);
    expect(page.body).to.match(/<script type="module" src="\/static\/go-on\.js\?v=[0-9a-f]{16}">/);
    const second = await participant('plain');
    const asked = await logOut(second.browser, { client_id: 'plain', ...to });
    expect(framesOf(asked)).to.deep.equal([]);
    expect(linkOf(await second.browser.submit(asked, { confirm: 'yes' }))).to.equal(`${bye}?state=a%26b`);
    for (const parameters of [{}, { post_logout_redirect_uri: 'https://evil.example/' }]) {
      const third = await participant('plain');
      const stays = await logOut(third.browser, { ...parameters, id_token_hint: third.hint });
      expect(framesOf(stays)).to.have.length(1);
      expect(linkOf(stays)).to.equal(undefined);
      expect(stays.text).to.contain('You are logged out');
      expect(stays.text.includes('No redirect to')).to.equal('post_logout_redirect_uri' in parameters);
    }
  });

  it('escapes a host that tries to add to the policy', async () => {
    const { browser, hint } = await participant('odd');
    const page = await logOut(browser, { id_token_hint: hint });
    expect(page.headers.get('content-security-policy')).to.match(/; frame-src http:\/\/a%3Bsandbox$/);
  });

  verifies('LGO-26', 'redirects /ui/logout to the dashboard without frames', async () => {
    const { browser } = await participant('plain');
    const page = await browser.get('/ui/logout');
    expect([page.status, page.location, page.body]).to.deep.equal([302, '/', '']);
    expect((await idp.api('GET', '/api/sessions')).body.count).to.equal(0);
  });

  it('applies a fault of the redirect to the page with frames too', async () => {
    const { browser, hint } = await participant('plain');
    await setFault(idp, 'logout_state_wrong');
    const page = await logOut(browser, { id_token_hint: hint, post_logout_redirect_uri: bye, state: 's' });
    expect(linkOf(page)).to.equal(`${bye}?state=another-state`);
    await noFaults(idp);
    // The answer to the question does not name the client, but the original request does.
    await setFault(idp, 'logout_state_wrong', { when: { client_id: 'plain' }, times: 1 });
    const second = await participant('plain');
    const question = await logOut(second.browser, { client_id: 'plain', post_logout_redirect_uri: bye, state: 's' });
    expect(linkOf(await second.browser.submit(question, { confirm: 'yes' }))).to.equal(`${bye}?state=another-state`);
    await noFaults(idp);
  });

  verifies(
    'LGO-23',
    'announces both channels in discovery while sessions are on, and no frame of this server',
    async () => {
      const discovery = async () => (await fetch(`${idp.baseUrl}/.well-known/openid-configuration`)).json();
      const channels = [
        ...['backchannel_logout_supported', 'backchannel_logout_session_supported'],
        ...['frontchannel_logout_supported', 'frontchannel_logout_session_supported'],
      ];
      const on = (await discovery()) as Record<string, unknown>;
      for (const channel of channels) expect(on[channel], channel).to.equal(true);
      expect(on).not.to.have.property('check_session_iframe');
      await idp.configure({ settings: {}, clients });
      const off = (await discovery()) as Record<string, unknown>;
      expect(off).not.to.have.any.keys(...channels, 'check_session_iframe');
      await idp.configure({ settings: { login: { session: 'on' } }, clients });
    },
  );
});
