// Section OAS: the OpenAPI document of the REST API.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'OAS-01', says: 'GET /openapi.json returns a valid OpenAPI 3.1 document to every client, with ETag and CORS.' },
  { id: 'OAS-02', says: 'It has exactly the methods and paths of the route table.' },
  { id: 'OAS-03', says: 'Each operation has id, summary, parameters, body and every status with its schema.' },
  { id: 'OAS-04', says: 'The models of config-schema describe users, clients and settings.' },
  { id: 'OAS-05', says: 'Operations that need the management secret declare it, and no others do.' },
  { id: 'OAS-06', says: 'Every response is valid, and every body that the document rejects is rejected.' },
  { id: 'OAS-07', says: 'It names the effective issuer as server and the version of the package.' },
  { id: 'OAS-08', says: 'The installed package contains it without servers.' },
  { id: 'OAS-09', says: 'The types of the API client follow from it.' },
  { id: 'OAS-10', says: 'docs/rest.md and the types are up to date with the code.' },
];
