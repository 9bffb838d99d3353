// Sandboxes through MCP and on the page: the same as by REST.
import { expect } from 'chai';
import { newBrowser } from '#test/support/authorization-flow.ts';
import { everyMcpCall } from '#test/support/every-mcp-call.ts';
import { connectHttp, type McpConnection, startMcp } from '#test/support/mcp-client.ts';
import { makeSandbox, namespaceAt } from '#test/support/sandboxes.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

type Members = Readonly<Record<string, unknown>>;

describe('sandboxes by MCP and page', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  let mcp: McpConnection;
  before(async () => {
    idp = await startIdp({ args: ['--mcp-port', '0'] });
    mcp = await connectHttp(idp.mcpUrl ?? '');
  });
  after(async () => {
    await mcp.close();
    await idp.stop();
  });
  afterEach(() => idp.api('DELETE', '/api/sandboxes'));

  const call = async (name: string, args: Members = {}): Promise<Members> => {
    const { structuredContent, content } = await mcp.client.callTool({ name, arguments: { ...args } });
    return (structuredContent ?? JSON.parse((content as { text: string }[])[0]?.text ?? '{}')) as Members;
  };

  verifies('SBX-47', 'are created, listed, reset and deleted by tools', async () => {
    const made = await call('create_sandbox', { name: 'box', ttl_seconds: 60, keys: 'own' });
    expect(made).to.deep.include({ success: true, name: 'box', issuer: 'http://127.0.0.1:8000/s/box', keys: 'own' });
    const shown = (await idp.api('GET', '/api/sandboxes/box')).body;
    expect(made.instance_id).to.equal(shown.instance_id);
    expect(await call('list_sandboxes')).to.deep.include({ count: 1 });
    expect(await call('create_sandbox', { name: 'box' })).to.deep.include({ success: false, kind: 'exists' });
    const refused = await call('create_sandbox', { settings: { runtime: {} } });
    expect(refused).to.deep.include({ success: false, kind: 'invalid' });
    expect((await call('reset_sandbox', { name: 'box' })).instance_id).to.not.equal(made.instance_id);
    expect(await call('delete_sandbox', { name: 'box' })).to.deep.include({ success: true, deleted: 'box' });
    expect(await call('delete_sandbox', { name: 'box' })).to.deep.include({ success: false, kind: 'not_found' });
    expect(await call('reset_sandbox', { name: 'box' })).to.deep.include({ success: false, kind: 'not_found' });
    const types = (await idp.audit()).map(({ event_type }) => event_type).filter((type) => type.startsWith('sandbox_'));
    expect(types).to.deep.equal(['sandbox_created', 'sandbox_reset', 'sandbox_deleted']);
  });

  verifies('SBX-47', 'are selected by the argument sandbox', async () => {
    const box = await makeSandbox(idp, {
      name: 'box',
      keys: 'own',
      settings: { oauth: { scopes_supported: ['openid', 'box'] } },
    });
    await box.api('POST', '/api/runtime/users', { username: 'zoe', password: 'z' });
    const sandbox = 'box';
    const minted = await call('generate_token', { username: 'zoe', sandbox });
    expect(await box.userinfo(String(minted.access_token))).to.equal(200);
    expect(await namespaceAt(idp, '').userinfo(String(minted.access_token))).to.equal(401);
    expect(await call('generate_token', { username: 'zoe' })).to.deep.include({ success: false });
    expect((await call('verify_token', { token: minted.access_token, sandbox })).valid).to.equal(true);
    expect((await call('verify_token', { token: minted.access_token })).valid).to.equal(false);
    const discovery = await call('get_oidc_discovery', { sandbox });
    expect(discovery).to.deep.include({ issuer: 'http://127.0.0.1:8000/s/box', scopes_supported: ['openid', 'box'] });
    const { keys } = (await box.get('/.well-known/jwks.json')).body;
    expect((await call('get_jwks', { sandbox })).keys).to.deep.equal(keys);
    const { new_kid } = await call('rotate_keys', { sandbox });
    expect((await box.get('/.well-known/jwks.json')).body.keys[0].kid).to.equal(new_kid);
    expect((await call('get_keys_info', { sandbox })).active_kid).to.equal(new_kid);
    const { entries } = await call('get_audit_log', { sandbox, event_type: 'key_rotation' });
    expect(entries).to.have.length(1);
    expect((await call('get_audit_stats', { sandbox })).total_requests).to.be.greaterThan(0);
    expect((await call('set_clock', { advance_seconds: 3600, sandbox })).moved).to.equal(true);
    expect((await box.get('/api/clock')).body.moved).to.equal(true);
    expect((await idp.api('GET', '/api/clock')).body.moved).to.equal(false);
    await call('clear_audit_log', { sandbox });
    expect((await box.get('/api/audit')).body.count).to.equal(0);
    for (const [name, args] of [
      ['get_jwks', {}],
      ['generate_token', { username: 'alice' }],
      ['get_audit_log', {}],
      ['get_clock', {}],
      ['decode_token', { token: String(minted.access_token) }],
    ] as const) {
      for (const unknown of ['nobody', 'Box', '']) {
        expect(await call(name, { ...args, sandbox: unknown }), name).to.deep.include({
          success: false,
          kind: 'unknown_sandbox',
        });
      }
    }
  });

  verifies('SBX-48', 'are rejected by tools that change files', async () => {
    await makeSandbox(idp, { name: 'box' });
    const calls = {
      list_users: {},
      get_user: { username: 'alice' },
      get_settings: {},
      save_config: {},
      delete_user: { username: 'bob' },
    };
    for (const [name, args] of Object.entries(calls)) {
      expect(await call(name, { ...args, sandbox: 'box' }), name).to.deep.include({ code: 'MCP_INVALID_ARGUMENTS' });
    }
    const { tools } = await mcp.client.listTools();
    const taking = tools
      .filter(({ inputSchema }) => 'sandbox' in (inputSchema.properties ?? {}))
      .map(({ name }) => name);
    expect(taking).to.include.members(['generate_token', 'get_jwks', 'get_audit_log', 'set_clock']);
    expect(taking).to.not.include.members(['list_users', 'save_config', 'get_settings', 'create_sandbox']);
  });

  verifies('SBX-49', 'do not exist for a standalone MCP server', async () => {
    const alone = await startMcp();
    try {
      const bench = [
        ...['list_sandboxes', 'create_sandbox', 'reset_sandbox', 'delete_sandbox'],
        ...['get_clock', 'set_clock', 'reset_clock'],
        ...['list_fault_catalogue', 'list_faults', 'create_fault', 'delete_fault'],
        ...['list_flows', 'get_flow', 'expect_exchange', 'get_verdict'],
        ...['list_sessions', 'end_session', 'list_consents', 'delete_consents'],
      ].map((name) => [name, everyMcpCall[name]?.args ?? {}] as const);
      for (const [name, args] of [...bench, ['get_jwks', { sandbox: 'box' }] as const]) {
        const { structuredContent, content } = await alone.client.callTool({ name, arguments: args });
        const answer = structuredContent ?? JSON.parse((content as { text: string }[])[0]?.text ?? '{}');
        expect(answer, name).to.deep.include({ success: false, kind: 'no_server' });
      }
    } finally {
      await alone.stop();
    }
  });

  verifies('SBX-50', 'have a page that works without a script', async () => {
    const browser = newBrowser(idp);
    const empty = await browser.get('/sandboxes');
    expect([empty.status, empty.text.includes('No sandboxes')]).to.deep.equal([200, true]);
    expect((await browser.get('/')).body).to.contain('href="/sandboxes"');
    const typed = { name: 'box', ttl_seconds: '120', keys: 'own', settings: '{"oauth": {"audience": "box"}}' };
    const made = await browser.submit(empty, typed);
    expect(made.location).to.equal('/sandboxes?notice=sandbox_created&name=box');
    const page = await browser.get(made.location ?? '');
    for (const shown of ['The sandbox box was created.', `${idp.baseUrl}/s/box`, 'in 2 minutes', 'own key']) {
      expect(page.text).to.contain(shown);
    }
    expect((await browser.get('/s/box/')).status).to.equal(200);
    const { instance_id } = (await idp.api('GET', '/api/sandboxes/box')).body;
    const press = (verb: string) => {
      const form = page.forms.find(({ action }) => action.endsWith(`/sandboxes/${verb}`));
      return browser.post(form?.action ?? '', form?.fields);
    };
    expect((await press('reset')).location).to.contain('notice=sandbox_reset');
    expect((await idp.api('GET', '/api/sandboxes/box')).body.instance_id).to.not.equal(instance_id);
    expect((await press('delete')).location).to.contain('notice=sandbox_deleted');
    expect((await idp.api('GET', '/api/sandboxes/box')).status).to.equal(404);
    expect((await press('delete')).location).to.contain('notice=sandbox_unknown');
    for (const [fields, said] of [
      [{ ...typed, name: 'Box' }, 'name must be'],
      [{ ...typed, settings: '{' }, 'settings must be a JSON object'],
      [{ ...typed, settings: '{"runtime":{}}' }, 'runtime cannot be set'],
    ] as const) {
      const refused = await browser.post('/sandboxes', fields);
      expect([refused.status, refused.text.includes(said)], said).to.deep.equal([400, true]);
      expect(refused.body).to.contain(`value="${fields.name}"`);
    }
  });
});
