// Streamable HTTP at its limits: what is no MCP, other versions, batches, huge arguments, a thousand calls at once, clients
// that go away, and progress for whoever asks for it.
import { rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import * as z from 'zod';
import { rawRequest } from '#test/support/http.ts';
import { connectHttp, type McpConnection } from '#test/support/mcp-client.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { usersFile } from '#test/support/web-ui.ts';
import { demoSettings } from '#test/support/worlds.ts';

const answer = z.looseObject({ jsonrpc: z.literal('2.0'), id: z.union([z.number(), z.string()]) });
const progress = z.object({
  method: z.literal('notifications/progress'),
  params: z.object({ progressToken: z.string(), progress: z.number(), message: z.string() }),
});

describe('/mcp at its limits', () => {
  let idp: RunningIdp;
  let mcp: McpConnection;
  let url: string;
  const slow = () => join(idp.root, 'hook-waits');
  before(async () => {
    const hook = 'while test -e {config_dir}/../hook-waits; do sleep 0.05; done';
    idp = await startIdp({ settings: { ...demoSettings, hooks: { on_config_saved: hook, timeout_seconds: 30 } } });
    url = idp.mcpUrl ?? expect.fail('the ready line names no mcp_url');
    mcp = await connectHttp(url);
  });
  after(async () => {
    rmSync(slow(), { force: true });
    await mcp.close();
    expect(await idp.stop()).to.equal(0);
  });

  afterEach(function () {
    if (this.currentTest?.state === 'failed') process.stderr.write(idp.log());
  });

  const headers = { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' };
  const post = (body: unknown, extra: Record<string, string> = {}) =>
    rawRequest(url, {
      method: 'POST',
      headers: { ...headers, ...extra },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const call = (id: number, name: string, args: object = {}, more: object = {}) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: args, ...more },
  });

  it('refuses other media types, answers nobody could read, unknown versions and malformed calls', async () => {
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' };
    expect((await post(ping)).status).to.equal(200);
    expect((await post(ping, { 'Content-Type': 'text/plain' })).status).to.equal(415);
    expect((await post(ping, { Accept: 'text/html' })).status).to.equal(406);
    expect((await post(ping, { 'MCP-Protocol-Version': '2025-06-18' })).status).to.equal(200);
    expect((await post(ping, { 'MCP-Protocol-Version': '1999-01-01' })).status).to.equal(400);
    for (const [body, code] of [
      ['', -32700],
      ['{', -32700],
      ['7', -32600],
      ['{"jsonrpc":"2.0","id":[],"method":"ping"}', -32600],
    ] as const) {
      const refused = await post(body);
      expect([refused.status, JSON.parse(refused.body).error.code], body).to.deep.equal([400, code]);
    }
    const malformed = await post({ ...call(5, 'list_users'), params: { name: 'list_users', arguments: [] } });
    expect(JSON.parse(malformed.body)).to.deep.include({ id: 5 }).and.have.nested.property('error.code', -32602);
  });

  it('answers a notification with 202, each message of a batch, and every initialize', async () => {
    expect(
      (await post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })).status,
    ).to.equal(202);
    const batch = await post([call(1, 'list_users'), call(2, 'get_user', { username: 'nobody' })]);
    const answers = z.array(answer).parse(JSON.parse(batch.body));
    expect(answers.map(({ id }) => id).sort()).to.deep.equal([1, 2]);
    for (const [asked, answered] of [
      ['2025-03-26', '2025-03-26'],
      ['1999-01-01', '2025-11-25'],
    ]) {
      const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 't', version: '1' } };
      const { body } = await post({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
      expect(JSON.parse(body).result.protocolVersion).to.equal(answered);
    }
  });

  it('keeps a connection open while an assistant thinks', async () => {
    const { headers: got } = await post({ jsonrpc: '2.0', id: 1, method: 'ping' }, { Connection: 'keep-alive' });
    expect(got['keep-alive']).to.equal('timeout=600');
  });

  it('takes arguments of 10 MB and refuses a body beyond 16 MiB', async () => {
    const attributes = { text: 'x'.repeat(10 * 1024 * 1024) };
    const created = await mcp.ok('create_user', { username: 'big', password: 'p', attributes });
    expect(created.success).to.equal(true);
    await mcp.ok('delete_user', { username: 'big' });
    const refused = await post(call(1, 'get_user', { username: 'x'.repeat(16 * 1024 * 1024) }));
    expect([refused.status, JSON.parse(refused.body).error.message]).to.deep.equal([
      413,
      'Payload Too Large: The body is larger than 16 MiB.',
    ]);
  });

  it('answers a thousand calls in flight', async () => {
    const calls = Array.from({ length: 1000 }, (_, n) =>
      mcp.call('create_user', { username: `user-${n % 500}`, password: 'p' }),
    );
    const created = (await Promise.all(calls)).filter(({ isError }) => !isError);
    expect(created).to.have.length(500);
    expect((await mcp.ok('list_users', { limit: 1 })).count).to.equal(502);
    await mcp.ok('reload_config');
  });

  verifies('MCP-41', 'finishes the save of a client that went away, and goes on', async () => {
    await mcp.ok('create_user', { username: 'carol', password: 'p' });
    writeFileSync(slow(), '');
    const request = httpRequest(url, { method: 'POST', headers });
    request.on('error', () => {});
    request.end(JSON.stringify(call(1, 'save_config')));
    while (!Object.hasOwn(usersFile(idp), 'carol')) await pause(10);
    request.destroy();
    rmSync(slow());
    await mcp.ok('create_user', { username: 'dana', password: 'p' });
    await mcp.ok('save_config');
    expect(Object.keys(usersFile(idp))).to.deep.equal(['alice', 'bob', 'carol', 'dana']);
    // Within its request, too.
    const half = httpRequest(url, { method: 'POST', headers: { ...headers, 'Content-Length': '1000' } });
    half.on('error', () => {});
    half.write('{"jsonrpc"');
    await new Promise((resolve) => half.once('socket', (socket) => socket.once('connect', resolve)));
    half.destroy();
    expect((await mcp.ok('list_users')).count).to.equal(4);
    expect(idp.log()).not.to.include('a request to /mcp failed');
  });

  it('streams progress of a save that waits to who asked for it, and then the answer', async () => {
    await mcp.ok('create_user', { username: 'erin', password: 'p' });
    writeFileSync(slow(), '');
    const body = JSON.stringify(call(7, 'save_config', {}, { _meta: { progressToken: 'save-7' } }));
    const response = await fetch(url, { method: 'POST', headers, body });
    expect(response.headers.get('content-type')).to.equal('text/event-stream');
    const events: unknown[] = [];
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8');
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        const data = part.split('\n').find((line) => line.startsWith('data: '));
        if (data !== undefined) events.push(JSON.parse(data.slice('data: '.length)));
      }
      if (events.length >= 2) rmSync(slow(), { force: true });
    }
    const last = answer.parse(events.pop());
    expect(last.id).to.equal(7);
    const reports = events.map((event) => progress.parse(event).params);
    expect(reports.map((report) => report.progress)).to.deep.equal(reports.map((_, index) => index + 1));
    expect(reports[1]?.message).to.include('2 s').and.include('on_config_saved');
    expect(reports.length).to.be.at.least(2);
  });

  it('answers one JSON value to who asked for no progress, and keeps a client’s patience alive for who did', async () => {
    const { headers: got } = await post(call(1, 'list_users'));
    expect(got['content-type']).to.equal('application/json');
    await mcp.ok('create_user', { username: 'fred', password: 'p' });
    writeFileSync(slow(), '');
    let reports = 0;
    const saved = mcp.client.callTool({ name: 'save_config', arguments: {} }, undefined, {
      timeout: 2_500,
      resetTimeoutOnProgress: true,
      onprogress: () => {
        reports += 1;
        // Longer than the client would have waited.
        if (reports === 4) rmSync(slow(), { force: true });
      },
    });
    expect((await saved).structuredContent).to.include({ success: true });
    expect(reports).to.be.at.least(4);
  });
});
