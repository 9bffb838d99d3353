// The MCP worker inside a stack: Streamable HTTP on its own loopback address, shared audit and keys directory, and its own
// copy of the configuration.
import { expect } from 'chai';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { rawRequest } from '#test/support/http.ts';
import { connectHttp, type McpConnection } from '#test/support/mcp-client.ts';
import { sendOneByteChunks } from '#test/support/one-byte-chunks.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the MCP worker of a stack', () => {
  let idp: RunningIdp;
  let mcp: McpConnection;
  let url: string;
  before(async () => {
    idp = await startIdp();
    url = idp.mcpUrl ?? expect.fail('the ready line names no mcp_url');
    mcp = await connectHttp(url);
  });
  after(async () => {
    await mcp.close();
    expect(await idp.stop()).to.equal(0);
  });

  const initialize = JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  });
  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const post = (extra: Record<string, string>, body = initialize) =>
    rawRequest(url, { method: 'POST', headers: { ...headers, ...extra }, body });

  verifies('MCP-02', 'serves Streamable HTTP at /mcp on its own loopback address', async () => {
    const { hostname, pathname, port } = new URL(url);
    expect([hostname, pathname]).to.deep.equal(['127.0.0.1', '/mcp']);
    expect(port).not.to.equal(new URL(idp.baseUrl).port);
    expect((await mcp.ok('list_users')).count).to.equal(2);
  });

  it('rejects a body in too many one-byte chunks, and closes the connection', async () => {
    const sent = { path: '/mcp', count: 200_000, headers };
    const { status, text } = await sendOneByteChunks(new URL(url).origin, sent);
    expect(status).to.equal(400);
    expect(text).to.contain('\r\nConnection: close\r\n').and.contain('"code":-32000');
  });

  it('rejects at every front end of the stack a body in too many one-byte chunks', async () => {
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const path of ['/token', '/saml/sso', '/saml/attribute-query', '/api/runtime/users']) {
      const { status, text } = await sendOneByteChunks(idp.baseUrl, { path, count: 200_000, headers: form });
      expect([path, status]).to.deep.equal([path, 400]);
      expect(text).to.contain('payload_in_small_pieces');
    }
  });

  verifies('MCP-02', 'rejects a Host or an Origin that is not loopback with 403', async () => {
    const { port } = new URL(url);
    expect((await post({})).status).to.equal(200);
    expect((await post({ Host: `localhost:${port}`, Origin: 'http://localhost:5173' })).status).to.equal(200);
    const refused: Record<string, string>[] = [
      { Host: 'idp.example.org' },
      { Host: `idp.example.org:${port}` },
      { Host: 'localhost' },
      { Host: `127.0.0.1:${Number(port) + 1}` },
      { Origin: 'https://evil.example.org' },
      { Origin: 'null' },
      { Origin: 'http://localhost.evil.example.org' },
    ];
    for (const extra of refused) {
      const answer = await post(extra);
      expect(answer.status, JSON.stringify(extra)).to.equal(403);
      expect(JSON.parse(answer.body)).to.have.key('error');
    }
    expect((await rawRequest(url, { headers: { Host: 'idp.example.org' } })).status).to.equal(403);
  });

  it('rejects other paths and methods, and returns a protocol error for bodies that are not MCP', async () => {
    expect((await rawRequest(new URL('/', url).href)).status).to.equal(404);
    const got = await rawRequest(url);
    expect([got.status, got.headers.allow]).to.deep.equal([405, 'POST']);
    expect((await post({}, '{')).status).to.equal(400);
    expect((await post({}, '{"jsonrpc":"2.0"}')).status).to.equal(400);
    expect((await post({}, 'x'.repeat(17 * 1024 * 1024))).status).to.equal(413);
    // JSON-RPC 2.0 §5.1: parameters of the wrong form are the caller's error, not the server's.
    for (const [message, code] of [
      ['"method":"tools/call"', -32602],
      ['"method":"tools/list","params":{"cursor":5}', -32602],
      ['"method":"tools/list","params":{"cursor":"next"}', -32602],
      ['"method":"tools/list","params":{"cursor":""}', undefined],
      ['"method":"tools/list"', undefined],
      ['"method":"prompts/list"', -32601],
    ] as const) {
      const answer = await post({}, `{"jsonrpc":"2.0","id":1,${message}}`);
      expect(JSON.parse(answer.body).error?.code, message).to.equal(code);
    }
  });

  verifies(
    ['MCP-03', 'MCP-05', 'MCP-06'],
    'changes only its own copy, which front ends see after a save and their reload',
    async () => {
      const login = { grant_type: 'password', username: 'carol', password: 'secret' };
      const users = async () => (await (await fetch(`${idp.baseUrl}/api/users`)).json()).count;
      const reload = () => fetch(`${idp.baseUrl}/api/config/reload`, { method: 'POST' });

      await mcp.ok('create_user', { username: 'carol', password: 'secret' });
      const other = await connectHttp(url);
      expect((await other.ok('get_user', { username: 'carol' })).found).to.equal(true);
      await other.close();
      expect((await token(idp, login)).body.error).to.equal('invalid_grant');
      expect((await reload()).status).to.equal(200);
      expect((await mcp.ok('get_user', { username: 'carol' })).found).to.equal(true);
      expect(await users()).to.equal(2);

      await mcp.ok('save_config');
      expect((await token(idp, login)).body.error).to.equal('invalid_grant');
      expect((await reload()).status).to.equal(200);
      expect((await token(idp, login)).status).to.equal(200);
      expect(await users()).to.equal(3);

      await mcp.ok('delete_user', { username: 'carol' });
      await mcp.ok('reload_config');
      expect((await mcp.ok('get_user', { username: 'carol' })).found).to.equal(true);
    },
  );

  verifies('MCP-04', 'has no access to runtime users and clients', async () => {
    const create = (path: string, body: object) =>
      fetch(`${idp.baseUrl}/api/runtime/${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(body),
      });
    expect((await create('users', { username: 'rita', password: 'p' })).status).to.equal(201);
    expect((await create('clients', { client_id: 'rc', client_secret: 's' })).status).to.equal(201);
    expect((await mcp.ok('get_user', { username: 'rita' })).found).to.equal(false);
    expect((await mcp.ok('get_client', { client_id: 'rc' })).found).to.equal(false);
    expect((await mcp.call('generate_token', { username: 'rita' })).isError).to.equal(true);
    // Saving a copy that declares the name does not affect the runtime object until a front end loads it.
    await mcp.ok('create_user', { username: 'rita', password: 'other' });
    await mcp.ok('save_config');
    expect((await fetch(`${idp.baseUrl}/api/runtime/users/rita`)).status).to.equal(200);
  });

  verifies(['MCP-07', 'AUD-08'], 'writes and reads the one audit of the stack', async () => {
    await token(idp, { grant_type: 'password', username: 'alice', password: 'wrong' });
    const { entries } = await mcp.ok('get_audit_log', { event_type: 'token_request', limit: 1 });
    expect(Array.isArray(entries) ? entries[0] : {}).to.include({ status: 'failed', username: 'alice' });
    const read = await (await fetch(`${idp.baseUrl}/api/audit?event_type=mcp_tool&limit=1`)).json();
    expect(read.entries[0]).to.include({ endpoint: 'mcp', method: 'get_audit_log', status: 'success' });
  });

  verifies(['MCP-08', 'MCP-38', 'KEY-12', 'CLM-05'], 'signs and rotates with the keys of the front ends', async () => {
    const keySet = createRemoteJWKSet(new URL(`${idp.baseUrl}/.well-known/jwks.json`), { cooldownDuration: 0 });
    const before = String((await mcp.ok('generate_token', { username: 'alice' })).access_token);
    await jwtVerify(before, keySet);
    const { new_kid: newKid, old_kid: oldKid } = await mcp.ok('rotate_keys');
    const published = await (await fetch(`${idp.baseUrl}/.well-known/jwks.json`)).json();
    expect(published.keys.map((key: { kid: string }) => key.kid)).to.deep.equal([newKid, oldKid]);
    expect((await mcp.ok('get_jwks')).keys).to.deep.equal(published.keys);
    await jwtVerify(before, keySet);
    await jwtVerify(String((await mcp.ok('generate_token', { username: 'alice' })).access_token), keySet);
    const { body } = await token(idp, { grant_type: 'password', username: 'alice', password: 'wonderland' });
    expect((await mcp.ok('verify_token', { token: body.access_token })).valid).to.equal(true);
  });

  verifies('MCP-30', 'issues a refresh token that the bound client can use', async () => {
    const { refresh_token: refresh } = await mcp.ok('generate_token', { username: 'alice', client_id: 'web' });
    const spent = await token(idp, { grant_type: 'refresh_token', refresh_token: String(refresh) });
    expect(spent.status).to.equal(200);
  });

  verifies('MCP-31', 'issues a token whose requested claims /userinfo returns', async () => {
    const args = { username: 'alice', userinfo_claims: ['entitlements', 'groups'] };
    await mcp.ok('update_user', { username: 'alice', entitlements: ['read'] });
    await mcp.ok('save_config');
    await fetch(`${idp.baseUrl}/api/config/reload`, { method: 'POST' });
    const { access_token: access } = await mcp.ok('generate_token', args);
    const answer = await fetch(`${idp.baseUrl}/userinfo`, { headers: { Authorization: `Bearer ${access}` } });
    expect(await answer.json()).to.deep.include({ sub: 'alice', entitlements: ['read'] });
  });

  verifies('KEY-10', 'rotates over HTTP too, and returns both kids and an ISO time', async () => {
    const info = await (await fetch(`${idp.baseUrl}/api/keys/info`)).json();
    const rotated = await fetch(`${idp.baseUrl}/api/keys/rotate`, { method: 'POST' });
    expect(rotated.status).to.equal(200);
    const body = await rotated.json();
    expect(body).to.deep.equal({
      success: true,
      old_kid: info.active_kid,
      new_kid: body.new_kid,
      previous_keys_count: 2,
      rotated_at: new Date(body.rotated_at).toISOString(),
    });
    const after = await (await fetch(`${idp.baseUrl}/api/keys/info`)).json();
    expect(Object.keys(after)).to.deep.equal(Object.keys(info));
    expect(after.active_kid).to.equal(body.new_kid);
    expect((await mcp.ok('get_keys_info')).active_kid).to.equal(body.new_kid);
  });
});
