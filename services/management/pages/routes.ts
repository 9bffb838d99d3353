// The web UI's routes: pages behind require_ui_login, actions behind every gate (WEB-19, WEB-20, WEB-22). /login and
// /ui/logout belong to the logins of the OIDC frontend.
import type { Endpoint } from '#shared/http/request.ts';
import type { Route } from '#shared/http/route.ts';
import { uiAction, uiPage } from '../gates.ts';
import { exportAuditCsv, exportAuditJson } from './audit/export.ts';
import { auditPage, clearAudit, clearAuditPage } from './audit/page.tsx';
import { claimsPage, previewClaims, saveClaims } from './claims.tsx';
import { createClient, editClientPage, newClientPage, saveEditedClient } from './clients/edit.tsx';
import { clientsPage } from './clients/list.tsx';
import { regenerateSecret, regenerateSecretPage } from './clients/regenerate-secret.tsx';
import { deleteClient, deleteClientPage, forgetClient } from './clients/remove.tsx';
import { dashboardPage } from './dashboard.tsx';
import { downloadCertificate, downloadPublicKey, keysPage, regenerateKeys } from './keys.tsx';
import { saveSettings, settingsPage } from './settings/page.tsx';
import { decodePastedToken, obtainToken, testerPage } from './tester/page.tsx';
import { unlock, unlockPage } from './unlock.tsx';
import { userDetailPage } from './users/detail.tsx';
import { createUser, editUserPage, newUserPage, saveEditedUser } from './users/edit.tsx';
import { usersPage } from './users/list.tsx';
import { deleteUser, deleteUserPage } from './users/remove.tsx';

export const pageRoutes: readonly Route[] = [
  route('/', { GET: dashboardPage }),
  route('/users', { GET: usersPage }),
  route('/users/create', { GET: newUserPage, POST: createUser }),
  route('/users/:username', { GET: userDetailPage }),
  route('/users/:username/edit', { GET: editUserPage, POST: saveEditedUser }),
  route('/users/:username/delete', { GET: deleteUserPage, POST: deleteUser }),
  route('/clients', { GET: clientsPage }),
  route('/clients/create', { GET: newClientPage, POST: createClient }),
  route('/clients/forget', { POST: forgetClient }),
  route('/clients/:client_id/edit', { GET: editClientPage, POST: saveEditedClient }),
  route('/clients/:client_id/delete', { GET: deleteClientPage, POST: deleteClient }),
  route('/clients/:client_id/regenerate-secret', { GET: regenerateSecretPage, POST: regenerateSecret }),
  route('/settings', { GET: settingsPage, POST: saveSettings }),
  route('/claims', { GET: claimsPage, POST: saveClaims }),
  route('/claims/preview/:username', { GET: previewClaims }),
  route('/keys', { GET: keysPage }),
  route('/keys/regenerate', { POST: regenerateKeys }),
  route('/keys/download/public_key', { GET: downloadPublicKey }),
  route('/keys/download/certificate', { GET: downloadCertificate }),
  route('/audit', { GET: auditPage }),
  route('/audit/clear', { GET: clearAuditPage, POST: clearAudit }),
  route('/audit/export/json', { GET: exportAuditJson }),
  route('/audit/export/csv', { GET: exportAuditCsv }),
  route('/test', { GET: testerPage, POST: obtainToken }),
  // Reads only, whatever its method says.
  { path: '/test/decode', surface: 'page', methods: { POST: uiPage(decodePastedToken) } },
  // The door itself: neither login nor unlocking stands before it.
  { path: '/management/unlock', surface: 'page', methods: { GET: unlockPage, POST: unlock } },
];

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
