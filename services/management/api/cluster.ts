// GET /api/cluster: the stacks on one PostgreSQL, with the status that each reports and the database's knowledge of
// which are alive (CLU-25).
import * as z from 'zod';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { apiError, type Route } from '#shared/engine/exchange/route.ts';
import { type StackView, stacksOf } from '#shared/model/domain/cluster.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';

const standingModel = z.strictObject({
  in_force: z.int().describe('The active generation.'),
  behind: z.boolean().describe('The files on its machine differ from the active generation.'),
  failed: z
    .strictObject({ generation: z.int(), reason: z.string() })
    .nullable()
    .describe('A newer generation that could not be activated on its machine.'),
});

const clusterModel = z
  .strictObject({
    store: z.literal('postgres'),
    schema: z.string(),
    generation: z.int().describe('The newest declared configuration.'),
    stacks: z.array(
      z.strictObject({
        id: z.string(),
        host: z.string(),
        version: z.string(),
        started_at: z.iso.datetime(),
        workers: z.array(z.strictObject({ kind: z.string(), pid: z.int() })),
        sessions: z.int().describe('Connections to the database.'),
        configuration: standingModel
          .nullable()
          .describe('State of the worker that is furthest behind. null for an MCP server that runs alone.'),
        clock_distance_ms: z
          .number()
          .nullable()
          .describe('Difference between its machine’s clock and the database’s. null: not measured.'),
      }),
    ),
  })
  .meta({ id: 'Cluster' });

export const clusterApiRoutes: readonly Route[] = [
  {
    path: '/api/cluster',
    audience: 'api',
    methods: { GET: showCluster },
    operations: {
      GET: {
        id: 'showCluster',
        summary:
          'Lists the stacks that share a PostgreSQL store, with their workers, sessions, configuration and clock.',
        answers: { 200: clusterModel },
        refusals: [managementRefusals.store_on_one_machine],
      },
    },
    inSandbox: false,
  },
];

async function showCluster(_request: ParsedRequest, { cluster, snapshot }: ManagementContext): Promise<Reply> {
  const { store } = snapshot.settings.runtime;
  if (cluster === undefined) throw apiError(managementRefusals.store_on_one_machine, { store });
  const { schema, generation, workers } = await cluster.view();
  return json(200, { store, schema, generation, stacks: stacksOf(workers).map(shown) });
}

function shown({ id, host, version, startedAt, workers, sessions, configuration, ...clock }: StackView) {
  return {
    ...{ id, host, version, workers, sessions },
    started_at: new Date(startedAt).toISOString(),
    configuration:
      configuration === undefined
        ? null
        : {
            in_force: configuration.inForce,
            behind: configuration.behind,
            failed: configuration.failed ?? null,
          },
    clock_distance_ms: clock.clockDistanceMilliseconds ?? null,
  };
}
