// The routes of the management surface: the REST API with its writes behind the gate, and the web UI.

import { healthRoutes } from '#shared/engine/exchange/health-routes.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { clientLogoRoutes } from '#shared/web/pages/client-logo.ts';
import { auditApiRoutes } from './api/audit.ts';
import { clockApiRoutes } from './api/clock.ts';
import { clusterApiRoutes } from './api/cluster.ts';
import { configApiRoutes } from './api/config.ts';
import { examsApiRoutes } from './api/exams.ts';
import { faultRoutes } from './api/faults.ts';
import { flowsApiRoutes } from './api/flows.ts';
import { keysApiRoutes } from './api/keys.ts';
import { recorderApiRoutes } from './api/recorder.ts';
import { reloadRoutes } from './api/reload.ts';
import { runtimeApiRoutes } from './api/runtime.ts';
import { sandboxesApiRoutes } from './api/sandboxes.ts';
import { serviceProvidersApiRoutes } from './api/service-providers.ts';
import { sessionsApiRoutes } from './api/sessions.ts';
import { unknownApiRoutes } from './api/unknown.ts';
import { userTokenRoutes } from './api/user-token.ts';
import { usersApiRoutes } from './api/users.ts';
import { verdictApiRoutes } from './api/verdict.ts';
import { gatedApiRoute } from './gates.ts';
import { pageRoutes } from './pages/routes.ts';

const apiRoutes: readonly Route[] = [
  ...healthRoutes.filter(({ path }) => path.startsWith('/api/')),
  ...usersApiRoutes,
  ...userTokenRoutes,
  ...configApiRoutes,
  ...reloadRoutes,
  ...keysApiRoutes,
  ...runtimeApiRoutes,
  ...auditApiRoutes,
  ...clockApiRoutes,
  ...clusterApiRoutes,
  ...sandboxesApiRoutes,
  ...faultRoutes,
  ...recorderApiRoutes,
  ...flowsApiRoutes,
  ...verdictApiRoutes,
  ...examsApiRoutes,
  ...serviceProvidersApiRoutes,
  ...sessionsApiRoutes,
  ...unknownApiRoutes,
];

export const managementRoutes: readonly Route[] = [
  ...healthRoutes.filter(({ path }) => !path.startsWith('/api/')),
  ...apiRoutes.map(gatedApiRoute),
  ...pageRoutes,
  ...clientLogoRoutes,
];
