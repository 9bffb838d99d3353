// Two stacks of two OIDC front ends each and an editor's MCP worker share one store (SQLite or PostgreSQL) and one
// configuration. All of these run simultaneously: creates, deletes, promotions, resets, registrations, codes, refresh
// tokens, device codes, reloads, rotations and saves. At the end audit, files and store agree with the responses
// (test/support/storm/judge.ts). STORM_SECONDS sets the duration (60), SEED repeats the choices. A long storm is judged in
// rounds, because the audit stores 10 000 entries.
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import type { StoreLocation } from '#shared/model/runtime-store/store-location.ts';
import { connect, type McpConnection } from '#test/support/mcp-client.ts';
import { openTestStore } from '#test/support/open-test-store.ts';
import { openTestPostgres, type PostgresServer, postgresOrSkip } from '#test/support/postgres-server.ts';
import { type SeededRandom, seededRandom } from '#test/support/seeded-random.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { cliPath, type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { reload, rotate, saveFromEditor } from '#test/support/storm/configuration.ts';
import {
  countRegistrations,
  liveOneClient,
  liveOneUser,
  registerSeveral,
  resetAll,
} from '#test/support/storm/identities.ts';
import {
  auditOf,
  compareWithAnswers,
  declaredIn,
  expectNothingPending,
  objectsAt,
  replayed,
} from '#test/support/storm/judge.ts';
import { Ledger } from '#test/support/storm/ledger.ts';
import type { Storm } from '#test/support/storm/send-to-stacks.ts';
import { pollOneDevice, redeemOneCode, replayOneRefreshToken, useOneToken } from '#test/support/storm/tokens.ts';
import { verifies } from '#test/support/verifies.ts';

const seconds = Number(process.env.STORM_SECONDS ?? 60);
const rounds = Math.max(1, Math.round(seconds / 15));
const maxClients = 4;

const openLocation = (location: StoreLocation) =>
  location.kind === 'postgres' ? openTestPostgres(location) : openTestStore(location);

for (const engine of ['sqlite', 'postgres'] as const) {
  describe(`a storm on one ${engine} store`, () => {
    let shared: SharedRoot;
    let server: PostgresServer | undefined;
    let location: StoreLocation;
    let stacks: RunningIdp[] = [];
    let editor: McpConnection | undefined;
    const random: SeededRandom = seededRandom();
    const ledgers: Ledger[] = [];
    const declared = { users: new Set(['alice', 'bob']), clients: new Set(['web', 'post', 'spa']) };

    before(async function () {
      const { oauth, runtime } = sharedSettings;
      if (engine === 'postgres') server = await postgresOrSkip(this);
      const postgres = server && { store: engine, url: server.url(), schema: 'storm' };
      shared = makeSharedRoot({
        ...sharedSettings,
        runtime: postgres ?? runtime,
        // Keeps every key that a token may still need while it is verified.
        jwt: { max_previous_keys: 10 },
        oauth: { ...oauth, dynamic_registration: { enabled: true, max_clients: maxClients } },
      });
      location =
        postgres === undefined
          ? { kind: 'sqlite', path: shared.storePath }
          : { kind: 'postgres', url: postgres.url, schema: postgres.schema, poolSize: 4, directory: '' };
      const start = () => startIdp({ root: shared.root, args: ['--oidc-workers', '2'] });
      stacks = [await start(), await start()];
      const editorCommand = {
        command: process.execPath,
        args: [cliPath, 'mcp', '--config-dir', `${shared.root}/config`],
        env: { PATH: process.env.PATH ?? '' },
        stderr: 'ignore' as const,
      };
      editor = await connect(new StdioClientTransport(editorCommand));
    });
    after(async () => {
      await editor?.close();
      await Promise.all(stacks.map((stack) => stack.stop()));
      shared?.remove();
      await server?.stop();
    });

    /** All activities, each without a pause or with a pause in milliseconds. */
    const activities = (connection: McpConnection): readonly [(storm: Storm) => Promise<void>, number][] => [
      [liveOneUser, 0],
      [liveOneUser, 40],
      [liveOneClient, 60],
      [(storm) => registerSeveral(maxClients, storm), 50],
      [(storm) => countRegistrations(maxClients, storm), 20],
      [resetAll, 700],
      [redeemOneCode, 20],
      [replayOneRefreshToken, 20],
      [pollOneDevice, 30],
      [useOneToken, 20],
      [reload, 300],
      [rotate, 1_000],
      [(storm) => saveFromEditor(connection, storm), 100],
    ];

    async function rage(milliseconds: number, ledger: Ledger, connection: McpConnection): Promise<void> {
      const end = performance.now() + milliseconds;
      await Promise.all(
        activities(connection).map(async ([work, pauseMilliseconds]) => {
          const storm = { stacks, ledger, random: seededRandom(random.integer(0, 2 ** 31)) };
          while (performance.now() < end) {
            await work(storm);
            await new Promise((resolve) => setTimeout(resolve, pauseMilliseconds));
          }
        }),
      );
    }

    for (let round = 1; round <= rounds; round += 1) {
      verifies(
        ['STO-09', 'STO-11', 'STO-12', 'AUD-08', 'AUD-09', 'RUN-07', 'RUN-23', 'RUN-21', 'DCR-19', 'SUP-12', 'WRT-09'],
        `leaves audit, files and store in agreement (round ${round} of ${rounds})`,
        async function () {
          this.timeout(120_000 + (seconds / rounds) * 2_000);
          const [one, other] = stacks;
          if (one === undefined || other === undefined || editor === undefined) throw new Error('nothing was started');
          const ledger = new Ledger();
          ledgers.push(ledger);
          const before = await objectsAt(one);
          await fetch(`${one.baseUrl}/api/audit/clear`, { method: 'POST' });
          await rage((seconds / rounds) * 1000, ledger, editor);
          console.log(`      SEED=${random.seed} ${ledger.summary()}`);
          expect(ledger.faults).to.deep.equal([]);

          const entries = await auditOf(other);
          compareWithAnswers(entries, ledger);
          const left = replayed(before, entries, maxClients);
          expect(await objectsAt(one)).to.deep.equal(left);
          expect(await objectsAt(other)).to.deep.equal(left);
          await expectNothingPending(await openLocation(location), entries);

          for (const name of ledger.saved) declared.users.add(name);
          for (const object of ledger.promoted) {
            const [kind, name = ''] = object.split(' ');
            declared[kind === 'user' ? 'users' : 'clients'].add(name);
          }
          const found = declaredIn(shared.root);
          expect([...found.users].sort()).to.deep.equal([...declared.users].sort());
          expect([...found.clients].sort()).to.deep.equal([...declared.clients].sort());
        },
      );
    }

    it('includes every kind of activity', () => {
      const kinds = [
        'created',
        'deleted',
        'promoted',
        'resets',
        'registered',
        'unregistered',
        'rotated',
        'saved',
      ] as const;
      for (const kind of kinds) expect(ledgers.flatMap((ledger) => [...ledger[kind]]).length, kind).to.be.above(0);
      for (const kind of ['codes', 'refreshTokens', 'deviceCodes'] as const) {
        expect(Math.max(...ledgers.map(({ redeemed }) => redeemed[kind])), kind).to.be.above(0);
      }
      expect(Math.max(...ledgers.map(({ limited }) => limited))).to.be.above(0);
      expect(Math.max(...ledgers.map(({ reloads }) => reloads))).to.be.above(0);
    });
  });
}
