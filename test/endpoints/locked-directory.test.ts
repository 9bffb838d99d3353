// The responses while another process keeps a directory locked longer than any wait. All cases share the same ten seconds:
// each has its own program, and all requests start together.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemStopwatch } from '#shared/base/clock.ts';
import { acquireDirectoryLock } from '#shared/base/locking/directory-lock.ts';
import { type ApiAnswer, type ApiClient, apiClient } from '#test/support/management-api.ts';
import { type StdioMcp, startMcp, type ToolAnswer } from '#test/support/mcp-client.ts';
import { sentences } from '#test/support/sentences.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a directory that stays locked', function () {
  this.timeout(60_000);
  let promoting: RunningIdp;
  let reloading: RunningIdp;
  let saving: StdioMcp;
  let validating: StdioMcp;
  let rereading: StdioMcp;

  let promotion: ApiAnswer;
  let reload: ApiAnswer;
  let rotation: ApiAnswer;
  let save: ToolAnswer;
  let verdict: ToolAnswer;
  let reread: ToolAnswer;
  /** The two files and the key set before the requests, and while they were answered. */
  let untouched: readonly string[];
  let meanwhile: readonly string[];

  const usersOf = ({ configDirectory }: { configDirectory: string }) =>
    readFileSync(join(configDirectory, 'users.yaml'), 'utf8');
  const seen = async () => [
    usersOf(promoting),
    usersOf(saving),
    JSON.stringify((await api(promoting)('GET', '/api/keys/info')).body),
  ];
  const api = (idp: RunningIdp): ApiClient => apiClient(idp);

  before(async () => {
    [promoting, reloading] = await Promise.all([startIdp({ command: 'oidc' }), startIdp({ command: 'oidc' })]);
    [saving, validating, rereading] = await Promise.all([startMcp(), startMcp(), startMcp()]);
    await api(promoting)('POST', '/api/runtime/users', { username: 'waiting' });
    await saving.ok('create_user', { username: 'waiting', password: 'w' });
    untouched = await seen();

    const directories = [promoting, reloading, saving, validating, rereading].map((each) => each.configDirectory);
    const locks = await Promise.all(
      [...directories, join(promoting.root, 'keys')].map((each) =>
        acquireDirectoryLock(each, { stopwatch: systemStopwatch }),
      ),
    );
    try {
      [promotion, reload, rotation, save, verdict, reread] = await Promise.all([
        api(promoting)('POST', '/api/runtime/users/waiting/promote'),
        api(reloading)('POST', '/api/config/reload'),
        api(promoting)('POST', '/api/keys/rotate'),
        saving.call('save_config'),
        validating.call('validate_config'),
        rereading.call('reload_config'),
      ]);
      meanwhile = await seen();
    } finally {
      await Promise.all(locks.map((lock) => lock.release()));
    }
  });
  after(() => Promise.all([promoting, reloading, saving, validating, rereading].map((each) => each?.stop())));

  verifies(['RUN-26', 'MCP-45', 'KEY-23'], 'is left unchanged', () => {
    expect(meanwhile).to.deep.equal(untouched);
  });

  verifies('RUN-26', 'fails a promotion with lock_unavailable, and the object can be promoted later', async () => {
    expect([promotion.status, promotion.body.kind]).to.deep.equal([503, 'lock_unavailable']);
    const again = await api(promoting)('POST', '/api/runtime/users/waiting/promote');
    expect(again.status).to.equal(200);
    expect(usersOf(promoting)).to.include('waiting:');
  });

  verifies('ACT-10', 'fails a reload with configuration_unavailable', async () => {
    expect([reload.status, reload.headers.get('retry-after')]).to.deep.equal([503, '1']);
    expect(reload.body).to.include({ error: 'configuration_unavailable', kind: 'lock_timeout' });
    expect((await api(reloading)('POST', '/api/config/reload')).status).to.equal(200);
  });

  verifies(['KEY-22', 'KEY-23'], 'fails a rotation with 503 and Retry-After', async () => {
    expect([rotation.status, rotation.headers.get('retry-after')]).to.deep.equal([503, '5']);
    expect(rotation.body).to.deep.equal({
      success: false,
      error: sentences.keysDirectoryLocked,
      kind: 'lock_timeout',
    });
    expect((await api(promoting)('POST', '/api/keys/rotate')).status).to.equal(200);
  });

  verifies('MCP-45', 'fails save_config with lock_timeout, and the copy can be saved later', async () => {
    expect(save.isError).to.equal(true);
    expect(save.result).to.include({ success: false, kind: 'lock_timeout' });
    await saving.ok('save_config');
    expect(usersOf(saving)).to.include('waiting:');
  });

  verifies('MCP-48', 'leaves validate_config without a verdict', () => {
    expect(verdict.isError).to.equal(true);
    expect(verdict.result).to.deep.equal({
      config_dir: validating.configDirectory,
      status: 'unavailable',
      error: 'The configuration directory cannot be read, so nothing was validated.',
      kind: 'configuration_unavailable',
    });
  });

  verifies('MCP-15', 'fails reload_config with a retryable error', () => {
    expect(reread.result).to.include({
      code: 'MCP_CONFIGURATION_UNAVAILABLE',
      tool: 'reload_config',
      retryable: true,
    });
  });
});
