// The clock tools: what /api/clock does, for a stack over HTTP and alone on a shared store or none.
import { expect } from 'chai';
import { claimsOf } from '#test/support/http.ts';
import { connectHttp, startMcp } from '#test/support/mcp-client.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

const noon = Date.UTC(2031, 2, 4, 12);

describe('the clock tools', () => {
  verifies('TIM-31', 'do what /api/clock does, and tokens are made and verified by that clock', async () => {
    const idp = await startIdp({ args: ['--mcp-port', '0'] });
    const mcp = await connectHttp(idp.mcpUrl ?? '');
    try {
      const failure = async (args: object) => {
        const { structuredContent: _, ...answer } = await mcp.client.callTool({
          name: 'set_clock',
          arguments: { ...args },
        });
        return answer;
      };
      expect(await mcp.ok('get_clock')).to.include({ success: true, moved: false, frozen: false, offset_seconds: 0 });
      const moved = await mcp.ok('set_clock', { at: '2031-03-04T12:00:00Z', frozen: true });
      expect(moved).to.include({ success: true, now: '2031-03-04T12:00:00.000Z', frozen: true, moved: true });
      expect((await idp.api('GET', '/api/clock')).body.now).to.equal('2031-03-04T12:00:00.000Z');
      const { access_token } = await mcp.ok('generate_token', { username: 'alice', expires_in_minutes: 10 });
      expect(claimsOf(String(access_token))).to.include({ iat: noon / 1000, exp: noon / 1000 + 600 });
      const verdict = async (args: object) => {
        await mcp.ok('set_clock', { ...args });
        const { valid, reason } = await mcp.ok('verify_token', { token: access_token });
        return [valid, reason];
      };
      expect(await verdict({ advance_seconds: 599 })).to.deep.equal([true, undefined]);
      expect(await verdict({ advance_seconds: 1 })).to.deep.equal([false, 'The token has expired.']);
      expect(await verdict({ advance_seconds: -601 })).to.deep.equal([false, 'The token is not valid yet (nbf).']);
      for (const [args, told] of [
        [{}, '"kind":"invalid"'],
        [{ at: '2031-01-01T00:00:00Z', offset_seconds: 1 }, '"kind":"invalid"'],
        [{ at: 'tomorrow' }, '"kind":"invalid"'],
        [{ at: 1 }, 'MCP_INVALID_ARGUMENTS'],
        [{ offset_seconds: 1e12 }, '"kind":"out_of_range"'],
      ] as const) {
        const answer = await failure(args);
        expect([answer.isError, JSON.stringify(answer.content).replaceAll('\\"', '"').includes(told)]).to.deep.equal([
          true,
          true,
        ]);
      }
      expect(await mcp.ok('reset_clock')).to.include({ moved: false, offset_seconds: 0 });
      const [first, ...more] = await idp.audit('&event_type=clock_changed');
      expect(first).to.include({ endpoint: 'mcp:set_clock', method: 'MCP', username: 'mcp', status: 'success' });
      expect(more).to.have.length(4);
    } finally {
      await mcp.close();
      await idp.stop();
    }
  });

  verifies('TIM-31', 'say that there is no server when none shares the store', async () => {
    const mcp = await startMcp();
    try {
      for (const name of ['get_clock', 'set_clock', 'reset_clock']) {
        const answer = await mcp.client.callTool({ name, arguments: name === 'set_clock' ? { frozen: true } : {} });
        expect(answer.isError, name).to.equal(true);
        expect(JSON.stringify(answer.content), name).to.contain('no_server');
      }
    } finally {
      await mcp.stop();
    }
  });
});
