// A page of another site starts thousands of logins.
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser } from '#test/support/authorization-flow.ts';
import { alice } from '#test/support/credentials.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

describe('a storm of logins', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  verifies('AUT-45', 'locks nobody out and drops no real login when an <img> starts thousands of logins', async () => {
    const person = newBrowser(idp);
    const page = await person.get(authorizePath());
    const load = (site: string, dest: string) =>
      fetch(idp.baseUrl + authorizePath(), {
        headers: { 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': dest, 'Sec-Fetch-Mode': 'no-cors' },
        redirect: 'manual',
      });
    for (let batch = 0; batch < 20; batch += 1) {
      const answers = await Promise.all(
        Array.from({ length: 55 }, () => load('cross-site', batch < 10 ? 'image' : 'iframe')),
      );
      expect(new Set(answers.map(({ status }) => status))).to.deep.equal(new Set([200]));
    }
    codeOf(await person.submit(page, alice));
    const late = newBrowser(idp);
    codeOf(await late.submit(await late.get(authorizePath()), alice));
    expect((await load('cross-site', 'document')).status).to.equal(200);
  });
});
