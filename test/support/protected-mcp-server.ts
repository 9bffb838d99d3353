// A real MCP server (SDK) whose tools need a token of the authorization server under test. It publishes its RFC 9728
// metadata, verifies signature, issuer and audience with jose, and returns the caller.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';

export interface ProtectedMcpServer {
  /** The resource, which tokens must name as audience. */
  readonly url: string;
  readonly callers: JWTPayload[];
  close(): Promise<void>;
}

export async function startProtectedMcpServer(issuer: string): Promise<ProtectedMcpServer> {
  const keys = createRemoteJWKSet(new URL(`${issuer}/.well-known/jwks.json`));
  const callers: JWTPayload[] = [];
  const server: Server = createServer((request, response) => {
    answer(request, response).catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const url = `${origin}/mcp`;
  const metadataPath = '/.well-known/oauth-protected-resource/mcp';

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.url === metadataPath) {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ resource: url, authorization_servers: [issuer] }));
      return;
    }
    const token = /^Bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const caller = token === undefined ? undefined : await verified(token);
    if (request.url !== '/mcp' || caller === undefined) {
      const challenge = `Bearer error="invalid_token", resource_metadata="${origin}${metadataPath}"`;
      response.writeHead(request.url === '/mcp' ? 401 : 404, { 'WWW-Authenticate': challenge }).end();
      return;
    }
    callers.push(caller);
    const mcp = new McpServer({ name: 'resource', version: '1.0.0' });
    mcp.registerTool('whoami', { description: 'Says who called.' }, async () => ({
      content: [{ type: 'text', text: String(caller.sub) }],
    }));
    const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true });
    // The SDK declares its transport's callbacks as optional in a way that exactOptionalPropertyTypes rejects.
    await mcp.connect(transport as Parameters<typeof mcp.connect>[0]);
    await transport.handleRequest(request, response);
  }

  async function verified(token: string): Promise<JWTPayload | undefined> {
    try {
      return (await jwtVerify(token, keys, { issuer, audience: url, algorithms: ['RS256'] })).payload;
    } catch {
      return undefined;
    }
  }

  return {
    url,
    callers,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
