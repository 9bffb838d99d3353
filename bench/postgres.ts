// What PostgreSQL costs beside SQLite, on the same cores (CLU-27), and what a second machine on it gives (CLU-28): programs
// that run at the same time, loaded in turns.
import { rmSync } from 'node:fs';
import { z } from 'zod';
import { type PostgresServer, postgresOrSkip } from '#test/support/postgres-server.ts';
import type { Contest, Prepared } from './contest.ts';
import { contests } from './contests/index.ts';
import { load } from './http-load.ts';
import { inTurns, share } from './in-turns.ts';
import { all, connections, longSeconds, type Measured, measuredLoad, warmUp } from './measured-load.ts';
import { median } from './median.ts';
import { prepareDirectory, programsOn } from './programs.ts';
import type { StartedProgram } from './started-program.ts';

interface PostgresBench {
  /** Pairs of loads. */
  readonly rounds: number;
  readonly print: (line: string) => void;
}

/** The least share of its rate with SQLite that may be left. */
const shares = [
  ['tokens', 0.6],
  ['refresh', 0.45],
  ['code', 0.45],
] as const;
const p99TimesMax = 3;
const twoStacksLeast = 0.95;

interface Started {
  readonly program: StartedProgram;
  end(): Promise<void>;
}

interface Loaded {
  readonly program: StartedProgram;
  readonly prepared: Prepared;
}

/** Without a server on this machine it says so and measures nothing. */
export async function benchPostgres({ rounds, print }: PostgresBench): Promise<void> {
  const server = await serverHere();
  if (server === undefined) return;
  try {
    print('\na stack on PostgreSQL, and one on SQLite, in turns:');
    for (const [name, least] of shares) {
      const contest = contests[name];
      if (contest === undefined) throw new Error(`there is no contest ${name}`);
      await besideSqlite(contest, { server, name, least, rounds, print });
    }
    await besideTwoFrontends({ server, rounds, print });
  } finally {
    await server.stop();
  }
}

/** Commits reach the disk, as they do at a server that is nobody's test. */
async function serverHere(): Promise<PostgresServer | undefined> {
  const missing = new Error('no server');
  const context = {
    skip: (): never => {
      throw missing;
    },
  };
  try {
    return await postgresOrSkip(context, { settings: ['fsync=on'] });
  } catch (error) {
    if (error === missing) return undefined;
    throw error;
  }
}

interface Place {
  readonly server: PostgresServer;
  readonly rounds: number;
  readonly print: (line: string) => void;
}

async function besideSqlite(
  { ours }: Contest,
  { server, name, least, rounds, print }: Place & { readonly name: string; readonly least: number },
): Promise<void> {
  const started: Started[] = [];
  try {
    for (const runtime of [onPostgres(server, `beside_${name}`), onSqlite]) started.push(await start(runtime));
    const [one, other] = await Promise.all(started.map((each) => prepared(ours, each)));
    if (one === undefined || other === undefined) throw new Error('two were started');
    const loaded = { postgres: one, sqlite: other };
    const { postgres, sqlite } = await inTurns(rounds, {
      postgres: () => measure(loaded.postgres),
      sqlite: () => measure(loaded.sqlite),
    });
    const middle = (of: readonly Measured[]) =>
      `${median(all(of, 'rate')).toFixed(0)}/s, p99 ${median(all(of, 'p99')).toFixed(1)} ms`;
    const shareText = (what: 'rate' | 'p99') => share(all(postgres, what), all(sqlite, what));
    print(`  ${name.padEnd(8)} ${middle(postgres)}; SQLite ${middle(sqlite)}`);
    print(`  ${''.padEnd(8)} rate ${shareText('rate')}, at least ${least.toFixed(2)}`);
    print(`  ${''.padEnd(8)} p99 ${shareText('p99')}, at most ${p99TimesMax}`);
    print(`  ${''.padEnd(8)} one of them: ${await costOf(one, server)}`);
  } finally {
    for (const each of started) await each.end();
  }
}

/** What one operation under load leaves to do for PostgreSQL; the table of docs/scale.md (CLU-31). */
async function costOf({ program, prepared: { request } }: Loaded, server: PostgresServer): Promise<string> {
  const before = await counters(server);
  const { answered } = await load({ ...program, request, connections, seconds: longSeconds, warmUpSeconds: 0 });
  const after = await counters(server);
  const each = (what: keyof typeof before, digits: number) => ((after[what] - before[what]) / answered).toFixed(digits);
  return `${each('commits', 2)} commits that write, ${each('bytes', 0)} bytes of log; ${after.sessions} sessions of a stack`;
}

const countersModel = z.tuple([
  z.object({ commits: z.coerce.number(), bytes: z.coerce.number(), sessions: z.coerce.number() }),
]);

async function counters(server: PostgresServer) {
  const [row] = countersModel.parse(
    await server.ask(`SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS commits,
      pg_current_wal_lsn() - '0/0' AS bytes,
      (SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'test-idp%') AS sessions`),
  );
  return row;
}

/** Two machines, each with a directory of its own, loaded together: their rates are added. */
async function besideTwoFrontends({ server, rounds, print }: Place): Promise<void> {
  const ours = contests.tokens?.ours;
  if (ours === undefined) throw new Error('there is no contest tokens');
  const started: Started[] = [];
  try {
    for (const [schema, ...further] of [['stacks'], ['stacks'], ['frontends', '--oidc-workers', '2']] as const) {
      started.push(await start(onPostgres(server, `two_${schema}`), ...further));
    }
    const [one, other, frontends] = await Promise.all(started.map((each) => prepared(ours, each)));
    if (one === undefined || other === undefined || frontends === undefined) throw new Error('three were started');
    const loaded = { stacks: [one, other], frontends: [frontends, frontends] };
    const rateOf = (turn: keyof typeof loaded) => async () => {
      const measured = await Promise.all(loaded[turn].map(measure));
      return measured.reduce((sum, { rate }) => sum + rate, 0);
    };
    const rates = await inTurns(rounds, { stacks: rateOf('stacks'), frontends: rateOf('frontends') });
    const rate = (turn: keyof typeof loaded) => `${median(rates[turn]).toFixed(0)}/s`;
    print('\ntwo stacks on one PostgreSQL, and one stack with two OIDC workers there, in turns:');
    print(
      `  ${rate('stacks')}, ${rate('frontends')}: ${share(rates.stacks, rates.frontends)}, at least ${twoStacksLeast}`,
    );
  } finally {
    for (const each of started) await each.end();
  }
}

const onPostgres = (server: PostgresServer, schema: string) => ({ store: 'postgres', url: server.url(), schema });
const onSqlite = { store: 'sqlite', path: '../runtime.sqlite' } as const;

/** Started in a directory of its own. */
async function start(runtime: Readonly<Record<string, string>>, ...further: string[]): Promise<Started> {
  const directory = prepareDirectory({ runtime });
  const remove = () => rmSync(directory, { recursive: true, force: true });
  try {
    const program = await programsOn(directory).ours(...further);
    return { program, end: () => program.stop().finally(remove) };
  } catch (error) {
    remove();
    throw error;
  }
}

async function prepared(ours: Contest['ours'], { program }: Started): Promise<Loaded> {
  const prepared = await ours.prepare(program);
  await warmUp({ program, request: prepared.request });
  return { program, prepared };
}

async function measure({ program, prepared: { request, check } }: Loaded): Promise<Measured> {
  const measured = await measuredLoad({ program, request }, longSeconds);
  for (const sample of measured.samples) await check(sample);
  return measured;
}
