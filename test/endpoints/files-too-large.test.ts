// Each of the three that write configuration files refuses what no start would load, before anything is written.
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { RawMcpServer } from '#test/support/raw-mcp-server.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { postForm, usersFile } from '#test/support/web-ui.ts';

/** Two of them fit a file that a start loads, three do not. */
const large = 'x'.repeat(700_000);
const refusal = /users\.yaml would have 2\d{6} bytes, and the limit is 2097152. Remove or shorten entries./;

describe('a users.yaml that no start would load', () => {
  let idp: RunningIdp;
  beforeEach(async () => {
    idp = await startIdp({ command: 'instance' });
  });
  afterEach(() => idp.stop());

  const isServing = async () => {
    expect((await idp.api('POST', '/api/runtime/users', { username: 'after' })).status).to.equal(201);
    expect((await fetch(`${idp.baseUrl}/health/ready`)).status).to.equal(200);
  };
  const leftOver = () => readdirSync(idp.configDirectory).filter((name) => name.includes('.tmp'));

  it('is not written by the third promotion', async () => {
    const answers = [];
    for (const username of ['first', 'second', 'third']) {
      const made = await idp.api('POST', '/api/runtime/users', { username, attributes: { note: large } });
      expect(made.status, JSON.stringify(made.body).slice(0, 300)).to.equal(201);
      answers.push(await idp.api('POST', `/api/runtime/users/${username}/promote`));
    }
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 422]);
    expect(answers[2]?.body.error).to.match(refusal);
    expect(Object.keys(usersFile(idp)))
      .to.include.members(['first', 'second'])
      .and.not.to.include('third');
    expect((await idp.api('GET', '/api/users/third')).body.origin).to.equal('runtime');
    expect(leftOver()).to.deep.equal([]);
    await isServing();
  });

  it('is not written by the third form', async () => {
    const browser = newBrowser(idp);
    const statuses = [];
    let last = '';
    for (const username of ['first', 'second', 'third']) {
      const page = await postForm(browser, '/users/create', [
        ['username', username],
        ['password', 'p'],
        ['attr_key[]', 'note'],
        ['attr_value[]', large],
        ['attr_encoding[]', 'auto'],
      ]);
      statuses.push(page.status);
      last = page.text;
    }
    expect(statuses.slice(0, 2)).to.deep.equal([302, 302]);
    expect(statuses[2], last.slice(0, 500)).to.equal(422);
    expect(last).to.match(refusal);
    expect(Object.keys(usersFile(idp)))
      .to.include.members(['first', 'second'])
      .and.not.to.include('third');
    await isServing();
  });
});

describe('a users.yaml of an editor that no start would load', () => {
  it('is not written by save_config, and a value of 10 MB ends nothing', async () => {
    const server = await new RawMcpServer().start();
    try {
      const call = async (name: string, args: object = {}) =>
        JSON.stringify(await server.request('tools/call', { name, arguments: args }));
      const before = server.file('users.yaml');
      const huge = { username: 'huge', password: 'p', attributes: { note: 'x'.repeat(10_000_000) } };
      expect((await call('create_user', huge)).slice(0, 300)).to.include('success\\":true');
      expect(await call('save_config')).to.match(/users\.yaml would have 10\d{6} bytes, and the limit is 2097152/);
      expect(server.file('users.yaml')).to.equal(before);
      await call('delete_user', { username: 'huge' });
      await call('create_user', { username: 'small', password: 'p' });
      expect(await call('save_config')).to.include('success\\":true');
      expect(server.file('users.yaml')).to.include('small');
    } finally {
      server.child.kill();
      await server.exited;
      server.remove();
    }
  });
});
