// Two front ends on one store receive the same request simultaneously, and one of them completes it (AUT-44, AUT-63,
// DEV-17). Each round is a new race.

import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, totpAt } from '#test/support/authorization-flow.ts';
import { BrowserClient, fieldOf, type Page } from '#test/support/browser-client.ts';
import { alice, carol, web } from '#test/support/credentials.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

const raceRounds = 200;

describe('two front ends on one store', () => {
  let first: RunningIdp;
  let second: RunningIdp;
  before(async () => {
    first = await startIdp({ world: interactive, settings: { login: { totp: true } } });
    second = await startIdp({ command: 'oidc', root: first.root });
  });
  after(async () => {
    await second?.stop();
    await first?.stop();
  });

  /** Sends the same POST by the same browser to both front ends simultaneously. */
  function postToBoth(browser: BrowserClient, path: string, fields: Record<string, string>): Promise<[Page, Page]> {
    const twin = new BrowserClient(second.baseUrl);
    for (const [name, value] of browser.cookies) twin.cookies.set(name, value);
    return Promise.all([browser.post(path, fields), twin.post(path, fields)]);
  }

  verifies('AUT-44', 'complete a transaction once', async () => {
    for (let round = 0; round < raceRounds; round += 1) {
      const browser = newBrowser(first);
      const page = await browser.get(authorizePath());
      const fields = { transaction_id: fieldOf(page, 'transaction_id') ?? '', ...alice };
      const answers = await postToBoth(browser, '/authorize', fields);
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([302, 400]);
      for (const answer of answers) if (answer.status === 302) codeOf(answer);
    }
  });

  verifies(['AUT-63', 'LOG-19'], 'accept a second factor once', async () => {
    for (let round = 0; round < raceRounds; round += 1) {
      const browser = newBrowser(first);
      const screen = await browser.post('/login', carol);
      const pending_second_factor = fieldOf(screen, 'pending_second_factor') ?? '';
      const fields = { pending_second_factor, totp_code: totpAt(Date.now()) };
      const places = (await postToBoth(browser, '/login', fields)).map(({ location }) => location).sort();
      expect(places).to.deep.equal(['/', '/login?error=login_expired']);
    }
  });

  verifies(
    ['AUT-44', 'AUT-63'],
    'complete a transaction once for eight correct codes, and reject the others with 400',
    async () => {
      for (let round = 0; round < raceRounds; round += 1) {
        const browser = newBrowser(first);
        const transaction_id = fieldOf(await browser.get(authorizePath()), 'transaction_id') ?? '';
        await browser.post('/authorize', { transaction_id, ...carol });
        const fields = { transaction_id, totp_code: totpAt(Date.now()) };
        const answers = await Promise.all(Array.from({ length: 4 }, () => postToBoth(browser, '/authorize', fields)));
        const statuses = answers.flat().map(({ status }) => status);
        expect(statuses.sort()).to.deep.equal([302, ...Array.from({ length: 7 }, () => 400)]);
      }
    },
  );

  verifies('DEV-17', 'approve or deny a device once', async () => {
    for (let round = 0; round < raceRounds; round += 1) {
      const answer = await fetch(`${first.baseUrl}/device_authorization`, {
        method: 'POST',
        headers: web,
      });
      const { user_code } = (await answer.json()) as { user_code: string };
      const action = round % 2 === 0 ? 'deny' : 'authorize';
      const pages = await Promise.all([
        newBrowser(first).post('/device', { user_code, ...alice }),
        new BrowserClient(second.baseUrl).post('/device', {
          user_code,
          action,
          username: 'bob',
          password: ' builder ',
        }),
      ]);
      expect(pages.filter(({ text }) => text.includes(sentences.codeUsed))).to.have.lengthOf(1);
    }
  });
});
