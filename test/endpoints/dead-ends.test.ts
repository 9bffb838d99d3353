// Pages where a user cannot continue: each says what happened and where to go next. Programs still receive JSON.

import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, totpAt } from '#test/support/authorization-flow.ts';
import { fieldOf, type Page } from '#test/support/browser-client.ts';
import { alice, carol, web } from '#test/support/credentials.ts';
import { rawRequest, sessionCookieAt } from '#test/support/http.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const copiedAccept = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const asBrowser = { ...copiedAccept, 'Upgrade-Insecure-Requests': '1' };
const heading = (page: Page) => /<h1[^>]*>(.*?)<\/h1>/s.exec(page.body)?.[1];

describe('dead-end pages', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  function expectDeadEnd(page: Page, status: number, title: string, sentence: string) {
    expect([page.status, heading(page)], page.text).to.deep.equal([status, title]);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(page.headers.get('content-security-policy')).to.contain("default-src 'none'");
    expect(page.text).to.contain(sentence);
  }

  async function deviceCode(): Promise<string> {
    const answer = await fetch(`${idp.baseUrl}/device_authorization`, {
      method: 'POST',
      headers: web,
      body: new URLSearchParams({ scope: 'openid' }),
    });
    return ((await answer.json()) as { user_code: string }).user_code;
  }

  verifies(['AUT-35', 'AUT-36'], 'report a login page that is no longer open', async () => {
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ state: 'one' }));
    const transaction_id = fieldOf(page, 'transaction_id') ?? '';
    const elsewhere = await browser.post(authorizePath({ state: 'two' }), { transaction_id, ...alice }, asBrowser);
    expectDeadEnd(
      elsewhere,
      400,
      'This page belongs to another login',
      'invalid_request : The query and transaction_id',
    );
    codeOf(await browser.submit(page, alice));
    const again = await browser.submit(page, alice, asBrowser);
    expectDeadEnd(again, 400, 'This login has ended', 'invalid_request');
    expect(again.text).to.contain(sentences.backToApplication);
    // A program receives the usual error, and both rejections are recorded.
    const program = await browser.submit(page, alice, copiedAccept);
    expect(JSON.parse(program.body).error).to.equal('invalid_request');
    const events = (await idp.audit('&event_type=authorization_request')).slice(-2);
    expect(events.map(({ status }) => status)).to.deep.equal(['failed', 'failed']);
    expect(events[0]?.details).to.deep.equal(events[1]?.details);
  });

  verifies(['AUT-07', 'SSO-M08'], 'recognize a browser by either header that it adds to a navigation', async () => {
    const refused = `${idp.baseUrl}${authorizePath({ client_id: 'nobody' })}`;
    const typeOf = async (headers: Record<string, string>) => {
      const answer = await rawRequest(refused, { headers });
      return [answer.status, answer.headers['content-type']];
    };
    const asWebKit = { ...copiedAccept, 'Sec-Fetch-Mode': 'navigate' };
    for (const headers of [asBrowser, asWebKit]) {
      expect(await typeOf(headers)).to.deep.equal([400, 'text/html; charset=utf-8']);
    }
    const asScript = { ...copiedAccept, 'Sec-Fetch-Mode': 'cors' };
    for (const headers of [copiedAccept, asScript, { 'Sec-Fetch-Mode': 'navigate' }]) {
      expect(await typeOf(headers), JSON.stringify(headers)).to.deep.equal([400, 'application/json']);
    }
  });

  verifies('AUT-36', 'explain a browser that sends no cookie', async () => {
    const page = await newBrowser(idp).get(authorizePath());
    const stranger = await newBrowser(idp).submit(page, alice, asBrowser);
    expectDeadEnd(stranger, 400, 'This login has ended', 'Allow cookies here');
    // A cookie from before a restart does not count as missing.
    const stale = newBrowser(idp);
    stale.cookies.set(sessionCookieAt(idp.baseUrl), 'of.before');
    const later = await stale.submit(page, alice, asBrowser);
    expectDeadEnd(later, 400, 'This login has ended', 'the server has restarted');
  });

  verifies(['AUT-39', 'AUT-40'], 'explain that no login is pending, or several', async () => {
    const browser = newBrowser(idp);
    await browser.get('/login');
    expectDeadEnd(await browser.get('/authorize', asBrowser), 400, 'No login to continue', 'no open login');
    await browser.get(authorizePath());
    await browser.get(authorizePath());
    expectDeadEnd(
      await browser.post('/authorize', alice, asBrowser),
      400,
      'More than one login is open',
      'log in from there',
    );
  });

  verifies('AUT-07', 'show an invalid request as a page to a browser and as JSON to a program (SSO-M08)', async () => {
    const elsewhere = 'https://evil.example/<b>';
    for (const [changes, error, expected] of [
      [{ client_id: 'nobody' }, 'invalid_client', 'Unknown client_id'],
      [{ redirect_uri: elsewhere }, 'invalid_request', sentences.redirectUriNotRegistered],
      [{ redirect_uri: undefined }, 'invalid_request', 'redirect_uri'],
      [{ client_id: undefined }, 'invalid_request', 'client_id'],
    ] as const) {
      const page = await newBrowser(idp).get(authorizePath(changes), asBrowser);
      expectDeadEnd(page, 400, 'The application sent an invalid request', expected);
      expect([page.location, page.text]).to.satisfy(([location, text]: [null, string]) => {
        return location === null && text.includes(error) && text.includes('Expected:');
      });
      expect(page.body).not.to.contain('<b>');
      for (const headers of [{}, copiedAccept, { Accept: 'application/json' }]) {
        const answer = await newBrowser(idp).get(authorizePath(changes), headers);
        expect([answer.status, JSON.parse(answer.body).error]).to.deep.equal([400, error]);
      }
    }
  });

  verifies('DEV-08', 'reject an address with an undecidable device code before anybody logs in', async () => {
    const used = await deviceCode();
    await newBrowser(idp).post('/device', { user_code: used, action: 'deny' });
    for (const [code, message] of [
      ['BCDF-GHJK', 'This code is invalid or expired.'],
      [used, sentences.codeUsed],
    ] as const) {
      const page = await newBrowser(idp).get(`/device?user_code=${code}`);
      expect(fieldOf(page, 'user_code')).to.equal(code);
      expect(page.body).to.contain(`<p id="user_code-error" class="field-error">${message}`);
    }
    expect((await newBrowser(idp).get(`/device?user_code=${await deviceCode()}`)).body).not.to.contain('field-error');
  });

  verifies('DEV-11', 'let the user correct an unknown code', async () => {
    const refused = await newBrowser(idp).post('/device', { user_code: 'bcdf-ghjk', ...alice });
    expect(refused.text).to.contain('You entered BCDFGHJK');
    expect(refused.body).to.contain('<a href="/device?user_code=BCDFGHJK">Correct the code</a>');
  });

  verifies('LOG-20', 'restart a login whose second factor expired with one button', async () => {
    await idp.configure({ settings: { login: { totp: true } } });
    const browser = newBrowser(idp);
    const user_code = await deviceCode();
    const screen = await browser.post('/device', { user_code, ...carol });
    const ended = await browser.submit(screen, { pending_second_factor: 'gone', totp_code: totpAt(Date.now()) });
    expect([heading(ended), ended.text.includes('The login expired.')]).to.deep.equal(['The login has ended', true]);
    expect(ended.text).not.to.contain('allow cookies');
    const without = newBrowser(idp);
    const lost = await without.post('/device', { user_code, pending_second_factor: 'gone', totp_code: '123456' });
    expect(lost.text).to.contain('allow cookies for this address');
    const first = await browser.submit(ended, { change_username: '1' });
    expect(heading(first)).to.equal('Connect a device');
    expect(fieldOf(first, 'user_code')).to.equal(user_code);
    const code = await browser.submit(first, carol);
    expect(heading(await browser.submit(code, { totp_code: totpAt(Date.now()) }))).to.equal('Device approved');
    await idp.configure();
  });

  verifies('LOG-13', 'describe a valid code after a wrong one', async () => {
    await idp.configure({ settings: { login: { totp: true } } });
    const browser = newBrowser(idp);
    const screen = await browser.post('/login', carol);
    const spaced = await browser.submit(screen, { totp_code: totpAt(Date.now()).replace(/(...)/, '$1 ') });
    expect(spaced.text).to.contain('The code is wrong. It has six digits without spaces.');
    await idp.configure();
  });

  verifies('HDR-17', 'report a too large body or a wrong method as a page to a browser', async () => {
    const browser = newBrowser(idp);
    const large = await browser.post('/device', { user_code: 'x'.repeat(1_100_000) }, asBrowser);
    expectDeadEnd(large, 413, 'Too large', 'larger than 1 MiB');
    expect((await browser.post('/device', { user_code: 'x'.repeat(1_100_000) })).body).to.contain('payload_too_large');
    const opened = await browser.get('/clients/forget', asBrowser);
    expectDeadEnd(opened, 405, 'This page only receives forms', 'only accepts a submitted form');
    expect(opened.headers.get('allow')).to.equal('POST, OPTIONS');
    expect((await browser.get('/clients/forget')).body).to.contain('method_not_allowed');
  });

  verifies('OUT-09', 'explain why a logout does not redirect', async () => {
    const listed = { client_id: 'listed', client_secret: 's', post_logout_redirect_uris: ['https://app.example/bye'] };
    await idp.configure({ settings: { security_profile: 'stricter-dev' }, clients: [listed] });
    const ask = async (client_id: string, post_logout_redirect_uri: string) =>
      (await newBrowser(idp).get(`/logout?${new URLSearchParams({ client_id, post_logout_redirect_uri })}`)).text;
    expect(await ask('listed', 'https://app.example/other')).to.contain('not one of the post_logout_redirect_uris');
    expect(await ask('web', 'https://app.example/bye')).to.contain('the client has no post_logout_redirect_uris');
    expect(await ask('nobody', 'https://app.example/bye')).to.contain('names an existing client');
    expect(await ask('listed', 'nowhere')).to.contain('not the URL of an application');
    expect((await newBrowser(idp).get('/logout')).text).not.to.contain('post_logout_redirect_uri');
    await idp.configure();
  });

  verifies('AUT-23', 'deliver an error with its reason and the theme of the client', async () => {
    const shop = { client_id: 'shop', client_secret: 's', header_color: '#14375e', redirect_uris: [] };
    await idp.configure({ clients: [shop] });
    const path = authorizePath({ client_id: 'shop', response_mode: 'form_post', scope: 'everything' });
    const page = await newBrowser(idp).get(path);
    expect(heading(page)).to.equal('No login');
    expect(page.text).to.match(/everything.*\(invalid_scope\)/);
    expect(page.body).to.contain('/static/client-theme.css?header=14375e');
    await idp.configure();
  });
});
