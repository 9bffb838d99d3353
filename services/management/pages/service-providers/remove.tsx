// /service-providers/delete (SPM-28).
import { removal } from '../removal.tsx';
import {
  type DeclaredServiceProvider,
  declaredServiceProvider,
  listPath,
  serviceProviderPath,
} from './declared-service-provider.ts';

export const { page: deleteServiceProviderPage, remove: deleteServiceProvider } = removal<DeclaredServiceProvider>({
  noun: 'service provider',
  file: 'settings',
  list: listPath,
  removed: 'service_provider_deleted',
  declared: declaredServiceProvider,
  nameOf: ({ entityId }) => entityId,
  changeOf: (entity_id) => ({ kind: 'delete_service_provider', entity_id }),
  consequence: ({ snapshot }) => {
    const isTaken = snapshot.settings.saml.unregistered === 'allow';
    return `This removes the entry from settings.yaml, but not its metadata file. Its requests are then ${isTaken ? 'handled like those of any unregistered service provider' : 'rejected'}.`;
  },
  action: (entityId) => serviceProviderPath(entityId, 'delete'),
  back: () => listPath,
});
