// SAML service providers of the copy (SPM-27), and checking metadata before it is registered.
import * as z from 'zod';
import { serviceProviderKind } from '#shared/model/configuration/entry-kinds.ts';
import type { ServiceProviderEntry } from '#shared/model/configuration/service-provider-entry.ts';
import { checkMetadata } from '#shared/state/configuration/service-providers/check-metadata.ts';
import { inMemoryOnly } from '../common-models.ts';
import { defineTool, type Tool } from '../tool.ts';
import {
  createTool,
  deleteTool,
  type EntryFamily,
  fieldArguments,
  getTool,
  listTool,
  updateTool,
} from './entry-tools.ts';

const serviceProviders: EntryFamily<ServiceProviderEntry, ServiceProviderEntry> = {
  kind: serviceProviderKind,
  called: 'entity_id',
  revision: 'settings',
  briefly: true,
  answers: 'An entry of saml.service_providers as the file has it; what its metadata_file says besides is not in it.',
  all: ({ serviceProviders: all }) =>
    new Map([...all].map(([entity_id, entry]) => [entity_id, { ...entry, entity_id }])),
  entry: (draft, entityId) => draft.serviceProviders.get(entityId),
  put: (draft, entityId, entry) => draft.putServiceProvider(entityId, entry),
  delete: (draft, entityId) => draft.deleteServiceProvider(entityId),
};

const checkServiceProviderMetadata = defineTool({
  name: 'check_service_provider_metadata',
  title: 'Check SAML metadata',
  description:
    'Reads the metadata of a SAML service provider, given as XML text, and changes nothing. Answers what is wrong with its line and column, and the entry that it makes, whose members create_service_provider takes.',
  arguments: { metadata: z.string('must be a string').meta({ description: 'The XML text.' }) },
  output: {
    valid: z.boolean(),
    findings: z.array(z.object({ level: z.string(), line: z.int(), column: z.int(), message: z.string() })),
    entry: z.record(z.string(), z.unknown()).nullable(),
  },
  handle: ({ metadata }, { clock }) => ({ ...checkMetadata(metadata, clock.now()) }),
});

export const serviceProviderTools: readonly Tool[] = [
  listTool(serviceProviders, {
    title: 'List SAML service providers',
    description:
      'Lists the SAML service providers declared in this server’s copy of settings.yaml, unsaved changes included. Those made at run time are not among them.',
  }),
  getTool(serviceProviders, {
    title: 'Read a SAML service provider',
    description:
      'Reads one declared SAML service provider of this server’s copy by its entity_id. Answers found: false for an unknown one.',
  }),
  createTool(serviceProviders, {
    name: 'create_service_provider',
    title: 'Register a SAML service provider',
    description: `Registers a SAML service provider. The entity_id alone is needed; a login needs an acs. Fails for an entity_id that exists. ${inMemoryOnly}`,
    arguments: fieldArguments(serviceProviderKind),
    prepare: (given) => given,
  }),
  updateTool(serviceProviders, {
    name: 'update_service_provider',
    title: 'Change a SAML service provider',
    description: `Changes the given members of a declared SAML service provider and leaves the others as they are. Fails for an unknown entity_id. ${inMemoryOnly}`,
    arguments: fieldArguments(serviceProviderKind),
    prepare: (given, present) => ({ ...present, ...given }),
  }),
  deleteTool(serviceProviders, {
    title: 'Delete a SAML service provider',
    description: `Deletes a declared SAML service provider from this server’s copy. Fails for an unknown entity_id. ${inMemoryOnly}`,
  }),
  checkServiceProviderMetadata,
];
