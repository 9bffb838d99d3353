// The MCP Inspector's command line, a client that this project did not write, drives every tool over both transports. It is
// installed apart from the product, from its own lock file, into .cache/, and only when that does not hold it yet.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import * as z from 'zod';
import { everyMcpCall, everyMcpSettings } from '#test/support/every-mcp-call.ts';
import { installApart, skipIfMissing } from '#test/support/install-apart.ts';
import { newConfigRoot } from '#test/support/mcp-client.ts';
import { cliPath, type RunningIdp, startIdp } from '#test/support/start-idp.ts';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

const listing = z.object({ tools: z.array(z.object({ name: z.string() })) });
const answer = z.object({
  content: z.tuple([z.object({ type: z.literal('text'), text: z.string() })]),
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
});

describe('the MCP Inspector', function () {
  // It starts anew for each of some fifty calls.
  this.timeout(900_000);
  let home: string;
  let inspector: string;
  before(function () {
    home = mkdtempSync(join(tmpdir(), 'test-idp-inspector-'));
    const installed = installApart('inspector');
    inspector = join(
      installed.directory,
      'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
    );
    skipIfMissing(this, installed);
  });
  after(() => rmSync(home, { recursive: true, force: true }));

  const inspect = (target: readonly string[], ...options: readonly string[]) =>
    new Promise<Ended>((resolve) => {
      // It keeps a catalog of servers in the home directory; here it gets one of its own.
      const env = { ...process.env, HOME: home, USERPROFILE: home };
      const args = [inspector, '--cli', ...target, ...options];
      const child = execFile(process.execPath, args, { env, maxBuffer: 1 << 24 }, (_error, out, err) =>
        resolve({ code: child.exitCode ?? -1, out, err }),
      );
    });

  const call = async (target: readonly string[], name: string, args: Readonly<Record<string, unknown>> = {}) => {
    const pairs = Object.entries(args).map(([key, value]) => `${key}=${JSON.stringify(value)}`);
    const options = ['--method', 'tools/call', '--tool-name', name, ...pairs.flatMap((pair) => ['--tool-arg', pair])];
    return inspect(target, ...options);
  };

  const advertised = async (target: readonly string[]) => {
    const listed = await inspect(target, '--method', 'tools/list', '--strict');
    expect(listed.code, listed.err).to.equal(0);
    // Nothing in the schemas that a model provider's smaller dialect would refuse or drop.
    expect(listed.err).not.to.match(/^(?:Warning|Error): tool/m);
    return listing.parse(JSON.parse(listed.out)).tools.map((tool) => tool.name);
  };

  const drive = async (target: () => readonly string[]) => {
    const names = await advertised(target());
    expect(names).to.have.members(Object.keys(everyMcpCall));
    for (const [name, { args, expected = {}, answers = [] }] of Object.entries(everyMcpCall)) {
      const ended = await call(target(), name, args);
      expect(ended.code, `${name}: ${ended.out}${ended.err}`).to.equal(0);
      const { content, structuredContent: result = {}, isError } = answer.parse(JSON.parse(ended.out));
      expect(isError, name).not.to.equal(true);
      expect(JSON.parse(content[0].text), name).to.deep.equal(result);
      expect(result, name).to.deep.include(expected);
      if (answers.length > 0) expect(result, name).to.include.all.keys(...answers);
    }
  };

  it('drives every tool over standard input and output, each in a server of its own', async () => {
    // What one of them makes the next one finds in the store.
    const { root, configDirectory } = newConfigRoot({
      settings: { ...everyMcpSettings, runtime: { store: 'sqlite', path: '../state/runtime.db' } },
    });
    await drive(() => [process.execPath, cliPath, 'mcp', '--config-dir', configDirectory]);
    rmSync(root, { recursive: true, force: true });
  });

  describe('beside a stack', () => {
    let idp: RunningIdp;
    before(async () => {
      idp = await startIdp({ settings: everyMcpSettings });
    });
    after(async () => {
      expect(await idp.stop()).to.equal(0);
    });
    const target = () => [idp.mcpUrl ?? expect.fail('no mcp_url')];

    it('drives every tool over Streamable HTTP', () => drive(target));

    it('shows a failure as one, with what to do about it', async () => {
      const failed = await call(target(), 'delete_user', { username: 'nobody' });
      expect(failed.code).not.to.equal(0);
      expect(failed.out + failed.err).to.include('list_users lists the existing ones');
    });
  });
});
