// The MCP server supports two revisions of the protocol over both transports: 2026-07-28, where each request names its
// revision and no session exists, and 2025-11-25, which starts with `initialize`.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { expect } from 'chai';
import * as z from 'zod';
import { rawRequest } from '#test/support/http.ts';
import { newConfigRoot } from '#test/support/mcp-client.ts';
import { cliPath, type RunningIdp, startIdp } from '#test/support/start-idp.ts';

const revisions = ['2025-11-25', '2026-07-28'] as const;
const reply = z.looseObject({
  id: z.unknown(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ code: z.number(), data: z.unknown() }).optional(),
});

function clientOf(revision: (typeof revisions)[number]): Client {
  const mode = revision === '2026-07-28' ? { pin: revision } : 'legacy';
  return new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
}

async function useTools(client: Client): Promise<void> {
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).to.include.members(['list_users', 'save_config']);
  const { structuredContent } = await client.callTool({ name: 'list_users', arguments: {} });
  expect(structuredContent).to.include({ count: 2 });
  const failed = await client.callTool({ name: 'delete_user', arguments: { username: 'nobody' } });
  expect(failed.isError).to.equal(true);
}

describe('the revisions of MCP', () => {
  let idp: RunningIdp;
  let url: string;
  before(async () => {
    idp = await startIdp();
    url = idp.mcpUrl ?? expect.fail('the ready line names no mcp_url');
  });
  after(async () => {
    expect(await idp.stop()).to.equal(0);
  });

  for (const revision of revisions) {
    it(`serves a client of ${revision} over Streamable HTTP`, async () => {
      const client = clientOf(revision);
      await client.connect(new StreamableHTTPClientTransport(new URL(url)));
      expect(client.getNegotiatedProtocolVersion()).to.equal(revision);
      await useTools(client);
      await client.close();
    });

    it(`serves a client of ${revision} over standard input and output`, async () => {
      const { configDirectory } = newConfigRoot();
      const args = [cliPath, 'mcp', '--config-dir', configDirectory];
      const client = clientOf(revision);
      await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: 'ignore' }));
      expect(client.getNegotiatedProtocolVersion()).to.equal(revision);
      await useTools(client);
      await client.close();
    });
  }

  const envelope = (revision: string) => ({
    _meta: {
      'io.modelcontextprotocol/protocolVersion': revision,
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  });
  const post = async (id: number, method: string, params: object, headers: Readonly<Record<string, string>>) => {
    const answer = await rawRequest(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
    });
    return { status: answer.status, headers: answer.headers, ...reply.parse(JSON.parse(answer.body)) };
  };

  it('answers server/discover without a handshake and without a session', async () => {
    const headers = { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'server/discover' };
    const discovered = await post(1, 'server/discover', envelope('2026-07-28'), headers);
    expect(discovered.status).to.equal(200);
    expect(discovered.result).to.deep.include({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } });
    expect(discovered.headers).not.to.have.property('mcp-session-id');
  });

  it('rejects an unknown version with the id of the request and the supported versions', async () => {
    const modern = { 'MCP-Protocol-Version': '2027-01-01', 'Mcp-Method': 'tools/list' };
    for (const rejected of [
      await post(8, 'tools/list', {}, { 'MCP-Protocol-Version': '1999-01-01' }),
      await post(8, 'tools/list', envelope('2027-01-01'), modern),
    ]) {
      expect([rejected.status, rejected.id, rejected.error?.code]).to.deep.equal([400, 8, -32022]);
      const data = z.object({ supported: z.array(z.string()), requested: z.string() }).parse(rejected.error?.data);
      expect(data.supported).to.include('2026-07-28');
    }
    const { error } = await post(9, 'tools/list', {}, { 'MCP-Protocol-Version': '1999-01-01' });
    expect(error?.data).to.deep.include({ requested: '1999-01-01' });
    expect(z.object({ supported: z.array(z.string()) }).parse(error?.data).supported).to.include('2025-11-25');
  });

  it('rejects a request of 2026-07-28 whose headers and body disagree', async () => {
    const rejected = await post(3, 'tools/list', envelope('2026-07-28'), { 'MCP-Protocol-Version': '2026-07-28' });
    expect([rejected.status, rejected.id, rejected.error?.code]).to.deep.equal([400, 3, -32020]);
  });
});
