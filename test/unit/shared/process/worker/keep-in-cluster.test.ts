import { mock } from 'node:test';
import { expect } from 'chai';
import { keepInCluster } from '#shared/process/worker/keep-in-cluster.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { verifies } from '#test/support/verifies.ts';

describe('a process among others of its cluster', () => {
  beforeEach(() => mock.timers.enable({ apis: ['setInterval'] }));
  afterEach(() => mock.timers.reset());

  verifies('API-14', 'looks no more when it could not say that it is there', async () => {
    let reports = 0;
    const report = async () => {
      reports += 1;
      throw new Error('no such table');
    };
    // Who works on a copy of its own has no standing to tell.
    const configuration: ActiveConfiguration = Object.create(null);
    const cluster = { report, view: () => Promise.reject(new Error('not asked')) };
    const log = silentLogger();
    const kept = keepInCluster({
      cluster,
      configuration,
      ownCopy: true,
      kind: 'oidc',
      stack: undefined,
      startedAt: 0,
      log,
    });
    const refused: unknown = await kept.begin().catch((error: unknown) => error);
    expect(String(refused)).to.contain('no such table');
    mock.timers.tick(60_000);
    expect(reports).to.equal(1);
  });
});
