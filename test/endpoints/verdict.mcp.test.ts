// The verdict tool does what /api/verdict does, on a running stack and its sandboxes.
import { expect } from 'chai';
import { connectHttp } from '#test/support/mcp-client.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';

describe('get_verdict', function () {
  this.timeout(60_000);

  verifies('VER-12', 'returns what /api/verdict does, and changes nothing', async () => {
    const idp = await startIdp({ args: ['--mcp-port', '0'] });
    const mcp = await connectHttp(idp.mcpUrl ?? '');
    try {
      await token(idp, { grant_type: 'client_credentials' });
      const judged = await mcp.ok('get_verdict', { client_id: 'web' });
      expect(judged).to.deep.equal((await idp.api('GET', '/api/verdict?client_id=web')).body);
      expect(judged).to.deep.include({ status: 'advice', exchanges: 1 });
      expect(await mcp.ok('get_verdict')).to.deep.equal((await idp.api('GET', '/api/verdict')).body);
      const { cursor } = (await idp.api('GET', '/api/exchanges')).body;
      expect(await mcp.ok('get_verdict', { client_id: 'web', after: cursor })).to.include({ status: 'nothing_seen' });
      expect((await idp.api('POST', '/api/sandboxes', { name: 'box' })).status).to.equal(201);
      expect(await mcp.ok('get_verdict', { sandbox: 'box' })).to.deep.equal({ verdicts: [] });
      const { tools } = await mcp.client.listTools();
      expect(tools.find(({ name }) => name === 'get_verdict')?.annotations?.readOnlyHint).to.equal(true);
      await idp.api('PUT', '/api/recorder', { enabled: false });
      expect((await mcp.call('get_verdict')).result).to.include({ kind: 'recorder_off' });
    } finally {
      await mcp.close();
      await idp.stop();
    }
  });
});
