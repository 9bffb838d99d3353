// What becomes of the object and of the audit for every way in which writing the file can end.
import { expect } from 'chai';
import { promoteIdentity } from '#services/management/runtime-identities/promote-identity.ts';
import { clockAt, realTime } from '#shared/model/domain/movable-clock.ts';
import type { ActiveConfiguration, WriteOutcome } from '#shared/state/configuration/active-configuration.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import type { RuntimeIdentities } from '#shared/state/store/ports/index.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { at, event, eventTypes, userEntry } from '#test/contract/store-under-test.ts';
import { openTestStore } from '#test/support/open-test-store.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { until } from '#test/support/stack.ts';
import { verifies } from '#test/support/verifies.ts';

type Written = Awaited<ReturnType<ActiveConfiguration['write']>>;

describe('promoteIdentity', () => {
  let opened: OpenedStore;
  beforeEach(async () => {
    opened = await openTestStore({ kind: 'memory' });
    await opened.store.identities.createUser('zoe', userEntry(), at(0), event('runtime_identity_created'));
    await opened.audit.clear();
  });
  afterEach(() => opened.close());

  const unused = () => Promise.reject(new Error('not asked for here'));
  const configuration = (write: () => Promise<Written>, onDisk: readonly string[] = []): ActiveConfiguration => ({
    write: (_changes, options) => options?.lastLook?.().then(() => write()) ?? write(),
    isBehind: () => false,
    areFilesWritable: () => true,
    standing: () => ({ inForce: 1, behind: false, failed: undefined }),
    changedOnDisk: () => [],
    declaredNames: async () => ({
      users: new Set(onDisk),
      clients: new Set(),
      serviceProviders: new Set(),
      inForce: true,
    }),
    refreshed: unused,
    inForce: () => {
      throw new Error('not asked for here');
    },
    reload: unused,
    whileLocked: unused,
    onActivated: () => undefined,
    join: () => undefined,
    hooksReport: () => {
      throw new Error('not asked for here');
    },
    publishAuditEvent: () => undefined,
    close: async () => undefined,
  });
  const promote = (active: ActiveConfiguration, identities: RuntimeIdentities = opened.store.identities) =>
    promoteIdentity('user', 'zoe', event('runtime_identity_promoted'), {
      configuration: active,
      store: { identities },
      clock: clockAt(realTime),
      log: silentLogger(),
    });
  const state = async () => (await opened.store.identities.findUser('zoe'))?.promotion.state;

  const refusals: readonly [WriteOutcome, string][] = [
    [{ outcome: 'exists' }, 'declared'],
    [{ outcome: 'conflict' }, 'conflict'],
    [{ outcome: 'unloadable', message: 'users.yaml zoe' }, 'unloadable'],
    [{ outcome: 'lock_timeout' }, 'lock_unavailable'],
    [{ outcome: 'lock_unsupported' }, 'lock_unavailable'],
    [{ outcome: 'write_failed', message: 'no space' }, 'write_failed'],
  ];
  verifies(
    ['RUN-25', 'RUN-26'],
    'leaves the object free and the audit empty whenever nothing was written',
    async () => {
      for (const [written, outcome] of refusals) {
        expect((await promote(configuration(async () => written))).outcome).to.equal(outcome);
        expect(await state(), outcome).to.equal('free');
        expect(await eventTypes(opened.audit)).to.deep.equal([]);
      }
    },
  );

  verifies('CLU-20', 'claims nothing where the files cannot be written', async () => {
    const unwritable = { ...configuration(unused), areFilesWritable: () => false };
    const identities = { ...opened.store.identities, claimPromotion: unused };
    expect(await promote(unwritable, identities)).to.deep.equal({ outcome: 'not_writable' });
    expect([await state(), await eventTypes(opened.audit)]).to.deep.equal(['free', []]);
    // It stopped being so after it was asked.
    expect(await promote(configuration(async () => ({ outcome: 'not_writable' })))).to.deep.equal({
      outcome: 'not_writable',
    });
    expect([await state(), await eventTypes(opened.audit)]).to.deep.equal(['free', []]);
  });

  it('holds the claim while it writes', async () => {
    await promote(
      configuration(async () => {
        expect(await state()).to.equal('claimed');
        return { outcome: 'conflict' };
      }),
    );
  });

  it('retires the object with its one event once it is written and loaded', async () => {
    const revisions = { settings: '', users: '' };
    const promoted = await promote(configuration(async () => ({ outcome: 'written', revisions, hookError: 'hook' })));
    expect(promoted).to.deep.equal({ outcome: 'promoted', file: 'users.yaml', hookError: 'hook' });
    expect(await state()).to.equal(undefined);
    expect(await eventTypes(opened.audit)).to.deep.equal(['runtime_identity_promoted']);
  });

  verifies('RUN-27', 'keeps the object waiting for a load when it is written and could not be loaded', async () => {
    const revisions = { settings: '', users: '' };
    const failed = configuration(async () => ({ outcome: 'written', revisions, activationError: 'keys' }));
    expect(await promote(failed)).to.deep.equal({ outcome: 'reload_failed', message: 'keys' });
    expect(await state()).to.equal('written');
    expect(await eventTypes(opened.audit)).to.deep.equal([]);
    expect((await promote(failed)).outcome).to.equal('promotion_in_progress');
  });

  it('lets the file decide when writing ends in an unforeseen way', async () => {
    const broken = () => Promise.reject(new Error('unforeseen'));
    const failure = async (onDisk: readonly string[]) => {
      const error = await promote(configuration(broken, onDisk)).catch((thrown: Error) => thrown.message);
      return [error, await state()];
    };
    expect(await failure([])).to.deep.equal(['unforeseen', 'free']);
    expect(await failure(['zoe'])).to.deep.equal(['unforeseen', 'written']);
  });

  verifies(
    ['RUN-23', 'RUN-32'],
    'ends its claim by itself when the store was not available at the end, since nobody else may',
    async () => {
      const { identities } = opened.store;
      /** Not available for the first call, as after 5 s of a foreign lock. */
      const afterAWhile = <Done>(end: (claim: string) => Promise<Done>) => {
        let calls = 0;
        return async (claim: string): Promise<Done> => {
          calls += 1;
          if (calls === 1) throw new RuntimeStoreUnavailableError();
          return await end(claim);
        };
      };
      const locked: RuntimeIdentities = {
        ...identities,
        retirePromoted: afterAWhile(identities.retirePromoted),
        releaseClaim: afterAWhile(identities.releaseClaim),
        noteWritten: afterAWhile(identities.noteWritten),
      };
      const revisions = { settings: '', users: '' };
      const endings: readonly [Written, string | undefined][] = [
        [{ outcome: 'conflict' }, 'free'],
        [{ outcome: 'written', revisions }, undefined],
      ];
      for (const [written, settled] of endings) {
        const error = await promote(
          configuration(async () => written),
          locked,
        ).catch((thrown: unknown) => thrown);
        expect(error).to.be.instanceOf(RuntimeStoreUnavailableError);
        expect(await state()).to.equal('claimed');
        await until(`the object is ${settled}`, async () => (await state()) === settled);
      }
      expect(await eventTypes(opened.audit)).to.deep.equal(['runtime_identity_promoted']);
    },
  );
});
