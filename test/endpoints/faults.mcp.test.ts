// The fault tools do what /api/faults does, on a running stack.
import { expect } from 'chai';
import { connectHttp } from '#test/support/mcp-client.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { call } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the fault tools', () => {
  verifies('FLT-35', 'do what /api/faults does', async () => {
    const idp = await startIdp({ args: ['--mcp-port', '0'] });
    const mcp = await connectHttp(idp.mcpUrl ?? '');
    try {
      const failure = async (name: string, args: object) => {
        const { isError, content } = await mcp.client.callTool({ name, arguments: { ...args } });
        return [isError, JSON.stringify(content).replaceAll('\\"', '"')];
      };
      const catalogue = (await idp.api('GET', '/api/faults/catalogue')).body;
      expect(await mcp.ok('list_fault_catalogue')).to.deep.equal(catalogue);
      const { fault } = await mcp.ok('create_fault', {
        fault: 'status',
        at: 'jwks',
        when: { nth: 2 },
        times: 'always',
      });
      expect(await mcp.ok('list_faults')).to.deep.equal({ faults: [fault], count: 1 });
      expect((await idp.api('GET', '/api/faults')).body.faults).to.deep.equal([fault]);
      const statuses = [];
      for (let turn = 0; turn < 2; turn += 1) statuses.push((await call(idp, '/.well-known/jwks.json')).status);
      expect(statuses).to.deep.equal([200, 500]);
      for (const [name, args, kind] of [
        ['create_fault', { fault: 'statuz' }, 'unknown_fault'],
        ['create_fault', { fault: 'status', at: 'health' }, 'MCP_INVALID_ARGUMENTS'],
        ['create_fault', { fault: 'status', when: { colour: 'red' } }, 'invalid'],
        ['delete_fault', { id: 'nothing' }, 'not_found'],
        ['delete_fault', { fault: 'status' }, 'unknown_argument'],
        ['list_fault_catalogue', { at: 'tokens' }, 'at must be one of discovery, jwks'],
      ] as const) {
        const [isError, text] = await failure(name, args);
        expect(isError, kind).to.equal(true);
        expect(text).to.contain(kind);
      }
      expect(await mcp.ok('delete_fault')).to.deep.equal({ success: true, deleted: 1 });
      expect(await mcp.ok('list_faults')).to.deep.equal({ faults: [], count: 0 });
      expect((await idp.api('POST', '/api/sandboxes', { name: 'box' })).status).to.equal(201);
      await mcp.ok('create_fault', { fault: 'status', sandbox: 'box' });
      expect(await mcp.ok('list_faults')).to.include({ count: 0 });
      expect(await mcp.ok('list_faults', { sandbox: 'box' })).to.include({ count: 1 });
      expect((await idp.api('GET', '/s/box/api/faults')).body.count).to.equal(1);
      expect(await mcp.ok('delete_fault', { sandbox: 'box' })).to.include({ deleted: 1 });
      const events = (await idp.audit()).filter(({ endpoint }) => endpoint === 'mcp:create_fault');
      expect(events.map(({ event_type }) => event_type)).to.include('fault_created');
    } finally {
      await mcp.close();
      await idp.stop();
    }
  });
});
