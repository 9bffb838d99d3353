// Lists as large as a load test produces: 10,000 users and 5,000 audit entries.
import { expect } from 'chai';
import { BrowserClient } from '#test/support/browser-client.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';

describe('web UI: large lists', () => {
  let idp: RunningIdp;
  before(async () => {
    const users = Object.fromEntries(
      Array.from({ length: 10_000 }, (_, number) => [
        `user-${number}`,
        { password: 'x', description: `Number ${number}` },
      ]),
    );
    idp = await startIdp({ command: 'oidc', users: { users } });
    for (let round = 0; round < 100; round += 1) {
      await Promise.all(
        Array.from({ length: 50 }, (_, number) =>
          fetch(`${idp.baseUrl}/login`, {
            method: 'POST',
            redirect: 'manual',
            body: new URLSearchParams({ username: `guest-${round * 50 + number}`, password: 'wrong' }),
          }),
        ),
      );
    }
  });
  after(() => idp.stop());

  async function timed(path: string) {
    const started = performance.now();
    const page = await new BrowserClient(idp.baseUrl).get(path);
    return { page, milliseconds: performance.now() - started };
  }

  it('pages through ten thousand users and finds one of them', async () => {
    await timed('/users');
    const { page, milliseconds } = await timed('/users');
    expect(page.text).to.include('1–50 of 10,000');
    expect(page.body.length).to.be.below(150_000);
    expect(milliseconds).to.be.below(1500);
    expect((await timed('/users?page=200')).page.text)
      .to.include('9,951–10,000 of 10,000')
      .and.to.include('user-9999');
    expect((await timed('/users?page=999999')).page.text).to.include('user-9999');
    const found = await timed('/users?q=number+4711');
    expect(found.page.text).to.include('user-4711');
    expect(found.milliseconds).to.be.below(1500);
  });

  it('shows and searches five thousand events', async () => {
    await timed('/audit');
    const { page, milliseconds } = await timed('/audit');
    expect(page.body.match(/<summary>/g)).to.have.length(50);
    expect(milliseconds).to.be.below(1500);
    const found = await timed('/audit?search=guest-4321');
    expect(found.page.text).to.include('guest-4321');
    expect(found.milliseconds).to.be.below(2500);
    const exported = await fetch(`${idp.baseUrl}/audit/export/json`);
    expect(await exported.json()).to.have.length(5000);
  });

  it('offers a text field instead of a list of ten thousand', async () => {
    const { page } = await timed('/test');
    expect(page.body).to.match(/<input[^>]*name="username"/);
    expect(page.body.length).to.be.below(100_000);
  });
});
