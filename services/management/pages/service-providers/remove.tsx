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
    return `The entry is removed from settings.yaml; a metadata file that it names stays where it is. Its requests are ${
      isTaken ? 'answered from then on as those of any unregistered service provider' : 'refused from then on'
    }.`;
  },
  action: (entityId) => serviceProviderPath(entityId, 'delete'),
  back: () => listPath,
});
