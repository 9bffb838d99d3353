// The web UI's routes: pages behind require_ui_login, actions behind every gate (WEB-19, WEB-20, WEB-22). /login and
// /ui/logout belong to the logins of the OIDC front end.
import type { Endpoint } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { acceptingFiles } from '#shared/engine/exchange/uploaded-form.ts';
import { uiAction, uiPage } from '../gates.ts';

export const pageRoutes: readonly Route[] = [
  route('/', { GET: late('dashboardPage') }),
  ofFiles('/users', { GET: late('usersPage') }),
  ofFiles('/users/create', { GET: late('newUserPage'), POST: late('createUser') }),
  ofFiles('/users/:username', { GET: late('userDetailPage') }),
  ofFiles('/users/:username/edit', { GET: late('editUserPage'), POST: late('saveEditedUser') }),
  ofFiles('/users/:username/second-factor', { GET: late('newSecondFactorPage') }),
  ofFiles('/users/:username/delete', { GET: late('deleteUserPage'), POST: late('deleteUser') }),
  ofFiles('/clients', { GET: late('clientsPage') }),
  ofFiles('/clients/create', { GET: late('newClientPage'), POST: late('createClient') }),
  ofFiles('/clients/forget', { POST: late('forgetClient') }),
  ofFiles('/clients/:client_id/edit', { GET: late('editClientPage'), POST: late('saveEditedClient') }),
  ofFiles('/clients/:client_id/delete', { GET: late('deleteClientPage'), POST: late('deleteClient') }),
  ofFiles('/clients/:client_id/regenerate-secret', {
    GET: late('regenerateSecretPage'),
    POST: late('regenerateSecret'),
  }),
  // A sandbox may have its own service providers, but they are not changed here: its creation defines them.
  route('/service-providers', { GET: late('serviceProvidersPage') }),
  ofFiles('/service-providers/create', { GET: late('newServiceProviderPage'), POST: late('createServiceProvider') }),
  ofFiles('/service-providers/edit', { GET: late('editServiceProviderPage'), POST: late('saveEditedServiceProvider') }),
  ofFiles('/service-providers/delete', {
    GET: late('deleteServiceProviderPage'),
    POST: late('deleteServiceProvider'),
  }),
  ofFiles('/service-providers/import', { GET: late('importMetadataPage'), POST: late('importMetadata'), files: true }),
  ofFiles('/runtime', { GET: late('runtimePage') }),
  ofFiles('/runtime/promote', { POST: late('promoteRuntimeObject') }),
  ofFiles('/runtime/delete', { POST: late('deleteRuntimeObject') }),
  ofFiles('/runtime/reset', { GET: late('resetRuntimePage'), POST: late('resetRuntimeObjects') }),
  ofFiles('/sandboxes', { GET: late('sandboxesPage'), POST: late('createSandbox') }),
  ofFiles('/sandboxes/reset', { POST: late('resetSandbox') }),
  ofFiles('/sandboxes/delete', { POST: late('deleteSandbox') }),
  ofFiles('/settings', { GET: late('settingsPage'), POST: late('saveSettings') }),
  ofFiles('/settings/reload', { POST: late('reloadFiles') }),
  ofFiles('/claims', { GET: late('claimsPage'), POST: late('saveClaims') }),
  ofFiles('/claims/preview/:username', { GET: late('previewClaims') }),
  ofFiles('/keys', { GET: late('keysPage') }),
  ofFiles('/keys/regenerate', { POST: late('regenerateKeys') }),
  ofFiles('/keys/download/public_key', { GET: late('downloadPublicKey') }),
  ofFiles('/keys/download/certificate', { GET: late('downloadCertificate') }),
  route('/audit', { GET: late('auditPage') }),
  route('/audit/clear', { GET: late('clearAuditPage'), POST: late('clearAudit') }),
  route('/audit/export/json', { GET: late('exportAuditJson') }),
  route('/audit/export/csv', { GET: late('exportAuditCsv') }),
  route('/clock', { GET: late('clockPage'), POST: late('moveClockByForm') }),
  route('/faults', { GET: late('faultsPage'), POST: late('setFaultByForm') }),
  route('/faults/delete', { POST: late('removeFaults') }),
  route('/flows', { GET: late('flowsPage') }),
  route('/flows/delete', { POST: late('emptyRecorderByForm') }),
  route('/flows/:id', { GET: late('flowPage') }),
  route('/verdict', { GET: late('verdictPage') }),
  route('/sessions', { GET: late('sessionsPage') }),
  route('/sessions/end', { POST: late('endSessionsByForm') }),
  route('/sessions/forget', { POST: late('forgetConsentsByForm') }),
  route('/test', { GET: late('testerPage'), POST: late('obtainToken') }),
  // It only reads, although its method is POST.
  { path: '/test/decode', audience: 'page', methods: { POST: uiPage(late('decodePastedToken')) } },
  // The page for unlocking itself: it requires neither login nor unlocking.
  {
    path: '/management/unlock',
    audience: 'page',
    methods: { GET: late('unlockPage'), POST: late('unlock') },
    inSandbox: false,
  },
];

/** The declared files and their keys belong to the default identity provider: no sandbox has these pages (SBX-20). */
function ofFiles(path: string, endpoints: PageEndpoints): Route {
  return { ...route(path, endpoints), inSandbox: false };
}

/** The endpoint of that name. All endpoints are loaded at the first request to one of them. */
function late(name: keyof typeof import('./page-endpoints.ts')): Endpoint {
  return async (request, context) => {
    const endpoints = await import('./page-endpoints.ts');
    return endpoints[name](request, context);
  };
}

interface PageEndpoints {
  readonly GET?: Endpoint;
  readonly POST?: Endpoint;
  /** The form of the route uploads files. */
  readonly files?: true;
}

function route(path: string, { GET, POST, files }: PageEndpoints): Route {
  return {
    path,
    audience: 'page',
    ...(GET === undefined ? {} : { largeRead: path.startsWith('/audit/export/') ? 'streamed' : 'whole' }),
    methods: {
      ...(GET === undefined ? {} : { GET: uiPage(GET) }),
      ...(POST === undefined ? {} : { POST: files ? acceptingFiles(uiAction(POST)) : uiAction(POST) }),
    },
  };
}
