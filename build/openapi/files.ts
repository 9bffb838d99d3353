// The files of the repository that are generated from the declared routes, by path. `npm run docs` writes them, and a
// test compares them.
import { oidcRoutes } from '#services/oidc/app.ts';
import { openApiDocument } from './document.ts';
import { operationTypes } from './operation-types.ts';
import { restReference } from './rest-reference.ts';

export function openApiFiles(): Readonly<Record<string, string>> {
  const document = openApiDocument(oidcRoutes);
  return {
    'docs/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'docs/rest.md': restReference(document),
    'api/operations.ts': operationTypes(document),
  };
}
