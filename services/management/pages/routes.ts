// The web UI's routes: pages behind require_ui_login, actions behind every gate (WEB-19, WEB-20, WEB-22). /login and
// /ui/logout belong to the logins of the OIDC frontend.
import type { Endpoint } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { uiAction, uiPage } from '../gates.ts';

export const pageRoutes: readonly Route[] = [
  route('/', { GET: late('dashboardPage') }),
  route('/users', { GET: late('usersPage') }),
  route('/users/create', { GET: late('newUserPage'), POST: late('createUser') }),
  route('/users/:username', { GET: late('userDetailPage') }),
  route('/users/:username/edit', { GET: late('editUserPage'), POST: late('saveEditedUser') }),
  route('/users/:username/delete', { GET: late('deleteUserPage'), POST: late('deleteUser') }),
  route('/clients', { GET: late('clientsPage') }),
  route('/clients/create', { GET: late('newClientPage'), POST: late('createClient') }),
  route('/clients/forget', { POST: late('forgetClient') }),
  route('/clients/:client_id/edit', { GET: late('editClientPage'), POST: late('saveEditedClient') }),
  route('/clients/:client_id/delete', { GET: late('deleteClientPage'), POST: late('deleteClient') }),
  route('/clients/:client_id/regenerate-secret', { GET: late('regenerateSecretPage'), POST: late('regenerateSecret') }),
  route('/runtime', { GET: late('runtimePage') }),
  route('/runtime/promote', { POST: late('promoteRuntimeObject') }),
  route('/runtime/delete', { POST: late('deleteRuntimeObject') }),
  route('/runtime/reset', { GET: late('resetRuntimePage'), POST: late('resetRuntimeObjects') }),
  route('/settings', { GET: late('settingsPage'), POST: late('saveSettings') }),
  route('/settings/reload', { POST: late('reloadFiles') }),
  route('/claims', { GET: late('claimsPage'), POST: late('saveClaims') }),
  route('/claims/preview/:username', { GET: late('previewClaims') }),
  route('/keys', { GET: late('keysPage') }),
  route('/keys/regenerate', { POST: late('regenerateKeys') }),
  route('/keys/download/public_key', { GET: late('downloadPublicKey') }),
  route('/keys/download/certificate', { GET: late('downloadCertificate') }),
  route('/audit', { GET: late('auditPage') }),
  route('/audit/clear', { GET: late('clearAuditPage'), POST: late('clearAudit') }),
  route('/audit/export/json', { GET: late('exportAuditJson') }),
  route('/audit/export/csv', { GET: late('exportAuditCsv') }),
  route('/clock', { GET: late('clockPage'), POST: late('moveClockByForm') }),
  route('/test', { GET: late('testerPage'), POST: late('obtainToken') }),
  // Reads only, whatever its method says.
  { path: '/test/decode', surface: 'page', methods: { POST: uiPage(late('decodePastedToken')) } },
  // The door itself: neither login nor unlocking stands before it.
  { path: '/management/unlock', surface: 'page', methods: { GET: late('unlockPage'), POST: late('unlock') } },
];

/** The endpoint of that name, loaded with all others when the first of them is asked for. */
function late(name: keyof typeof import('./endpoints.ts')): Endpoint {
  return async (request, context) => {
    const endpoints = await import('./endpoints.ts');
    return endpoints[name](request, context);
  };
}

function route(path: string, { GET, POST }: { readonly GET?: Endpoint; readonly POST?: Endpoint }): Route {
  return {
    path,
    surface: 'page',
    methods: {
      ...(GET === undefined ? {} : { GET: uiPage(GET) }),
      ...(POST === undefined ? {} : { POST: uiAction(POST) }),
    },
  };
}
