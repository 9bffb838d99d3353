// The routes of the logout endpoints.
import type { Route } from '#shared/engine/exchange/route.ts';
import { getLogout, logOutOfDashboard, postLogout } from './endpoint.ts';

const logout = {
  faultyAs: 'logout',
  audience: 'navigation',
  methods: { GET: getLogout, POST: postLogout },
  getHasEffects: true,
} as const satisfies Omit<Route, 'path'>;

export const logoutRoutes: readonly Route[] = [
  { path: '/logout', ...logout },
  { path: '/end_session', ...logout },
  { path: '/ui/logout', audience: 'page', methods: { GET: logOutOfDashboard }, getHasEffects: true },
];
