// GET /health and GET /api/health report that the process is running (RST-01). They wait for neither files nor store
// (STO-18), and report a moved clock (TIM-25). GET /health/ready reports whether the process can do its work, and what
// prevents it (CLU-26). Served by the front end, and by a SAML worker that runs alone (CLI-05).
import * as z from 'zod';
import { describeClock } from '#shared/model/domain/movable-clock.ts';
import type { FailingPart } from '#shared/state/store/ports/index.ts';
import type { Operation } from './operation.ts';
import { json } from './reply.ts';
import type { Endpoint } from './request.ts';
import type { Route } from './route.ts';

const health: Endpoint = async (_request, { clock: { state, real } }) => {
  const { now, offset_seconds, frozen, moved } = describeClock(state, real());
  return json(200, moved ? { status: 'ok', clock: { now, offset_seconds, frozen } } : { status: 'ok' });
};

const ready: Endpoint = async (_request, { store }) => {
  const troubles = await store.condition.troubles();
  if (troubles.length === 0) return json(200, { status: 'ready' });
  const reasons = troubles.map(({ part, trouble }) => sentences[trouble](part));
  return json(503, { status: 'unavailable', reasons }, { 'Retry-After': '1' });
};

const sentences: Readonly<Record<FailingPart['trouble'], (part: FailingPart['part']) => string>> = {
  busy: (part) => `Another process has locked the ${part}.`,
  full: (part) => `The ${part} is full. ${remedies[part]}.`,
  unusable: (part) => `The ${part} is not writable: its disk is read-only, broken or missing.`,
  replaced: (part) => `The files of the ${part} were deleted or replaced during use. Restart the server.`,
  unreachable: (part) => `The ${part} does not respond: its PostgreSQL server is unreachable or rejects writes.`,
  refused: (part) => `The PostgreSQL server rejects the ${part}. The server log has the cause.`,
};

const remedies: Readonly<Record<FailingPart['part'], string>> = {
  'runtime store': 'Delete runtime objects (DELETE /api/runtime), or free disk space',
  audit: 'Clear it (POST /api/audit/clear), or free disk space',
};

const healthModel = z
  .strictObject({
    status: z.literal('ok'),
    clock: z
      .strictObject({ now: z.iso.datetime(), offset_seconds: z.number(), frozen: z.boolean() })
      .optional()
      .describe('Present while the clock is moved.'),
  })
  .meta({ id: 'Health' });

const alive = { summary: 'Returns whether the process is running.', answers: { 200: healthModel } } as const;

const readiness = {
  id: 'showReadiness',
  summary: 'Returns whether the process can serve requests, or the reason why not.',
  answers: {
    200: z.strictObject({ status: z.literal('ready') }),
    503: z.strictObject({ status: z.literal('unavailable'), reasons: z.array(z.string()) }),
  },
} as const;

const route = (path: string, endpoint: Endpoint, operation: Operation): Route => ({
  path,
  audience: 'health',
  methods: { GET: endpoint },
  operations: { GET: operation },
  // A sandbox has only the path below /api (SBX-20).
  ...(path.startsWith('/api/') ? {} : { inSandbox: false }),
});

export const healthRoutes: readonly Route[] = [
  route('/health', health, { id: 'showHealth', ...alive }),
  route('/api/health', health, { id: 'showApiHealth', ...alive }),
  route('/health/ready', ready, readiness),
];
