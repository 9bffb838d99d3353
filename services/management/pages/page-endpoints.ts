// Every page and action of the web UI in one module, so that routes.ts can load them late. A start does not wait for
// pages before the first request to one.
export { exportAuditCsv, exportAuditJson } from './audit/export.ts';
export { auditPage, clearAudit, clearAuditPage } from './audit/page.tsx';
export { claimsPage, saveClaims } from './claims.tsx';
export { previewClaims } from './claims-preview.tsx';
export { createClient, editClientPage, newClientPage, saveEditedClient } from './clients/edit.tsx';
export { clientsPage } from './clients/list.tsx';
export { regenerateSecret, regenerateSecretPage } from './clients/regenerate-secret.tsx';
export { deleteClient, deleteClientPage, forgetClient } from './clients/remove.tsx';
export { clockPage, moveClockByForm } from './clock.tsx';
export { dashboardPage } from './dashboard.tsx';
export { faultsPage, removeFaults, setFaultByForm } from './faults/page.tsx';
export { flowPage } from './flows/detail.tsx';
export { emptyRecorderByForm, flowsPage } from './flows/list.tsx';
export { downloadCertificate, downloadPublicKey, keysPage, regenerateKeys } from './keys.tsx';
export {
  deleteRuntimeObject,
  promoteRuntimeObject,
  resetRuntimeObjects,
  resetRuntimePage,
} from './runtime/actions.ts';
export { runtimePage } from './runtime/list.tsx';
export { createSandbox, deleteSandbox, resetSandbox, sandboxesPage } from './sandboxes.tsx';
export {
  createServiceProvider,
  editServiceProviderPage,
  newServiceProviderPage,
  saveEditedServiceProvider,
} from './service-providers/edit.tsx';
export { importMetadata, importMetadataPage } from './service-providers/import.tsx';
export { serviceProvidersPage } from './service-providers/list.tsx';
export { deleteServiceProvider, deleteServiceProviderPage } from './service-providers/remove.tsx';
export { endSessionsByForm, forgetConsentsByForm, sessionsPage } from './sessions.tsx';
export { saveSettings, settingsPage } from './settings/page.tsx';
export { reloadFiles } from './settings/reload.tsx';
export { decodePastedToken, obtainToken, testerPage } from './tester/page.tsx';
export { unlock, unlockPage } from './unlock.tsx';
export { userDetailPage } from './users/detail.tsx';
export { createUser, editUserPage, newUserPage, saveEditedUser } from './users/edit.tsx';
export { usersPage } from './users/list.tsx';
export { newSecondFactorPage } from './users/new-second-factor.tsx';
export { deleteUser, deleteUserPage } from './users/remove.tsx';
export { verdictPage } from './verdict.tsx';
