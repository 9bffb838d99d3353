// A logout in a real browser: frames that load, hang or need a link, the browser's back button, and a form of another
// site.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { authorizePath } from '#test/support/authorization-flow.ts';
import { launchChromium } from '#test/support/chromium.ts';
import { basic, postForm } from '#test/support/http.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

describe('logout in a browser', () => {
  let idp: RunningIdp;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let application: Server;
  let origin: string;
  let notified: string[] = [];
  let hanging: ServerResponse[] = [];
  /** The contents of the application's own page. */
  let shown = '';

  before(async function () {
    browser = await launchChromium(this);
    application = createServer((request, response) => {
      const path = request.url ?? '';
      if (path.startsWith('/frame')) notified.push(path);
      if (path.startsWith('/frame-hangs')) hanging.push(response);
      else response.setHeader('Content-Type', 'text/html').end(`<!doctype html><title>${path}</title>${shown}`);
    });
    await new Promise<void>((resolve) => application.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${(application.address() as AddressInfo).port}`;
    const client = (client_id: string, frontchannel_logout_uri: string) => ({
      ...{
        client_id,
        client_secret: 's',
        redirect_uris: [`${origin}/cb`],
        post_logout_redirect_uris: [`${origin}/bye`],
      },
      frontchannel_logout_uri,
    });
    const clients = [
      client('loads', `${origin}/frame?a=1`),
      client('loads-too', `${origin.replace('127.0.0.1', 'localhost')}/frame?b=2`),
      client('hangs', `${origin}/frame-hangs`),
    ];
    idp = await startIdp({ world: interactive, settings: { login: { session: 'on' } }, clients });
  });
  after(async () => {
    await browser?.close();
    application?.closeAllConnections();
    application?.close();
    await idp?.stop();
  });
  afterEach(async () => {
    await context.close();
    await idp.api('DELETE', '/api/sessions');
    for (const response of hanging) response.end();
    [notified, hanging, shown] = [[], [], ''];
  });

  /** Opens the page in a browser in whose session these clients took part. Returns the ID token of the last one. */
  async function takenPart(names: readonly string[], options: BrowserContextOptions = {}): Promise<string> {
    context = await browser.newContext(options);
    page = await context.newPage();
    let hint = '';
    for (const client_id of names) {
      const redirect_uri = `${origin}/cb`;
      await page.goto(idp.baseUrl + authorizePath({ scope: 'openid', client_id, redirect_uri }));
      if (page.url().startsWith(idp.baseUrl)) {
        await page.getByLabel('Username').fill('alice');
        await page.getByLabel('Password').fill('wonderland');
        await page.keyboard.press('Enter');
        await page.waitForURL(/\/cb\?/);
      }
      const code = new URL(page.url()).searchParams.get('code') ?? '';
      const grant = { grant_type: 'authorization_code', code, redirect_uri };
      const answer = await postForm(`${idp.baseUrl}/token`, grant, { Authorization: basic(client_id, 's') });
      hint = ((await answer.json()) as { id_token: string }).id_token;
    }
    return hint;
  }
  const logoutAddress = (id_token_hint: string) =>
    `${idp.baseUrl}/logout?${new URLSearchParams({ id_token_hint, post_logout_redirect_uri: `${origin}/bye`, state: 's' })}`;
  const sessions = async () => (await idp.api('GET', '/api/sessions')).body.count;

  verifies(
    ['LGO-17', 'LGO-18'],
    'loads the frames of two origins, continues, and skips them when the user goes back',
    async () => {
      const hint = await takenPart(['loads', 'loads-too']);
      const before = page.url();
      await page.goto(logoutAddress(hint), { waitUntil: 'commit' });
      await page.waitForURL(`${origin}/bye?state=s`);
      expect(notified).to.have.members(['/frame?a=1', '/frame?b=2']);
      await page.goBack();
      expect(page.url()).to.equal(before);
    },
  );

  verifies('LGO-18', 'waits at most five seconds for a frame that hangs', async () => {
    const hint = await takenPart(['loads', 'hangs']);
    const since = Date.now();
    await page.goto(logoutAddress(hint), { waitUntil: 'commit' });
    await page.getByText('You will be redirected in a moment').waitFor();
    await page.waitForURL(`${origin}/bye?state=s`, { timeout: 30_000 });
    expect(Date.now() - since).to.be.within(3_000, 20_000);
    expect(notified).to.include('/frame?a=1');
  });

  verifies('LGO-18', 'offers a link to continue without JavaScript', async () => {
    const hint = await takenPart(['loads'], { javaScriptEnabled: false });
    await page.goto(logoutAddress(hint));
    expect(notified).to.deep.equal(['/frame?a=1']);
    await page.getByRole('link', { name: 'Continue' }).press('Enter');
    await page.waitForURL(`${origin}/bye?state=s`);
  });

  it('accepts a form of another site, although the browser does not send the cookie with it (LGO-06)', async () => {
    const hint = await takenPart(['loads']);
    const field = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`;
    const fields = field('id_token_hint', hint) + field('post_logout_redirect_uri', `${origin}/bye`);
    shown = `<form method="post" action="${idp.baseUrl}/logout">${fields}<button>Leave</button></form>`;
    await page.goto(`${origin.replace('127.0.0.1', 'localhost')}/`);
    expect(await sessions()).to.equal(1);
    await page.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL(`${origin}/bye`);
    expect(await sessions()).to.equal(0);
    expect(notified).to.deep.equal(['/frame?a=1']);
  });

  it('can be confirmed by keyboard, in two tabs too, and the question does not appear again when the user goes back', async () => {
    await takenPart(['loads']);
    await page.goto(`${idp.baseUrl}/logout`);
    const another = await context.newPage();
    await another.goto(`${idp.baseUrl}/logout`);
    await page.getByRole('button', { name: 'Log out' }).press('Enter');
    await page.getByText('Your applications are being notified').waitFor();
    expect(await sessions()).to.equal(0);
    await another.getByRole('button', { name: 'Log out' }).press('Enter');
    await another.getByRole('heading', { name: 'You are logged out' }).waitFor();
    await another.goBack();
    await another.getByRole('heading', { name: 'You are logged out' }).waitFor();
    expect(await another.getByRole('button').count()).to.equal(0);
  });
});
