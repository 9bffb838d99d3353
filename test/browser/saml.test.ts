// SAML in a real browser, with and without JavaScript. A service provider on another site posts its request, so
// SameSite withholds the session cookie.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { Browser, Page } from 'playwright-core';
import { launchChromium } from '#test/support/chromium.ts';
import { authnRequest, encodePost, redirectQuery, rootOf, statusOf } from '#test/support/saml/service-provider.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml } from '#test/support/worlds.ts';

describe('SAML in Chromium', () => {
  let idp: RunningIdp;
  let browser: Browser;
  let provider: Server;
  let acs: string;
  let begin: string;
  /** What arrived at the ACS, oldest first. */
  const arrived: URLSearchParams[] = [];
  let requestBody = '';

  before(async function () {
    browser = await launchChromium(this);
    idp = await startIdp({ world: saml });
    provider = createServer((request, response) => {
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      if (request.url === '/begin') {
        response.end(
          `<!DOCTYPE html><title>sp</title><form method="post" action="${idp.baseUrl}/saml/sso">${requestBody}<button>Log in</button></form>`,
        );
        return;
      }
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      request.on('end', () => {
        if (request.url === '/acs') arrived.push(new URLSearchParams(body));
        response.end('<!DOCTYPE html><title>arrived</title><h1>Welcome</h1>');
      });
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    const { port } = provider.address() as AddressInfo;
    // Another site than 127.0.0.1, the site of the identity provider.
    acs = `http://localhost:${port}/acs`;
    begin = `http://localhost:${port}/begin`;
  });
  after(async () => {
    await browser?.close();
    provider?.close();
    await idp?.stop();
  });
  beforeEach(() => {
    arrived.length = 0;
  });

  const pageOf = async (javaScriptEnabled: boolean) => (await browser.newContext({ javaScriptEnabled })).newPage();
  const hidden = (name: string, value: string) => `<input type="hidden" name="${name}" value="${value}">`;
  const offer = (parts: Parameters<typeof authnRequest>[0]) => {
    requestBody =
      hidden('SAMLRequest', encodePost(authnRequest({ acs, ...parts }))) +
      hidden('RelayState', 'a&amp;b "c"'.replaceAll('"', '&quot;'));
  };
  const logInAtWebUi = async (page: Page) => {
    await page.goto(`${idp.baseUrl}/login`);
    await page.fill('[name=username]', 'alice');
    await page.fill('[name=password]', 'wonderland');
    await Promise.all([page.waitForURL(`${idp.baseUrl}/`), page.press('[name=password]', 'Enter')]);
  };
  const answer = () => {
    const [fields] = arrived;
    const root = rootOf(Buffer.from(fields?.get('SAMLResponse') ?? '', 'base64').toString('utf8'));
    return [...statusOf(root), root.getAttribute('InResponseTo'), fields?.get('RelayState')];
  };

  verifies(
    ['SAM-32', 'SAM-31', 'SAM-54', 'WEB-27'],
    'finds the session although the request was posted from another site',
    async () => {
      const page = await pageOf(true);
      await logInAtWebUi(page);
      // IsPassive: a login page would end it, so the response proves that the session was found.
      offer({ id: '_passive', attributes: 'IsPassive="true"' });
      await page.goto(begin);
      await Promise.all([page.waitForURL(acs), page.click('button')]);
      expect(answer()).to.deep.equal(['Success', '_passive', 'a&b "c"']);
      expect(arrived).to.have.length(1);
      await page.context().close();
    },
  );

  verifies(['SAM-32', 'SAM-54', 'WEB-29'], 'works with buttons without JavaScript', async () => {
    const page = await pageOf(false);
    await logInAtWebUi(page);
    offer({ id: '_buttons', attributes: 'IsPassive="true"' });
    await page.goto(begin);
    await Promise.all([page.waitForURL(`${idp.baseUrl}/saml/sso`), page.click('button')]);
    await page.click('main button');
    await Promise.all([page.waitForURL(acs), page.click('main button')]);
    expect(answer()).to.deep.equal(['Success', '_buttons', 'a&b "c"']);
    await page.context().close();
  });

  verifies(
    ['SAM-31', 'SAM-54', 'WEB-27'],
    'logs a browser without session in and delivers the Response, with both bindings',
    async () => {
      const page = await pageOf(true);
      offer({ id: '_login' });
      await page.goto(begin);
      await Promise.all([page.waitForSelector('[name=password]'), page.click('button')]);
      await page.fill('[name=username]', 'bob');
      await page.fill('[name=password]', 'builder');
      await Promise.all([page.waitForURL(acs), page.press('[name=password]', 'Enter')]);
      expect(answer()).to.deep.equal(['Success', '_login', 'a&b "c"']);

      arrived.length = 0;
      const query = redirectQuery(authnRequest({ id: '_redirect', acs, attributes: 'ForceAuthn="true"' }), 'state');
      await page.goto(`${idp.baseUrl}/saml/sso?${query}`);
      await page.fill('[name=username]', 'alice');
      await page.fill('[name=password]', 'wonderland');
      await Promise.all([page.waitForURL(acs), page.press('[name=password]', 'Enter')]);
      expect(answer()).to.deep.equal(['Success', '_redirect', 'state']);
      await page.context().close();
    },
  );
});
