// The tools for sessions and consents: what /api/sessions and /api/consents do, for a running stack and its sandboxes.
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, redeem } from '#test/support/authorization-flow.ts';
import { connectHttp } from '#test/support/mcp-client.ts';
import { startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

describe('the session tools', () => {
  verifies('SSO-44', 'do what /api/sessions and /api/consents do', async () => {
    const settings = { ...demoSettings, login: { session: 'on', consent: 'first' } };
    const idp = await startIdp({ settings, args: ['--mcp-port', '0'] });
    const mcp = await connectHttp(idp.mcpUrl ?? '');
    try {
      const browser = newBrowser(idp);
      const page = await browser.get(authorizePath({ scope: 'openid' }));
      const asked = await browser.submit(page, { username: 'alice', password: 'wonderland' });
      await redeem(idp, codeOf(await browser.submit(asked, { consent: 'allow' })));
      const listed = await mcp.ok('list_sessions');
      expect(listed).to.deep.equal((await idp.api('GET', '/api/sessions')).body);
      expect(listed.count).to.equal(1);
      expect(await mcp.ok('list_sessions', { username: 'bob' })).to.deep.equal({ sessions: [], count: 0 });
      expect(await mcp.ok('list_consents')).to.deep.equal((await idp.api('GET', '/api/consents')).body);
      expect((await idp.api('POST', '/api/sandboxes', { name: 'box' })).status).to.equal(201);
      for (const tool of ['list_sessions', 'list_consents']) {
        expect(await mcp.ok(tool, { sandbox: 'box' })).to.include({ count: 0 });
      }
      expect(await mcp.ok('end_session', { sandbox: 'box' })).to.include({ ended: 0 });
      const unknown = await mcp.client.callTool({ name: 'end_session', arguments: { sid: 'nothing' } });
      expect([unknown.isError, JSON.stringify(unknown.content)]).to.satisfy(
        ([isError, text]: [boolean, string]) => isError && text.includes('not_found'),
      );
      const misspelt = await mcp.call('end_session', { user: 'bob' });
      expect(misspelt.result).to.deep.equal({
        success: false,
        error: 'Unknown field "user". Known: sid, username, client_id, sandbox.',
        kind: 'unknown_argument',
      });
      expect((await mcp.call('delete_consents', { client: 'spa' })).result).to.include({ kind: 'unknown_argument' });
      expect(await mcp.ok('list_consents')).to.include({ count: 1 });
      expect(await mcp.ok('end_session', { username: 'alice' })).to.include({ success: true, ended: 1 });
      expect(await mcp.ok('delete_consents', { client_id: 'web' })).to.deep.equal({ success: true, deleted: 1 });
      expect((await idp.api('GET', '/api/sessions')).body.count).to.equal(0);
      const events = (await idp.audit()).filter(({ endpoint }) => endpoint === 'mcp:end_session');
      expect(events.map(({ event_type }) => event_type)).to.include('session_ended');
    } finally {
      await mcp.close();
      await idp.stop();
    }
  });
});
