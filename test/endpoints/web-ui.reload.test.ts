// The button "Reload the files" of the web UI: what it activates, where it leads back to, what a rejection reports, and how
// pages announce pending changes on disk.
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { BrowserClient } from '#test/support/browser-client.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { postForm } from '#test/support/web-ui.ts';

const settings = (more: object = {}) =>
  stringify({ oauth: { clients: [{ client_id: 'web', client_secret: 's' }] }, ...more });
const users = (...names: string[]) =>
  stringify({ users: Object.fromEntries(names.map((name) => [name, { password: name }])) });
const waiting = /changed on disk/;

describe('web UI: reloading the files', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  let browser: BrowserClient;
  const write = (file: string, text: string) => writeFileSync(join(idp.configDirectory, file), text);
  const reload = (fields: Record<string, string> = {}) => browser.post('/settings/reload', fields);
  const usernames = async () => {
    const { users: listed } = (await (await fetch(`${idp.baseUrl}/api/users`)).json()) as {
      users: { username: string }[];
    };
    return listed.map(({ username }) => username);
  };

  before(async () => {
    idp = await startIdp({ command: 'oidc', settings: settings(), users: users('ada') });
    browser = new BrowserClient(idp.baseUrl);
  });
  after(() => idp?.stop());
  beforeEach(async () => {
    write('settings.yaml', settings());
    write('users.yaml', users('ada'));
    expect((await reload()).status).to.equal(302);
  });

  verifies('ACT-06', 'activates both files and reports the number of users and clients', async () => {
    write('users.yaml', users('ada', 'bob'));
    const answer = await reload();
    expect([answer.status, answer.location]).to.deep.equal([302, '/settings?notice=files_reloaded']);
    const page = await browser.get(answer.location ?? '');
    expect(page.text).to.include('Both files were reloaded and are active: 2 users, 1 client.');
    expect(await usernames()).to.deep.equal(['ada', 'bob']);
  });

  it('leads back to the page of the button, and to no other host', async () => {
    for (const [address, back] of [
      ['/', '/'],
      ['/users/ada/edit', '/users/ada/edit'],
      ['/users/%D7%A9%20%22', '/users/%D7%A9%20%22'],
      ['//evil.example', '/settings'],
      ['/\\evil.example', '/settings'],
      ['/\t/evil.example', '/settings'],
      ['/users//evil.example', '/settings'],
      ['https://evil.example/', '/settings'],
      ['/users?notice=user_deleted&name=ada', '/settings'],
      ['/users\r\nSet-Cookie: a=b', '/settings'],
      [`/${'a/'.repeat(200_000)}?`, '/settings'],
      ['', '/settings'],
    ] as const) {
      const answer = await reload({ return_to: address });
      expect(answer.location, address.slice(0, 40)).to.equal(`${back}?notice=files_reloaded`);
    }
  });

  verifies(['ACT-07', 'ACT-08', 'ACT-11'], 'reports every fault with file, line and remedy', async () => {
    write('settings.yaml', settings({ jwt: { max_previous_keys: -1 } }));
    write('users.yaml', 'users:\n  ada:\n    email: no address\n');
    const answer = await reload({ return_to: '/users' });
    expect(answer.status).to.equal(422);
    expect(answer.text).to.include('The files were not reloaded The active configuration is unchanged.');
    const faults = [...answer.body.matchAll(/<li>([^<]*\.yaml[^<]*)<\/li>/g)].map(([, fault = '']) => fault);
    expect(faults).to.have.length(2);
    expect(faults[0]).to.match(/settings\.yaml:\d+:\d+ jwt\.max_previous_keys must be/);
    expect(faults[1]).to.match(/users\.yaml:3:\d+ users\.ada\.email /);
    expect(await usernames()).to.deep.equal(['ada']);
    write('users.yaml', users('ada'));
    write('settings.yaml', settings({ runtime: { store: 'sqlite', path: '../r.db' } }));
    expect((await reload()).status).to.equal(422);
  });

  verifies('ACT-09', 'returns 503 on the same page if a strict hook fails', async () => {
    write('settings.yaml', settings({ hooks: { on_before_load: 'exit 1', strict: true } }));
    const answer = await reload();
    expect(answer.status).to.equal(503);
    expect(answer.text).to.include('The files were not reloaded').and.to.include('on_before_load');
  });

  it('announces pending changes on every page until they are loaded or undone', async () => {
    const pages = [
      '/',
      '/users',
      '/users/ada',
      '/users/ada/edit',
      '/clients/web/delete',
      '/settings',
      '/claims',
      '/keys',
    ];
    const announcements = async () =>
      Promise.all(pages.map(async (path) => waiting.test((await browser.get(path)).text) && path));
    expect(await announcements()).to.deep.equal(pages.map(() => false));
    appendFileSync(join(idp.configDirectory, 'users.yaml'), '# edited\n');
    expect(await announcements()).to.deep.equal(pages);
    const page = await browser.get('/users/ada/edit');
    expect(page.text).to.include('users.yaml was changed on disk An editor or the MCP server changed the file.');
    expect(page.forms.find(({ action }) => action === `${idp.baseUrl}/settings/reload`)?.fields).to.deep.equal([
      ['return_to', '/users/ada/edit'],
    ]);
    write('settings.yaml', settings({ login: { two_step: true } }));
    expect((await browser.get('/')).text).to.include('settings.yaml and users.yaml were changed on disk');
    write('settings.yaml', settings());
    write('users.yaml', users('ada'));
    expect(await announcements()).to.deep.equal(pages.map(() => false));
  });

  verifies('WEB-12', 'asks to reload first if a file on disk made the form stale', async () => {
    write('users.yaml', users('ada', 'bob'));
    const refused = await postForm(browser, '/users/ada/edit', { description: 'mine' });
    expect(refused.status).to.equal(409);
    expect(refused.text).to.include('Reload the files to open this form with the current values');
    expect(refused.text).to.match(waiting);
    expect(refused.text).not.to.include('Reopen the form');
    const reloaded = await reload({ return_to: '/users/ada/edit' });
    const saved = await postForm(browser, reloaded.location ?? '', { description: 'mine' }, '/users/ada/edit');
    expect(saved.location).to.equal('/users/ada?notice=user_saved&name=ada');
  });

  verifies('WEB-12', 'asks to open a form again that another tab made stale', async () => {
    const slow = await browser.get('/users/ada/edit');
    await postForm(browser, '/users/ada/edit', { description: 'first' });
    const revision = slow.body.match(/name="expected_revision" value="([0-9a-f]+)"/)?.[1] ?? '';
    const refused = await browser.post('/users/ada/edit', { expected_revision: revision, description: 'second' });
    expect(refused.status).to.equal(409);
    expect(refused.text).to.include('Reopen the form to see the current values.');
    expect(refused.text).not.to.match(waiting);
  });
});

describe('web UI: files on disk with the shared store', () => {
  verifies('STO-20', 'announces a changed file that does not load on every page', async () => {
    const shared = { runtime: { store: 'sqlite', path: '../state/runtime.db' } };
    const idp = await startIdp({ command: 'oidc', settings: settings(shared), users: users('ada') });
    try {
      const browser = new BrowserClient(idp.baseUrl);
      writeFileSync(join(idp.configDirectory, 'users.yaml'), users('ada', 'bob'));
      expect((await browser.get('/users')).text)
        .to.include('bob')
        .and.not.to.match(waiting);
      writeFileSync(join(idp.configDirectory, 'users.yaml'), 'users: [');
      const page = await browser.get('/users');
      expect(page.text).to.include(
        'users.yaml was changed on disk The changed file could not be activated. Reload the file to see why.',
      );
      expect((await browser.post('/settings/reload', {})).text).to.match(/users\.yaml:\d+:\d+/);
    } finally {
      await idp.stop();
    }
  });
});
