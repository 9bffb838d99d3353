// Runs the README's entries for editors as written. Only the placeholder of the checkout and the port of the stack are
// replaced. Each entry starts or connects as the editor would: from another directory and without this process's
// environment.
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'chai';
import * as z from 'zod';
import { connect, type McpConnection } from '#test/support/mcp-client.ts';
import { cliPath, type RunningIdp, startIdp } from '#test/support/start-idp.ts';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const placeholder = '/path/to/test-idp';
const documentedUrl = 'http://127.0.0.1:8001/mcp';

const stdioEntry = z.strictObject({
  type: z.literal('stdio').optional(),
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()).optional(),
});
const httpEntry = z.strictObject({ type: z.literal('http'), url: z.string() });
const entryModel = z.union([stdioEntry, httpEntry]);
type Entry = z.output<typeof entryModel>;
const named = z.strictObject({ 'test-idp': entryModel });
const fileModel = z.union([z.strictObject({ mcpServers: named }), z.strictObject({ servers: named })]);

interface Documented {
  /** The editor format: the key in its file, or the command line. */
  readonly form: string;
  readonly entry: Entry;
}

function editorSection(): string {
  const [, section = ''] = /^## Use it in an editor \(MCP\)$([\s\S]*?)^## /m.exec(
    readFileSync(join(repository, 'README.md'), 'utf8'),
  ) ?? ['', ''];
  return section;
}

function documented(): Documented[] {
  const blocks = [...editorSection().matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
  return blocks.map(([, language, text = '']) => {
    if (language === 'sh') return fromCommandLine(text.trim());
    const file = fileModel.parse(JSON.parse(text));
    return 'servers' in file
      ? { form: 'servers', entry: file.servers['test-idp'] }
      : { form: 'mcpServers', entry: file.mcpServers['test-idp'] };
  });
}

/** `claude mcp add [--transport http] <name> <url>`, or `claude mcp add <name> -- <command> <argument>…` */
function fromCommandLine(line: string): Documented {
  const words = line.split(' ');
  expect(words.splice(0, 3)).to.deep.equal(['claude', 'mcp', 'add']);
  const transport = words[0] === '--transport' ? words.splice(0, 2)[1] : 'stdio';
  expect(words.shift()).to.equal('test-idp');
  const form = 'claude mcp add';
  if (transport === 'http') return { form, entry: { type: 'http', url: words.join(' ') } };
  expect(words.shift()).to.equal('--');
  const [command = '', ...args] = words;
  return { form, entry: { command, args } };
}

describe('the README’s entries for editors', () => {
  let checkout: string;
  let idp: RunningIdp;
  before(async () => {
    // A separate checkout, so that the keys and files of this one stay unchanged.
    checkout = mkdtempSync(join(tmpdir(), 'test-idp-checkout-'));
    symlinkSync(dirname(cliPath), join(checkout, 'dist'));
    cpSync(join(repository, 'config'), join(checkout, 'config'), { recursive: true });
    idp = await startIdp();
  });
  after(async () => {
    expect(await idp.stop()).to.equal(0);
    rmSync(checkout, { recursive: true, force: true });
  });

  const open = (entry: Entry): Promise<McpConnection> => {
    if ('url' in entry) {
      expect(entry.url).to.equal(documentedUrl);
      return connect(new StreamableHTTPClientTransport(new URL(idp.mcpUrl ?? expect.fail('no mcp_url'))));
    }
    expect(entry.args.some((argument) => argument.includes(placeholder))).to.equal(true);
    return connect(
      new StdioClientTransport({
        command: entry.command,
        args: entry.args.map((argument) => argument.replaceAll(placeholder, checkout)),
        env: { ...getDefaultEnvironment(), ...entry.env },
        cwd: parse(repository).root,
        stderr: 'ignore',
      }),
    );
  };

  it('cover Claude Code, Claude Desktop, Cursor and VS Code, over stdio and HTTP', () => {
    expect(
      documented().map(({ form, entry }) => [form, 'url' in entry ? 'http' : (entry.type ?? 'stdio by default')]),
    ).to.deep.equal([
      ['claude mcp add', 'stdio by default'],
      ['mcpServers', 'stdio by default'],
      ['servers', 'stdio'],
      ['claude mcp add', 'http'],
      ['mcpServers', 'http'],
      ['servers', 'http'],
    ]);
    // The entries contain the address that the documented option produces.
    expect(editorSection()).to.include(`--mcp-port ${new URL(documentedUrl).port}`);
  });

  for (const [index, { form, entry }] of documented().entries()) {
    it(`work as written: ${form}, ${'url' in entry ? 'HTTP' : 'standard input and output'} (${index + 1})`, async () => {
      const editor = await open(entry);
      try {
        const { tools } = await editor.client.listTools();
        expect(tools.slice(0, 26).at(-1)?.name).to.equal('clear_audit_log');
        const declared = 'url' in entry ? ['alice', 'bob'] : ['admin', 'alice', 'bob', 'carol'];
        const { users } = await editor.ok('list_users');
        const names = Array.isArray(users) ? users.map((user) => user.username) : [];
        expect(names).to.include.members(declared);
      } finally {
        await editor.close();
      }
    });
  }
});
