// MCP servers save while the web UI and promotions write, each in its own process on one configuration directory. The later
// writer gets a conflict for its revision, nothing is lost, and recovery works (reload, apply again, save).
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { BrowserClient, fieldOf } from '#test/support/browser-client.ts';
import { type ApiClient, apiClient } from '#test/support/management-api.ts';
import { connect, connectHttp, type McpConnection } from '#test/support/mcp-client.ts';
import { cliPath, type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { postForm, usersFile } from '#test/support/web-ui.ts';

describe('MCP saves beside the web UI and promotion', () => {
  let idp: RunningIdp;
  let api: ApiClient;
  let editors: McpConnection[];
  let mcp: McpConnection;
  before(async () => {
    idp = await startIdp();
    api = apiClient(idp);
    const args = [cliPath, 'mcp', '--config-dir', idp.configDirectory];
    const stdio = () => connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
    mcp = await stdio();
    editors = [mcp, await stdio(), await connectHttp(idp.mcpUrl ?? expect.fail('no mcp_url'))];
  });
  after(async () => {
    for (const editor of editors) await editor.close();
    expect(await idp.stop()).to.equal(0);
  });

  const names = () => Object.keys(usersFile(idp));
  const reloadFrontends = async () => expect((await api('POST', '/api/config/reload')).status).to.equal(200);
  const draft = async (editor: McpConnection, username: string) => {
    const { users_revision: revision } = await editor.ok('reload_config');
    await editor.ok('create_user', { username, password: 'p' });
    return { expected_users_revision: revision };
  };
  const conflict = async (editor: McpConnection, expected: Readonly<Record<string, unknown>>) => {
    const { result } = await editor.call('save_config', expected);
    expect(result).to.include({ success: false, kind: 'conflict' });
    expect(result.error).to.include('reload_config');
  };

  verifies(
    ['MCP-43', 'MCP-46', 'WRT-06'],
    'conflict with a form that was saved in between, and nothing is lost',
    async () => {
      const expected = await draft(mcp, 'from-mcp');
      const form = await postForm(new BrowserClient(idp.baseUrl), '/users/create', {
        username: 'from-form',
        password: 'p',
      });
      expect(form.status, form.text).to.equal(302);
      await conflict(mcp, expected);
      expect(names()).to.include('from-form').and.not.include('from-mcp');
      expect((await mcp.ok('get_user', { username: 'from-mcp' })).found).to.equal(true);
      await mcp.ok('save_config', await draft(mcp, 'from-mcp'));
      expect(names()).to.include.members(['from-form', 'from-mcp']);
      await reloadFrontends();
    },
  );

  verifies(['MCP-43', 'WRT-06', 'RUN-22'], 'conflict with a promotion in between, which remains', async () => {
    expect((await api('POST', '/api/runtime/users', { username: 'temp', password: 'p' })).status).to.equal(201);
    const expected = await draft(mcp, 'beside-promotion');
    expect((await api('POST', '/api/runtime/users/temp/promote')).status).to.equal(200);
    await conflict(mcp, expected);
    expect(names()).to.include('temp').and.not.include('beside-promotion');
    await mcp.ok('save_config', await draft(mcp, 'beside-promotion'));
    expect(names()).to.include.members(['temp', 'beside-promotion']);
    await reloadFrontends();
  });

  verifies(['WRT-06', 'WEB-12'], 'make an open form stale, whose POST changes nothing', async () => {
    const browser = new BrowserClient(idp.baseUrl);
    const page = await browser.get('/users/create');
    await mcp.ok('save_config', await draft(mcp, 'saved-first'));
    const posted = [
      ['expected_revision', fieldOf(page, 'expected_revision') ?? ''],
      ['username', 'too-late'],
      ['password', 'p'],
    ] as const;
    const refused = await browser.post('/users/create', posted);
    expect(refused.status).to.equal(409);
    expect(names()).to.include('saved-first').and.not.include('too-late');
    // The stack sees the saved file after a reload. A form opened after that can be saved.
    await reloadFrontends();
    expect((await postForm(browser, '/users/create', { username: 'too-late', password: 'p' })).status).to.equal(302);
    expect(names()).to.include.members(['saved-first', 'too-late']);
  });

  verifies(['WRT-09', 'RUN-22'], 'are kept by a later promotion without a reload in between', async () => {
    expect((await api('POST', '/api/runtime/users', { username: 'temp-2', password: 'p' })).status).to.equal(201);
    await mcp.ok('save_config', await draft(mcp, 'before-promotion'));
    expect((await api('POST', '/api/runtime/users/temp-2/promote')).status).to.equal(200);
    expect(names()).to.include.members(['before-promotion', 'temp-2']);
  });

  verifies(['MCP-42', 'MCP-43', 'WRT-09'], 'succeed once if simultaneous, and the others can follow', async () => {
    for (let round = 0; round < 5; round += 1) {
      await reloadFrontends();
      const browser = new BrowserClient(idp.baseUrl);
      const page = await browser.get('/users/create');
      const revision = fieldOf(page, 'expected_revision') ?? '';
      const mine = (index: number) => `round-${round}-editor-${index}`;
      const expected: { readonly expected_users_revision: unknown }[] = [];
      for (const [index, editor] of editors.entries()) expected.push(await draft(editor, mine(index)));
      for (const each of expected) expect(each.expected_users_revision).to.equal(revision);
      const [form, ...saves] = await Promise.all([
        browser.post('/users/create', {
          expected_revision: revision,
          username: `round-${round}-form`,
          password: 'p',
        }),
        ...editors.map((editor, index) => editor.call('save_config', expected[index])),
      ]);
      const won = [form.status === 302, ...saves.map(({ isError }) => !isError)];
      expect(won.filter(Boolean), JSON.stringify(won)).to.have.length(1);
      for (const { isError, result } of saves) if (isError) expect(result.kind).to.equal('conflict');
      if (form.status !== 302) expect(form.status).to.equal(409);
      expect(names().filter((name) => name.startsWith(`round-${round}-`))).to.have.length(1);

      const again = async (editor: McpConnection, name: string): Promise<void> => {
        const { isError, result } = await editor.call('save_config', await draft(editor, name));
        if (!isError) return;
        expect(result.kind).to.equal('conflict');
        await again(editor, name);
      };
      await Promise.all(editors.map((editor, index) => (won[index + 1] ? undefined : again(editor, mine(index)))));
      for (const index of editors.keys()) expect(names()).to.include(mine(index));
      expect(names()).to.include.members(['alice', 'bob', 'from-form', 'temp', 'too-late']);
    }
  });
});
