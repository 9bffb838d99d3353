// The workers on one schema. Each has a row that is valid while its proof of life is held (proof-of-life.ts). The next
// worker that reports deletes the rows of dead ones (PGS-29).
import * as z from 'zod';
import type { WorkerReport } from '#shared/model/domain/cluster.ts';
import { encode, encoded, orUndefined } from '../json-columns.ts';
import type { Cluster } from '../ports/cluster.ts';
import type { ConfigurationGenerations } from '../ports/configuration-generations.ts';
import type { PostgresDatabase } from './database.ts';
import type { Owners } from './proof-of-life.ts';
import { command, query } from './statement.ts';

const reportShape: z.ZodType<WorkerReport> = z.object({
  stack: z.string(),
  host: z.string(),
  version: z.string(),
  startedAt: z.number(),
  kind: z.string(),
  pid: z.number(),
  configuration: orUndefined(
    z.object({
      inForce: z.number(),
      behind: z.boolean(),
      failed: orUndefined(z.object({ generation: z.number(), reason: z.string() })),
    }),
  ),
  clockDistanceMilliseconds: orUndefined(z.number()),
});

// How the server shows a 64-bit advisory lock to every role. A check whether an owner is dead shares the lock for a
// moment.
const holdsLife = `l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND l.mode = 'ExclusiveLock'
  AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND (l.classid::bigint << 32) | l.objid::bigint = w.life`;

const sql = {
  report: command(
    `INSERT INTO workers (owner, life, report) VALUES (@owner, @life::bigint, @report)
     ON CONFLICT (owner) DO UPDATE SET report = excluded.report`,
  ),
  forgetDead: command(`DELETE FROM workers w WHERE NOT EXISTS (SELECT 1 FROM pg_locks l WHERE ${holdsLife})`),
  // Sessions belong to the worker whose application name they carry (PGS-39).
  living: query(
    `SELECT w.report, (SELECT count(*) FROM pg_stat_activity a WHERE a.application_name = life.application_name) AS sessions
     FROM workers w JOIN pg_locks l ON ${holdsLife} JOIN pg_stat_activity life ON life.pid = l.pid ORDER BY w.owner`,
    z.object({ report: encoded(reportShape), sessions: z.number() }),
  ),
};

/** Simultaneous reports of workers run in order. */
const lock = ['workers'];

interface ClusterParts {
  readonly database: PostgresDatabase;
  readonly schema: string;
  readonly owners: Owners;
  readonly generations: ConfigurationGenerations;
  /** Returns the distance from this machine's clock to the server's. undefined: not measured. */
  clockDistanceMilliseconds(): number | undefined;
}

export function clusterAdapter({
  database,
  schema,
  owners,
  generations,
  clockDistanceMilliseconds,
}: ClusterParts): Cluster {
  let lastReport: string | undefined;
  return {
    report: async (worker) => {
      // The name is new after its session was lost. The row of the previous name became invalid with the session.
      const owner = await owners.self();
      const report = encode({ ...worker, clockDistanceMilliseconds: clockDistanceMilliseconds() });
      if (lastReport === owner + report) return;
      const life = owners.lifeOf(owner);
      await database.write(lock, async (on) => {
        await sql.forgetDead.run(on, {});
        await sql.report.run(on, { owner, life, report });
      });
      lastReport = owner + report;
    },
    view: async () => {
      const generation = await generations.newest();
      const rows = await database.read((on) => sql.living.all(on, {}));
      return { schema, generation, workers: rows.map(({ report, sessions }) => ({ ...report, sessions })) };
    },
  };
}
