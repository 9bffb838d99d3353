// What tools/list promises of every tool compared with what the tool does: its output schema, its annotations, and the size
// of the list.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { everyMcpCall, everyMcpSettings } from '#test/support/every-mcp-call.ts';
import { type StdioMcp, startMcp } from '#test/support/mcp-client.ts';
import { verifies } from '#test/support/verifies.ts';

const ajv = new Ajv2020({ strict: false });

/** Every file with its content: the configuration and the keys. */
function filesUnder(directory: string): Readonly<Record<string, string>> {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((path) => join(directory, path));
  return Object.fromEntries(
    paths
      .filter((path) => statSync(path).isFile() && !path.includes('/state/'))
      .map((path) => [path, readFileSync(path, 'utf8')]),
  );
}

describe('every tool', () => {
  let mcp: StdioMcp;
  before(async () => {
    mcp = await startMcp({
      settings: { ...everyMcpSettings, runtime: { store: 'sqlite', path: '../state/runtime.db' } },
    });
  });
  after(() => mcp.stop());

  const advertised = async () => (await mcp.client.listTools()).tools;
  const calls = Object.entries(everyMcpCall);
  /** Everything that tools show of the copy, and the files. */
  const state = async () => [
    await mcp.ok('list_users'),
    await mcp.ok('list_clients'),
    await mcp.ok('get_settings'),
    await mcp.ok('get_keys_info'),
    filesUnder(mcp.root),
  ];

  verifies('MCP-21', 'has a call in the table that drives them all', async () => {
    expect((await advertised()).map(({ name }) => name)).to.have.members(calls.map(([name]) => name));
  });

  it('keeps its share of a context window within bounds', async () => {
    const all = await advertised();
    const [tools, bench] = [all.slice(0, 26), all.slice(26)];
    // update_settings has an argument for every setting with a form, so this grows with them.
    expect(JSON.stringify({ tools }).length).to.be.below(58_000);
    // A service provider has 23 members, each with a description.
    const most = (name: string) => (/^(create|update)_service_provider$/.test(name) ? 3_300 : 1_900);
    for (const tool of bench) expect(JSON.stringify(tool).length, tool.name).to.be.below(most(tool.name));
    // The part that clients show to an assistant.
    const read = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
    expect(JSON.stringify(read).length).to.be.below(38_000);
    for (const { name, description } of all) expect(description?.length, name).to.be.within(60, 480);
  });

  it('fails on an unknown argument without effect if its description says so', async () => {
    const refusing = (await advertised()).filter(({ description }) =>
      description?.endsWith(' Rejects unknown arguments.'),
    );
    expect(refusing.map(({ name }) => name)).to.have.members([
      ...['save_config', 'reload_config', 'rotate_keys', 'clear_audit_log'],
      ...['create_sandbox', 'set_clock', 'reset_clock', 'create_fault', 'delete_fault', 'expect_exchange'],
      ...['end_session', 'delete_consents'],
    ]);
    const before = await state();
    for (const { name } of refusing) {
      const { result } = await mcp.call(name, { ...everyMcpCall[name]?.args, sandox: 'box' });
      expect(result, name).to.include({ success: false, kind: 'unknown_argument' });
      expect(result.error, name).to.contain('Unknown field "sandox"');
    }
    expect(await state()).to.deep.equal(before);
    expect(await mcp.ok('list_faults')).to.include({ count: 0 });
    expect(await mcp.ok('get_clock')).to.include({ moved: false });
    expect(await mcp.ok('list_sandboxes')).to.include({ count: 0 });
  });

  it('returns what its output schema says, changes nothing if marked read-only, and has a unique title', async () => {
    const tools = new Map((await advertised()).map((tool) => [tool.name, tool]));
    expect(new Set([...tools.values()].map(({ title }) => title)).size).to.equal(tools.size);
    for (const [name, { args = {}, expected = {}, answers = [] }] of calls) {
      const { annotations, outputSchema } = tools.get(name) ?? expect.fail(name);
      const before = await state();
      // An unsaved change must survive too.
      const { structuredContent } = await mcp.client.callTool({ name, arguments: { ...args } });
      const matches = ajv.compile(outputSchema ?? expect.fail(`${name} has no output schema`));
      expect(matches(structuredContent), `${name}: ${JSON.stringify(matches.errors)}`).to.equal(true);
      expect(structuredContent, name).to.deep.include(expected);
      if (answers.length > 0) expect(structuredContent, name).to.include.all.keys(...answers);
      const after = await state();
      if (annotations?.readOnlyHint === true) expect(after, name).to.deep.equal(before);
      if (annotations?.idempotentHint === true) {
        await mcp.ok(name, args);
        expect(await state(), name).to.deep.equal(after);
      }
    }
  });

  it('changes something unless marked read-only, and has a schema that rejects other results', async () => {
    const tools = await advertised();
    const changing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true).map(({ name }) => name);
    expect(changing.sort()).to.have.members([
      ...['clear_audit_log', 'create_client', 'create_fault', 'create_persona_user', 'create_sandbox', 'create_user'],
      ...['delete_client', 'delete_consents', 'delete_fault', 'delete_sandbox', 'delete_user', 'end_session'],
      ...[
        'generate_token',
        'reload_config',
        'reset_clock',
        'reset_sandbox',
        'rotate_keys',
        'save_config',
        'set_clock',
        'update_client',
        'create_service_provider',
        'delete_service_provider',
        'update_service_provider',
        'update_settings',
      ],
      'update_user',
    ]);
    for (const { name, outputSchema = {} } of tools) expect(ajv.compile(outputSchema)({}), name).to.equal(false);
  });

  it('pages a growing list and returns where the next page begins', async () => {
    await mcp.ok('reload_config');
    for (let n = 0; n < 5; n += 1) await mcp.ok('create_persona_user', { username: `page-${n}` });
    const all = await mcp.ok('list_users');
    const names: unknown[] = [];
    let offset: unknown = 0;
    while (typeof offset === 'number') {
      const { users, next_offset: next, count } = await mcp.ok('list_users', { limit: 3, offset });
      expect(count).to.equal(all.count);
      names.push(...(Array.isArray(users) ? users.map((user) => user.username) : []));
      offset = next;
    }
    expect(names).to.deep.equal(Array.isArray(all.users) ? all.users.map((user) => user.username) : []);
    expect(all).not.to.have.key('next_offset');
    expect(await mcp.ok('list_clients', { limit: 1 })).to.include({ next_offset: 1 });
  });
});
