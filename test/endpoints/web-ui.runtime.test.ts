// The page of runtime objects: saving them to the files and deleting them, without a script.
import { expect } from 'chai';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { clientInFile, follow, usersFile } from '#test/support/web-ui.ts';
import { interactive } from '#test/support/worlds.ts';

describe('web UI: runtime objects', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive });
  });
  after(() => idp.stop());

  const make = async (kind: 'users' | 'clients', body: object) => {
    expect((await idp.api('POST', `/api/runtime/${kind}`, body)).status).to.equal(201);
  };
  const act = async (action: string, fields: Readonly<Record<string, string>> = {}) => {
    const browser = newBrowser(idp);
    return follow(browser, await browser.post(`/runtime/${action}`, fields));
  };

  it('are listed on the page that the lists of users and clients link to, and saved to their files', async () => {
    await make('users', { username: 'kept user', password: 'p' });
    await make('clients', { client_id: 'kept-client', client_secret: 's' });
    for (const path of ['/users', '/clients']) {
      expect((await newBrowser(idp).get(path)).body).to.include('<a href="/runtime">1 runtime</a>');
    }
    const page = await newBrowser(idp).get('/runtime');
    expect(page.text)
      .to.include('1 user, 1 client and 0 service providers')
      .and.include('kept user')
      .and.include('kept-client');
    expect((await act('promote', { kind: 'user', name: 'kept user' })).text).to.include(
      'kept user was saved to its file',
    );
    expect((await act('promote', { kind: 'client', name: 'kept-client' })).text).to.include('was saved to its file');
    expect(usersFile(idp)['kept user']?.password).to.equal('p');
    expect(clientInFile(idp, 'kept-client')?.client_secret).to.equal('s');
    expect((await newBrowser(idp).get('/runtime')).text).to.include('No runtime objects');
  });

  it('are deleted, one or all, with the same event as by the API', async () => {
    for (const username of ['one', 'two', 'three']) await make('users', { username, password: 'p' });
    const events = await idp.audited(() => act('delete', { kind: 'user', name: 'one' }));
    expect(events.map(({ event_type, details }) => [event_type, details])).to.deep.equal([
      ['runtime_identity_deleted', { kind: 'user', name: 'one' }],
    ]);
    expect((await idp.api('GET', '/api/runtime/users/one')).status).to.equal(404);
    expect((await newBrowser(idp).get('/runtime/reset')).text).to.include('Delete all runtime objects?');
    expect((await act('reset')).text).to.include('All runtime objects were deleted.');
    expect((await idp.api('GET', '/api/runtime/users')).body.users).to.deep.equal([]);
  });

  it('that do not exist, or are declared, are rejected with a page', async () => {
    for (const [action, name] of [
      ['delete', 'nobody'],
      ['promote', 'alice'],
    ] as const) {
      const page = await newBrowser(idp).post(`/runtime/${action}`, { kind: 'user', name });
      expect([page.status, page.text.includes('Nothing was changed')], page.text).to.deep.equal([
        action === 'delete' ? 404 : page.status,
        true,
      ]);
      expect(page.status).to.be.within(404, 409);
    }
  });
});
