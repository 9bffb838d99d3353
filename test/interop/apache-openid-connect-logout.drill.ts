// mod_auth_openidc, a certified relying party not written in JavaScript, is notified of logouts by both channels and
// requests one itself. Each time, the application's own session must end.
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { type Apache, startApache } from '#test/support/apache.ts';
import { launchChromium } from '#test/support/chromium.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

describe('logouts and mod_auth_openidc of Debian', () => {
  let browser: Browser;
  let idp: RunningIdp;
  let apache: Apache | undefined;
  before(async function () {
    browser = await launchChromium(this);
    idp = await startIdp({ world: interactive, settings: { login: { session: 'on' } } });
  });
  afterEach(async () => {
    await apache?.stop();
    apache = undefined;
  });
  after(async () => {
    await browser?.close();
    await idp?.stop();
  });

  /** `entry` returns the configuration of the client `site` besides its secret, for the redirect URI of the module. */
  async function startSite(context: Mocha.Context, entry: (redirectUri: string) => object): Promise<Apache> {
    apache = await startApache(context, {
      module: 'auth_openidc',
      debianPackage: 'libapache2-mod-auth-openidc',
      configure: async ({ baseUrl }) => {
        const redirectUri = `${baseUrl}/protected/callback`;
        await idp.api('DELETE', '/api/runtime');
        const client = { client_id: 'site', client_secret: 'site-secret', redirect_uris: [redirectUri] };
        const created = await idp.api('POST', '/api/runtime/clients', { ...client, ...entry(redirectUri) });
        expect(created.status, JSON.stringify(created.body)).to.equal(201);
        return [
          `OIDCProviderMetadataURL ${idp.baseUrl}/.well-known/openid-configuration`,
          'OIDCClientID site',
          'OIDCClientSecret site-secret',
          `OIDCRedirectURI ${redirectUri}`,
          'OIDCCryptoPassphrase a-passphrase-of-the-test',
          'OIDCScope "openid"',
          '<Location /protected>',
          '  AuthType openid-connect',
          '  Require valid-user',
          // The browser must not answer from its cache after a logout.
          '  Header always set Cache-Control no-store',
          '</Location>',
        ].join('\n');
      },
    });
    return apache;
  }

  /** A page in a new browser context where alice is logged in. */
  async function loggedInAt({ baseUrl }: Apache): Promise<Page> {
    const page = await (await browser.newContext()).newPage();
    await page.goto(`${baseUrl}/protected/`);
    await page.getByLabel('Username').fill('alice');
    await page.getByLabel('Password').fill('wonderland');
    await page.keyboard.press('Enter');
    await page.getByText('behind the login').waitFor();
    // From here on, the application makes no request to the identity provider.
    await page.goto(`${baseUrl}/protected/`);
    expect(page.url()).to.equal(`${baseUrl}/protected/`);
    return page;
  }

  async function expectLoggedOut(page: Page, { baseUrl }: Apache): Promise<void> {
    await page.goto(`${baseUrl}/protected/`);
    expect(page.url()).to.match(/\/authorize\?/);
  }

  verifies(['LGO-11', 'LGO-12'], 'end its session by an accepted logout token', async function () {
    const site = await startSite(this, (uri) => ({ backchannel_logout_uri: `${uri}?logout=backchannel` }));
    const [page, another] = [await loggedInAt(site), await loggedInAt(site)];
    const [{ sid }] = (await idp.api('GET', '/api/sessions')).body.sessions;
    const { body } = await idp.api('DELETE', `/api/sessions/${sid}`);
    expect(body, site.errorLog()).to.deep.equal({
      ended: sid,
      notified: [{ client_id: 'site', channel: 'backchannel', delivered: true, http_status: 200 }],
    });
    await expectLoggedOut(another, site);
    // The session of the other browser has another `sid`.
    await page.goto(`${site.baseUrl}/protected/`);
    expect(page.url()).to.equal(`${site.baseUrl}/protected/`);
    await idp.api('DELETE', '/api/sessions');
    await expectLoggedOut(page, site);
  });

  verifies(['LGO-17', 'LGO-18'], 'end its session in its frame, and the browser continues to it', async function () {
    let bye = '';
    const site = await startSite(this, (uri) => {
      bye = new URL('/bye', uri).href;
      return {
        frontchannel_logout_uri: `${uri}?logout=get`,
        frontchannel_logout_session_required: true,
        post_logout_redirect_uris: [bye],
      };
    });
    const page = await loggedInAt(site);
    const framed = page.waitForResponse((response) => response.url().includes('logout=get'));
    const query = new URLSearchParams({ client_id: 'site', post_logout_redirect_uri: bye, state: 'x' });
    await page.goto(`${idp.baseUrl}/logout?${query}`);
    await page.getByRole('button', { name: 'Log out' }).click();
    const { searchParams } = new URL((await framed).url());
    expect(searchParams.get('iss')).to.equal(idp.baseUrl);
    expect(searchParams.get('sid')).to.match(/./);
    expect((await framed).status(), site.errorLog()).to.equal(200);
    await page.waitForURL(`${bye}?state=x`);
    await expectLoggedOut(page, site);
  });

  verifies(['LGO-06', 'LGO-09'], 'begin with its own logout, which ends this session and returns', async function () {
    let bye = '';
    const site = await startSite(this, (uri) => {
      bye = new URL('/bye', uri).href;
      return { post_logout_redirect_uris: [bye] };
    });
    const page = await loggedInAt(site);
    await page.goto(`${site.baseUrl}/protected/callback?logout=${encodeURIComponent(bye)}`);
    await page.waitForURL((url) => url.href.startsWith(bye));
    expect((await idp.api('GET', '/api/sessions')).body.count).to.equal(0);
    await expectLoggedOut(page, site);
  });
});
