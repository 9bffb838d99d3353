// The recorder tools do what /api/flows and /api/expect do, on a running stack and its sandboxes.
import { expect } from 'chai';
import { connectHttp } from '#test/support/mcp-client.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the recorder tools', function () {
  this.timeout(60_000);

  verifies('REC-30', 'do what /api/flows and /api/expect do, and change nothing', async () => {
    const idp = await startIdp({ args: ['--mcp-port', '0'] });
    const mcp = await connectHttp(idp.mcpUrl ?? '');
    try {
      await token(idp, { grant_type: 'client_credentials' });
      const listed = await mcp.ok('list_flows', { kind: 'client_credentials' });
      expect(listed).to.deep.equal((await idp.api('GET', '/api/flows')).body);
      expect(listed.count).to.equal(1);
      const [{ id }] = listed.flows as [{ id: string }];
      expect((await mcp.ok('get_flow', { id })).flow).to.deep.equal((await idp.api('GET', `/api/flows/${id}`)).body);
      const held = await mcp.ok('expect_exchange', { endpoint: 'token', at_least: 1, client_id: 'web' });
      expect(held).to.include({ held: true, count: 1 });
      const later = { endpoint: 'token', count: 1, after: held.cursor, within_seconds: 0 };
      expect(await mcp.ok('expect_exchange', later)).to.include({ held: false, kind: 'not_held', count: 0 });
      expect((await idp.api('POST', '/api/sandboxes', { name: 'box' })).status).to.equal(201);
      expect(await mcp.ok('list_flows', { sandbox: 'box' })).to.deep.equal({ flows: [], count: 0 });
      const { tools } = await mcp.client.listTools();
      const hints = tools.filter(({ name }) => /_flows?$|^expect_/.test(name)).map(({ annotations }) => annotations);
      expect(hints.map((hint) => hint?.readOnlyHint)).to.deep.equal([true, true, true]);
    } finally {
      await mcp.close();
      await idp.stop();
    }
  });

  verifies(['REC-28', 'REC-30'], 'return at once when the server stops', async () => {
    const idp = await startIdp({ args: ['--mcp-port', '0'] });
    const mcp = await connectHttp(idp.mcpUrl ?? '');
    const waiting = mcp.call('expect_exchange', { endpoint: 'revoke', at_least: 1, within_seconds: 60 });
    await mcp.ok('list_flows');
    const began = performance.now();
    await idp.stop();
    const { isError, result } = await waiting;
    expect([isError, result.kind]).to.deep.equal([true, 'stopping']);
    expect(performance.now() - began).to.be.below(8000);
    await mcp.close();
  });
});
