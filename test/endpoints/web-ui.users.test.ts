// The user pages of the web UI: list, detail, form and removal.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import decodeQR from 'qr/decode.js';
import { newBrowser, totpAt } from '#test/support/authorization-flow.ts';
import { web } from '#test/support/credentials.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { fileText, filledIn, follow, postForm, usersFile } from '#test/support/web-ui.ts';
import { interactive, interactiveUsers, totpSecret } from '#test/support/worlds.ts';

/** Reads the QR code from the drawing on the page. */
function scannedFrom(body: string): string {
  const size = Number(/class="qr-code" viewBox="0 0 (\d+)/.exec(body)?.[1]);
  const scale = 4;
  const side = size * scale;
  const data = new Uint8Array(side * side * 4).fill(255);
  for (const [, x, y] of body.matchAll(/M(\d+) (\d+)h1v1h-1z/g)) {
    for (let row = 0; row < scale; row += 1) {
      const from = ((Number(y) * scale + row) * side + Number(x) * scale) * 4;
      for (let column = 0; column < scale; column += 1) data.fill(0, from + column * 4, from + column * 4 + 3);
    }
  }
  return decodeQR({ width: side, height: side, data });
}

const started = {
  users: {
    ...interactiveUsers,
    zoe: {
      password: 'z-password',
      description: 'Runs the shop',
      roles: ['admin'],
      groups: ['shop'],
      totp_secret: totpSecret,
      attributes: { text: '["looks like JSON"]', list: ['a', 1], flag: true },
    },
    ' ruth ': {
      password: 'r-password',
      description: 'Runs\nthe office',
      roles: ['a,b'],
      groups: ['CN=Staff,OU=Groups,DC=example'],
      entitlements: [' with a blank'],
      attributes: { lines: 'one\ntwo\r\nthree', blanks: '  two ', list: ['a\nb'] },
    },
  },
};

describe('web UI: users', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: interactive, ...started });
    await fetch(`${idp.baseUrl}/api/runtime/users`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"username":"temp","description":"Only for now"}',
    });
  });
  after(() => idp.stop());

  const passwordGrant = async (username: string, password: string) =>
    (
      await fetch(`${idp.baseUrl}/token`, {
        method: 'POST',
        headers: web,
        body: new URLSearchParams({ grant_type: 'password', username, password }),
      })
    ).status;

  verifies('WEB-02', 'marks runtime users in the list and offers no change of them', async () => {
    const page = await newBrowser(idp).get('/users');
    expect(page.status).to.equal(200);
    for (const name of ['alice', 'zoe', 'temp']) expect(page.text).to.include(name);
    expect(page.body).to.include('href="/users/zoe/edit"').and.to.include('href="/users/zoe/delete"');
    expect(page.body).not.to.include('/users/temp');
    expect(page.text).to.match(/temp runtime/);
    expect(page.text).not.to.match(/alice runtime/);
  });

  verifies('WEB-02', 'shows a declared user with authorities, and leads back with a message for others', async () => {
    const browser = newBrowser(idp);
    const page = await browser.get('/users/zoe');
    expect(page.text).to.include('ROLE_ADMIN').and.to.include('GROUP_SHOP').and.to.include('Runs the shop');
    const nobody = await browser.get('/users/nobody');
    expect(nobody.location).to.match(/^\/users\?/);
    expect((await follow(browser, nobody)).text).to.include('The declared user nobody does not exist.');
    expect((await follow(browser, await browser.get('/users/temp'))).text).to.include(sentences.tempIsRuntimeUser);
  });

  verifies('LOG-25', 'shows a user with a second factor with the current code, never with the secret', async () => {
    const before = Date.now();
    const page = await newBrowser(idp).get('/users/carol');
    const shown = /id="totp-code"[^>]*>(\d{6})</.exec(page.body)?.[1];
    expect([totpAt(before), totpAt(Date.now())]).to.include(shown);
    expect(page.body).not.to.include(totpSecret);
    expect((await newBrowser(idp).get('/users/bob')).body).not.to.include('totp-code');
    const settings = fileText(idp, 'settings');
    const write = (text: string) => writeFileSync(join(idp.configDirectory, 'settings.yaml'), text);
    write(`management_secret: open sesame\n${settings}`);
    expect((await newBrowser(idp).get('/users/carol')).body).not.to.include('totp-code');
    write(settings);
    expect((await newBrowser(idp).get('/users/carol')).body).to.include('totp-code');
  });

  verifies('LOG-25', 'offers a new secret as text and QR code, different each time, without a change', async () => {
    const before = fileText(idp, 'users');
    const offer = async () => {
      const page = await newBrowser(idp).get('/users/carol/second-factor');
      expect(page.headers.get('cache-control')).to.equal('no-store');
      expect(page.body).not.to.include(totpSecret);
      const secret = /totp_secret: ([A-Z2-7]{32})</.exec(page.body)?.[1] ?? '';
      return { secret, scanned: scannedFrom(page.body) };
    };
    const { secret, scanned } = await offer();
    expect(scanned).to.equal(`otpauth://totp/test-idp:carol?secret=${secret}&issuer=test-idp`);
    expect((await offer()).secret).not.to.equal(secret);
    expect(fileText(idp, 'users')).to.equal(before);
    const detail = await newBrowser(idp).get('/users/bob');
    expect(detail.body).to.include('href="/users/bob/second-factor"');
    expect((await newBrowser(idp).get('/users/temp/second-factor')).status).to.equal(302);
  });

  it('encodes an address that can be scanned for any name', async () => {
    const name = `\u{1F600}${'long name:'.repeat(40)}`;
    await idp.configure({ users: { ...interactiveUsers, [name]: { password: 'x' } } });
    const page = await newBrowser(idp).get(`/users/${encodeURIComponent(name)}/second-factor`);
    expect(decodeURIComponent(new URL(scannedFrom(page.body)).pathname)).to.match(/^\/test-idp:\u{1F600}long name/u);
    await idp.configure(started);
  });

  it('shows an e-mail address in its own direction in any script', async () => {
    await idp.configure({ users: { ...interactiveUsers, noa: { password: 'x', email: 'שלום@example.org' } } });
    const written = '<span dir="ltr" class="email clamp"><bdi>שלום</bdi><wbr/>@<bdi>example.org</bdi></span>';
    for (const path of ['/users', '/users/noa']) {
      expect((await newBrowser(idp).get(path)).body).to.include(written);
    }
    await idp.configure(started);
  });

  it('searches without a script, and says when nothing matches', async () => {
    const browser = newBrowser(idp);
    const found = await browser.get('/users?q=RUNS+the');
    expect(found.text).to.include('zoe').and.not.to.include('alice');
    expect((await browser.get('/users?q=xyzzy')).text).to.include('No matching users');
  });

  verifies(['WEB-03', 'WEB-04'], 'creates a user with every field of the form', async () => {
    const browser = newBrowser(idp);
    const saved = await postForm(browser, '/users/create', [
      ['username', 'new user/1'],
      ['password', ' kept as typed '],
      ['description', 'Made by form'],
      ['email', 'new@example.com'],
      ['identity_class', 'EXTERNAL'],
      ['tenant', 'south'],
      ['roles', 'user, auditor ,,'],
      ['groups', 'a,b'],
      ['entitlements', 'one\r\n two \r\n\r\nthree'],
      ['source_acl', 'acl-9'],
      ['attr_key[]', 'plain'],
      ['attr_value[]', 'text'],
      ['attr_encoding[]', 'auto'],
      ['attr_key[]', 'guessed'],
      ['attr_value[]', '["a", 2]'],
      ['attr_encoding[]', 'auto'],
      ['attr_key[]', 'not json'],
      ['attr_value[]', '[draft'],
      ['attr_encoding[]', 'auto'],
      ['attr_key[]', 'literal'],
      ['attr_value[]', '["a"]'],
      ['attr_encoding[]', 'string'],
      ['attr_key[]', 'number'],
      ['attr_value[]', '17'],
      ['attr_encoding[]', 'json'],
      ['attr_key[]', ''],
      ['attr_value[]', 'no key'],
      ['attr_encoding[]', 'auto'],
      ['attr_key[]', 'no value'],
      ['attr_value[]', ' '],
      ['attr_encoding[]', 'json'],
    ]);
    expect((await follow(browser, saved)).text).to.include('The user new user/1 was created.');
    expect(usersFile(idp)['new user/1']).to.deep.equal({
      password: ' kept as typed ',
      description: 'Made by form',
      email: 'new@example.com',
      identity_class: 'EXTERNAL',
      tenant: 'south',
      roles: ['user', 'auditor'],
      groups: ['a', 'b'],
      entitlements: ['one', 'two', 'three'],
      source_acl: ['acl-9'],
      attributes: {
        plain: 'text',
        guessed: ['a', 2],
        'not json': '[draft',
        literal: '["a"]',
        number: 17,
      },
    });
    expect(await passwordGrant('new user/1', ' kept as typed ')).to.equal(200);
    const form = await browser.get('/users/new%20user%2F1/edit');
    expect(form.text).to.include('Edit this user’s entry');
  });

  it('serves pages for any name that can be part of an address, and creates no other names', async () => {
    const browser = newBrowser(idp);
    for (const username of ['create', 'a/b?c#d', '%2e', 'שלום', '...']) {
      const created = await postForm(browser, '/users/create', { username, password: 'x' });
      expect((await follow(browser, created)).text)
        .to.include(`The user ${username} was created.`)
        .and.to.include('Second factor');
      const address = new URL(created.location ?? '', idp.baseUrl).pathname;
      const edited = await postForm(browser, `${address}/edit`, { description: 'of its own' });
      expect((await follow(browser, edited)).text).to.include('of its own');
      await follow(browser, await postForm(browser, `${address}/delete`, {}));
      expect(usersFile(idp)).not.to.have.property(username);
    }
    for (const username of ['.', '..']) {
      const refused = await postForm(browser, '/users/create', { username, password: 'x' });
      expect(refused.status).to.equal(400);
      expect(refused.text).to.include(sentences.nameNotPartOfUrl);
    }
  });

  verifies('WEB-04', 'has these fields in the form', async () => {
    const page = await newBrowser(idp).get('/users/create');
    const names = new Set(page.forms.flatMap(({ fields }) => fields.map(([name]) => name)));
    for (const name of [
      'username',
      'password',
      'description',
      'email',
      'identity_class',
      'tenant',
      'roles',
      'groups',
      'entitlements',
      'source_acl',
      'attr_key[]',
      'attr_value[]',
      'attr_encoding[]',
    ]) {
      expect(names.has(name), name).to.equal(true);
    }
  });

  verifies('WEB-04', 'keeps attributes with their types in an unmodified edit', async () => {
    const browser = newBrowser(idp);
    const before = usersFile(idp).zoe;
    const form = await browser.get('/users/zoe/edit');
    const keys = form.forms.flatMap(({ fields }) => fields.filter(([name]) => name === 'attr_key[]'));
    expect(keys.map(([, value]) => value)).to.deep.equal(['text', 'list', 'flag', '']);
    const saved = await postForm(browser, '/users/zoe/edit', [
      ['description', 'Runs two shops'],
      ['attr_key[]', 'text'],
      ['attr_value[]', '["looks like JSON"]'],
      ['attr_encoding[]', 'string'],
      ['attr_key[]', 'list'],
      ['attr_value[]', '["a",1]'],
      ['attr_encoding[]', 'json'],
      ['attr_key[]', 'flag'],
      ['attr_value[]', 'true'],
      ['attr_encoding[]', 'json'],
    ]);
    expect(saved.location).to.match(/^\/users\/zoe\?/);
    expect(usersFile(idp).zoe?.attributes).to.deep.equal(before?.attributes);
    expect(usersFile(idp).zoe?.description).to.equal('Runs two shops');
  });

  verifies(['WEB-04', 'WRT-10'], 'changes nothing for an unmodified form, however the entry was written', async () => {
    const browser = newBrowser(idp);
    const before = fileText(idp, 'users');
    for (const name of ['alice', 'zoe', ' ruth ']) {
      const edit = `/users/${encodeURIComponent(name)}/edit`;
      const saved = await browser.post(edit, filledIn(await browser.get(edit)));
      expect((await follow(browser, saved)).text).to.include('was saved');
      expect(fileText(idp, 'users')).to.equal(before);
    }
    const edit = `/users/${encodeURIComponent(' ruth ')}/edit`;
    const typed = filledIn(await browser.get(edit)).map(([name, value]): [string, string] => [
      name,
      name === 'roles' ? `${value}, c` : value,
    ]);
    await browser.post(edit, typed);
    const { roles, ...others } = started.users[' ruth '];
    expect(usersFile(idp)[' ruth ']).to.deep.include({ ...others, roles: [...roles.join(',').split(','), 'c'] });
  });

  verifies(['WEB-03', 'WEB-05'], 'keeps password and TOTP secret in an edit with a blank password', async () => {
    const browser = newBrowser(idp);
    const saved = await postForm(browser, '/users/zoe/edit', { password: '', roles: 'owner' });
    expect((await follow(browser, saved)).text)
      .to.include('The user zoe was saved.')
      .and.to.include('ROLE_OWNER');
    const entry = usersFile(idp).zoe;
    expect([entry?.password, entry?.totp_secret, entry?.roles]).to.deep.equal(['z-password', totpSecret, ['owner']]);
    await postForm(browser, '/users/zoe/edit', { password: 'swapped-pass' });
    expect(usersFile(idp).zoe?.totp_secret).to.equal(totpSecret);
    expect([await passwordGrant('zoe', 'swapped-pass'), await passwordGrant('zoe', 'z-password')]).to.deep.equal([
      200, 400,
    ]);
  });

  it('never shows a password or TOTP secret', async () => {
    for (const path of ['/users', '/users/zoe', '/users/zoe/edit', '/users/zoe/delete']) {
      const { body } = await newBrowser(idp).get(path);
      expect(body).not.to.include(totpSecret).and.not.to.include('swapped-pass').and.not.to.include('wonderland');
    }
  });

  verifies('WEB-05', 'creates a user without password only in persona mode', async () => {
    const browser = newBrowser(idp);
    const refused = await postForm(browser, '/users/create', { username: 'ghost', description: 'kept words' });
    expect(refused.status).to.equal(400);
    expect(refused.body).to.include('id="password-error"').and.to.include('value="ghost"').and.to.include('kept words');
    expect(usersFile(idp)).not.to.have.property('ghost');
    await idp.configure({ settings: { login: { mode: 'persona' } }, users: usersFile(idp) });
    const saved = await postForm(browser, '/users/create', { username: 'ghost' });
    expect(saved.status).to.equal(302);
    expect(usersFile(idp).ghost).not.to.have.property('password');
    await idp.configure({ users: usersFile(idp) });
  });

  it('reports a mistake at its field and keeps the typed text', async () => {
    const browser = newBrowser(idp);
    const before = fileText(idp, 'users');
    const refused = await postForm(browser, '/users/create', {
      username: 'eve',
      password: 'p',
      email: 'no address',
      description: 'd'.repeat(201),
      tenant: 'typed tenant',
    });
    expect(refused.status).to.equal(400);
    expect(refused.body).to.include('id="email-error"').and.to.include('id="description-error"');
    expect(refused.body).to.include('aria-invalid="true"').and.to.include('value="typed tenant"');
    expect(refused.body).not.to.match(/type="password"[^>]*value="p"/);
    const json = await postForm(browser, '/users/create', [
      ['username', 'eve'],
      ['password', 'p'],
      ['attr_key[]', 'broken'],
      ['attr_value[]', '{"a":'],
      ['attr_encoding[]', 'json'],
    ]);
    expect(json.status).to.equal(400);
    expect(json.body).to.include('id="attr-value-1-error"');
    expect(fileText(idp, 'users')).to.equal(before);
  });

  verifies('WEB-03', 'rejects an existing name at the name field', async () => {
    const refused = await postForm(newBrowser(idp), '/users/create', { username: 'alice', password: 'x' });
    expect(refused.status).to.equal(409);
    expect(refused.body).to.include('id="username-error"');
    expect(usersFile(idp).alice?.password).to.equal('wonderland');
  });

  verifies('WEB-03', 'deletes a user after a question', async () => {
    const browser = newBrowser(idp);
    await postForm(browser, '/users/create', { username: 'short', password: 'lived' });
    const question = await browser.get('/users/short/delete');
    expect(question.text).to.include('Delete short ?');
    expect(usersFile(idp)).to.have.property('short');
    const deleted = await browser.submit(question);
    expect((await follow(browser, deleted)).text).to.include('The user short was deleted.');
    expect(usersFile(idp)).not.to.have.property('short');
    expect((await fetch(`${idp.baseUrl}/api/users/short`)).status).to.equal(404);
  });

  verifies('WEB-03', 'neither edits nor deletes a runtime user', async () => {
    const browser = newBrowser(idp);
    const before = fileText(idp, 'users');
    for (const action of ['edit', 'delete']) {
      for (const answer of [await browser.get(`/users/temp/${action}`), await browser.post(`/users/temp/${action}`)]) {
        expect(answer.location).to.match(/^\/users\?/);
        expect((await follow(browser, answer)).text).to.include(sentences.tempIsRuntimeUser);
      }
    }
    expect(fileText(idp, 'users')).to.equal(before);
    expect((await fetch(`${idp.baseUrl}/api/users/temp`)).status).to.equal(200);
  });

  verifies('WEB-12', 'writes nothing for a stale revision in create, edit and delete', async () => {
    const browser = newBrowser(idp);
    const stale = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
    const before = fileText(idp, 'users');
    const posts = [
      await browser.post('/users/create', { username: 'late', password: 'x', expected_revision: stale }),
      await browser.post('/users/alice/edit', { description: 'late words', expected_revision: stale }),
      await browser.post('/users/alice/delete', { expected_revision: stale }),
    ];
    for (const answer of posts) {
      expect(answer.status).to.equal(409);
      expect(answer.text).to.include('Nothing was written').and.to.include('changed');
    }
    expect(posts[1]?.body).to.include('late words').and.to.include(stale);
    expect(fileText(idp, 'users')).to.equal(before);
  });

  verifies('WEB-12', 'ignores the revision without its field', async () => {
    const browser = newBrowser(idp);
    const answer = await browser.post('/users/alice/edit', { description: 'By a program' });
    expect(answer.status).to.equal(302);
    expect(usersFile(idp).alice?.description).to.equal('By a program');
  });

  verifies('WEB-12', 'warns the slower of two tabs', async () => {
    const [first, second] = [newBrowser(idp), newBrowser(idp)];
    const page = await second.get('/users/alice/edit');
    await postForm(first, '/users/alice/edit', { description: 'first tab' });
    const revision = /name="expected_revision" value="([0-9a-f]+)"/.exec(page.body)?.[1] ?? '';
    const refused = await second.post('/users/alice/edit', { description: 'second tab', expected_revision: revision });
    expect([refused.status, usersFile(idp).alice?.description]).to.deep.equal([409, 'first tab']);
  });

  verifies('WEB-14', 'rejects a file that does not load, and keeps one that cannot be activated', async () => {
    // The configured keys are not a pair: the file loads, but cannot be activated.
    const path = join(idp.configDirectory, 'settings.yaml');
    const { pair, other } = await keyFiles();
    const text = fileText(idp, 'settings');
    writeFileSync(path, `${text}jwt:\n  external_keys: { private_key: ${pair}, public_key: ${other} }\n`);
    try {
      const answer = await newBrowser(idp).post('/users/alice/edit', { description: 'written, not in force' });
      expect(answer.text)
        .to.include('users.yaml was written')
        .and.to.include('continues with the previous configuration');
      expect(usersFile(idp).alice?.description).to.equal('written, not in force');
      const { description } = await (await fetch(`${idp.baseUrl}/api/users/alice`)).json();
      expect(description).to.equal('first tab');
    } finally {
      writeFileSync(path, text);
    }
  });

  async function keyFiles(): Promise<{ pair: string; other: string }> {
    const { generateKeyPairSync } = await import('node:crypto');
    const pem = () => generateKeyPairSync('rsa', { modulusLength: 2048 });
    const [pair, other] = [pem(), pem()];
    writeFileSync(join(idp.root, 'private.pem'), pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
    writeFileSync(join(idp.root, 'other.pem'), other.publicKey.export({ type: 'spki', format: 'pem' }));
    return { pair: '../private.pem', other: '../other.pem' };
  }
});
