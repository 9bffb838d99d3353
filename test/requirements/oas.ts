// Section OAS: the OpenAPI document of the REST API.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'OAS-01', says: 'GET /openapi.json answers a valid OpenAPI 3.1 document to everybody, with ETag and CORS.' },
  { id: 'OAS-02', says: 'It has exactly the methods and paths of the route table.' },
  { id: 'OAS-03', says: 'Each operation has id, summary, parameters, body and every status with its schema.' },
  { id: 'OAS-04', says: 'Users, clients and settings are described by the models of config-schema.' },
  { id: 'OAS-05', says: 'What the management secret gates says so, and nothing else does.' },
  { id: 'OAS-06', says: 'Every answer validates, and every body that it refuses is refused.' },
  { id: 'OAS-07', says: 'It names the effective issuer as server and the version of the package.' },
  { id: 'OAS-08', says: 'The installed package carries it without servers.' },
  { id: 'OAS-09', says: 'The types of the API client follow from it.' },
  { id: 'OAS-10', says: 'docs/rest.md and the types are as the code would write them.' },
];
