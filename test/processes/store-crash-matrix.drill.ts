// The crash matrix of runtime state: a process is killed right after each step of a promotion, a registration, a removal
// and a reset, including the steps of writing the file and of delivering the event. The next two processes, started
// together, find exactly one of the two allowed outcomes and record it once. configuration-writer-dies.drill.ts covers
// saves, and keys-among-processes.drill.ts rotations.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';
import { type OpenedServices, openProcessServices } from '#shared/process/worker/open-process-services.ts';
import { writeSteps } from '#shared/state/configuration/write/write-steps.ts';
import { type StoreStep, storeSteps } from '#shared/state/store/store-steps.ts';
import { at, event, userEntry } from '#test/contract/store-under-test.ts';
import { openTestStore } from '#test/support/open-test-store.ts';
import { runScript } from '#test/support/run-script.ts';
import { makeSharedRoot, type SharedRoot } from '#test/support/shared-root.ts';
import { verifies } from '#test/support/verifies.ts';

/** From the commit of a change with its event to the end of the delivery. */
const delivery = ['event_in_outbox', 'change_committed', 'event_taken', 'event_in_audit', 'event_delivered'] as const;

const stepsOf = {
  promote: ['promotion_claimed', ...writeSteps, 'promoted_object_removed', ...delivery],
  register: ['registration_slot_found', 'registration_written', ...delivery],
  remove: delivery,
  reset: delivery,
} as const satisfies Readonly<Record<string, readonly string[]>>;
type Task = keyof typeof stepsOf;

interface Scene extends SharedRoot {
  readonly signal: string | null;
}

describe('a process killed during a change of runtime state', function () {
  this.timeout(600_000);
  const scenes = new Map<string, Scene>();

  before(async () => {
    const wanted = (Object.keys(stepsOf) as Task[]).flatMap((task) => stepsOf[task].map((step) => ({ task, step })));
    const prepare = async (): Promise<void> => {
      for (let next = wanted.shift(); next !== undefined; next = wanted.shift()) {
        const { task, step } = next;
        const shared = makeSharedRoot();
        const { store, close } = await openTestStore({ kind: 'sqlite', path: shared.storePath });
        const created = event('runtime_identity_created', { details: { name: 'zoe' } });
        await store.identities.createUser('zoe', userEntry(), at(0), created);
        await close();
        const { signal, log } = await runScript('store/die-at.ts', [shared.root, task, step]);
        scenes.set(`${task} ${step}`, { ...shared, signal });
        if (log !== '') console.log(`      ${task} ${step}: ${log}`);
      }
    };
    // The locks of the killed processes become stale in parallel.
    await Promise.all([prepare(), prepare()]);
  });
  after(() => {
    for (const scene of scenes.values()) scene.remove();
  });

  /** A starting process: it delivers, loads and settles. Both share the key directory. */
  const boot = ({ root }: Scene): Promise<OpenedServices> => {
    const unused = () => {
      throw new Error('not asked for here');
    };
    return openProcessServices({
      name: 'oidc',
      start: { configDirectory: join(root, 'config'), runBeforeLoadHook: false, logLevel: 'ERROR' },
      declare: () => undefined,
      listen: unused,
      opened: () => undefined,
      stop: unused,
      giveUp: unused,
    });
  };

  /** What the next two processes, started together, and the one after them find. */
  async function recovered(task: Task, step: string) {
    const scene = scenes.get(`${task} ${step}`);
    if (scene === undefined) throw new Error(`no scene for ${task} ${step}.`);
    expect(scene.signal, 'the step was reached').to.equal('SIGKILL');
    const next = await Promise.all([boot(scene), boot(scene)]);
    await Promise.all(next.map(({ close }) => close()));
    const { services, close } = await boot(scene);
    const users: object = parse(readFileSync(join(scene.root, 'config', 'users.yaml'), 'utf8')).users;
    const entries = await services.audit.read({ limit: -1 });
    const found = {
      user: (await services.store.identities.findUser('zoe'))?.promotion.state,
      client: (await services.store.identities.findClient('dcr-1'))?.registration?.accessTokenHash,
      isDeclared: 'zoe' in users && services.configuration.inForce().users.has('zoe'),
      events: entries.map(wordOf),
    };
    await close();
    return found;
  }

  const wordOf = ({ event_type, details }: AuditEntry): string =>
    details.outcome === undefined ? event_type : `${event_type} ${details.outcome}`;

  /** Steps of a promotion after which the file contains the entry. */
  const written: readonly string[] = writeSteps.slice(writeSteps.indexOf('file_renamed'));
  const isCommitted = (step: string) => delivery.indexOf(step as (typeof delivery)[number]) >= 1;

  for (const step of stepsOf.promote) {
    const isInFile = written.includes(step) || step === 'promoted_object_removed' || step === 'event_in_outbox';
    const [outcome, expected] = isCommitted(step)
      ? ['promoted', { user: undefined, isDeclared: true, events: ['runtime_identity_promoted'] }]
      : isInFile
        ? [
            'recovered as declared',
            { user: undefined, isDeclared: true, events: ['runtime_identity_promotion_recovered declared'] },
          ]
        : [
            'recovered as runtime',
            { user: 'free', isDeclared: false, events: ['runtime_identity_promotion_recovered runtime'] },
          ];
    verifies(
      ['RUN-30', 'RUN-31', 'RUN-23', 'STO-14', 'AUD-10'],
      `leaves a promotion ${outcome} right after "${step}"`,
      async () => {
        expect(await recovered('promote', step)).to.deep.equal({
          ...expected,
          client: undefined,
          events: ['runtime_identity_created', ...expected.events],
        });
      },
    );
  }

  for (const step of stepsOf.register) {
    const outcome = isCommitted(step) ? 'the registration with its event' : 'nothing';
    verifies(['STO-14', 'AUD-10'], `leaves ${outcome} right after "${step}" of a registration`, async () => {
      const { client, events } = await recovered('register', step);
      expect([client, ...events]).to.deep.equal(
        isCommitted(step)
          ? ['hash', 'runtime_identity_created', 'client_registered']
          : [undefined, 'runtime_identity_created'],
      );
    });
  }

  for (const [task, type] of [
    ['remove', 'runtime_identity_deleted'],
    ['reset', 'runtime_identities_reset'],
  ] as const) {
    for (const step of stepsOf[task]) {
      const outcome = isCommitted(step) ? 'the change with its event' : 'everything as it was';
      verifies(['STO-14', 'AUD-10'], `leaves ${outcome} right after "${step}" of a ${task}`, async () => {
        const { user, events } = await recovered(task, step);
        expect([user, ...events]).to.deep.equal(
          isCommitted(step) ? [undefined, 'runtime_identity_created', type] : ['free', 'runtime_identity_created'],
        );
      });
    }
  }

  it('has a test for each existing step', () => {
    const tried: readonly string[] = Object.values(stepsOf).flat();
    expect(storeSteps.filter((step: StoreStep) => !tried.includes(step))).to.deep.equal([]);
    expect(writeSteps.filter((step) => !tried.includes(step))).to.deep.equal([]);
  });
});
