// GET /health and GET /api/health: the process answers (RST-01). Waits for neither files nor store (STO-18); says so
// while the clock is moved (TIM-25). Served by the
// door, and by a SAML worker that runs alone (CLI-05).
import { describeClock } from '#shared/domain/movable-clock.ts';
import { json } from './reply.ts';
import type { Endpoint } from './request.ts';
import type { Route } from './route.ts';

const health: Endpoint = async (_request, { clock: { state, real } }) => {
  const { now, offset_seconds, frozen, moved } = describeClock(state, real());
  return json(200, moved ? { status: 'ok', clock: { now, offset_seconds, frozen } } : { status: 'ok' });
};

export const healthRoutes: readonly Route[] = ['/health', '/api/health'].map((path) => ({
  path,
  surface: 'api',
  methods: { GET: health },
  standsAlone: true,
  // A sandbox has the one below /api alone (SBX-20).
  ...(path.startsWith('/api/') ? {} : { inSandbox: false }),
}));
