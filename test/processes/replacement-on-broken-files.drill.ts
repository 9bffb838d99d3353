// Workers of every kind die while the files on disk do not load: each replacement goes on with the configuration that was
// accepted before, the stack lives, and mended files count again from the next reload, or at once with the shared store.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { apiClient } from '#test/support/management-api.ts';
import { connectHttp } from '#test/support/mcp-client.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { killWorker, until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings, demoUsers } from '#test/support/worlds.ts';

const broken = 'users: [';

for (const [store, settings] of Object.entries({ memory: demoSettings, sqlite: sharedSettings })) {
  describe(`a stack with the ${store} store whose files are broken`, () => {
    let root: SharedRoot;
    let idp: RunningIdp;
    before(async () => {
      root = makeSharedRoot(settings);
      idp = await startIdp({ root: root.root });
      root.writeSettings('oauth: [');
      root.writeUsers(broken);
    });
    after(async () => {
      await idp.stop();
      root.remove();
    });

    const usernames = async () => {
      const { body } = await apiClient(idp)('GET', '/api/users');
      return body.users.map(({ username }: { username: string }) => username);
    };
    const usersOfMcp = async () => {
      const mcp = await connectHttp(idp.mcpUrl ?? '');
      try {
        return (await mcp.ok('list_users')).count;
      } finally {
        await mcp.close();
      }
    };

    verifies(['SUP-06', 'STO-20'], 'gets an OIDC frontend that serves what its predecessor did', async () => {
      await killWorker(idp, 'oidc');
      expect(await usernames()).to.deep.equal(['alice', 'bob']);
    });

    verifies(['SUP-06', 'STO-20'], 'gets a SAML frontend that serves what its predecessor did', async () => {
      await killWorker(idp, 'saml');
      // On a busy machine the replacement may take longer than a request waits for it (SUP-03).
      const answer = await until('the SAML frontend was replaced', async () => {
        const answered = await fetch(`${idp.baseUrl}/saml/metadata`);
        return answered.status !== 503 && answered;
      });
      expect([answer.status, (await answer.text()).includes(`entityID="${idp.baseUrl}/saml"`)]).to.deep.equal([
        200,
        true,
      ]);
    });

    verifies(
      ['SUP-15', 'SUP-06'],
      'gets an MCP worker that has the accepted configuration, and saves over the files where nobody names a revision',
      async () => {
        await killWorker(idp, 'mcp');
        expect(await usersOfMcp()).to.equal(2);
        const mcp = await connectHttp(idp.mcpUrl ?? '');
        await mcp.ok('create_user', { username: 'eve', password: 'x' });
        const revision = '0'.repeat(64);
        const refused = await mcp.call('save_config', { expected_users_revision: revision });
        expect([refused.isError, refused.result.kind]).to.deep.equal([true, 'conflict']);
        expect(readFileSync(join(idp.configDirectory, 'users.yaml'), 'utf8')).to.equal(broken);
        await mcp.ok('save_config');
        expect(readFileSync(join(idp.configDirectory, 'users.yaml'), 'utf8')).to.contain('eve');
        expect(readFileSync(join(idp.configDirectory, 'users.yaml.bak'), 'utf8')).to.equal(broken);
        root.writeUsers(broken);
        const reloaded = await mcp.call('reload_config');
        expect([reloaded.isError, reloaded.result.kind]).to.deep.equal([true, 'invalid']);
        await mcp.close();
        expect(idp.log()).to.match(/users\.yaml:1:.* The previously accepted configuration stays active/);
        expect(idp.log()).to.not.match(/ended \(exit code/);
      },
    );

    verifies(['SUP-06', 'STO-18'], 'takes mended files up again, in every worker', async () => {
      root.writeSettings(settings);
      root.writeUsers({ users: { ...demoUsers.users, mended: {} } });
      if (store === 'memory') {
        expect(await usernames()).to.deep.equal(['alice', 'bob']);
        expect((await apiClient(idp)('POST', '/api/config/reload')).status).to.equal(200);
      }
      expect(await usernames()).to.deep.equal(['alice', 'bob', 'mended']);
      const mcp = await connectHttp(idp.mcpUrl ?? '');
      await mcp.ok('reload_config');
      await mcp.close();
      expect(await usersOfMcp()).to.equal(3);
    });
  });
}
