// What save_config leaves on disk where a file is missing, and whom it says that this reaches.
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { startMcp } from '#test/support/mcp-client.ts';
import { verifies } from '#test/support/verifies.ts';

const settings = 'oauth:\n  clients:\n    - client_id: web\n      client_secret: web-secret\n';
const users = 'users:\n  # the first one\n  alice:\n    password: wonderland\n';
const revisionOf = (text: string) => createHash('sha256').update(text).digest('hex');

describe('save_config and the files', () => {
  verifies('MCP-41', 'writes out what applies without files, also when nothing was changed', async () => {
    const mcp = await startMcp({ settings: null, users: null });
    try {
      const saved = await mcp.ok('save_config');
      expect(saved.message).to.equal(
        'The copy was written to both files. A running server uses it after its own reload.',
      );
      expect(saved.users_revision).to.equal(revisionOf(mcp.file('users.yaml')));
      expect(saved.settings_revision).to.equal(revisionOf(mcp.file('settings.yaml')));
      expect(Object.keys(parse(mcp.file('users.yaml')).users)).to.deep.equal(['admin']);
      const { clients } = parse(mcp.file('settings.yaml')).oauth;
      expect(clients).to.deep.equal([{ client_id: 'demo-client', client_secret: 'demo-secret' }]);
      expect(await mcp.ok('reload_config')).to.include({ users_revision: saved.users_revision });
      expect(await mcp.ok('save_config', { expected_users_revision: saved.users_revision })).to.include({
        success: true,
        users_revision: saved.users_revision,
      });
    } finally {
      await mcp.stop();
    }
  });

  verifies(
    ['WRT-05', 'MCP-42', 'MCP-44'],
    'writes a file anew that is gone, where its revision is given as that of no bytes',
    async () => {
      const mcp = await startMcp({ settings, users });
      try {
        const { users_revision } = await mcp.ok('list_users');
        await mcp.ok('create_user', { username: 'bob', password: 'b' });
        rmSync(join(mcp.configDirectory, 'users.yaml'));
        const refused = await mcp.call('save_config', { expected_users_revision: users_revision });
        expect(refused.result).to.include({ success: false, kind: 'conflict' });
        const saved = await mcp.ok('save_config', { expected_users_revision: revisionOf('') });
        expect(saved.users_revision).to.equal(revisionOf(mcp.file('users.yaml')));
        expect(mcp.file('users.yaml')).to.include('# the first one');
        expect(Object.keys(parse(mcp.file('users.yaml')).users)).to.deep.equal(['alice', 'bob']);
        expect(mcp.file('settings.yaml')).to.equal(settings);
      } finally {
        await mcp.stop();
      }
    },
  );

  verifies('MCP-06', 'says that a server on the shared store sees it at once', async () => {
    const shared = `${settings}runtime:\n  store: sqlite\n  path: ../runtime.db\n`;
    const mcp = await startMcp({ settings: shared, users });
    try {
      await mcp.ok('create_user', { username: 'bob', password: 'b' });
      const { message } = await mcp.ok('save_config');
      expect(message).to.match(/on the shared store uses it from its next operation/);
    } finally {
      await mcp.stop();
    }
  });
});
