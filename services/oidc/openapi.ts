// GET /openapi.json: requests and responses of the REST API and of client registration (OAS-01 to OAS-07). `npm run
// docs` generates the document from the routes. Here it gets its server, and loses the parts that a sandbox does not
// have.
import * as z from 'zod';
import { BodiesByIssuer, cachedJson, replyWithCached } from '#shared/engine/exchange/cached-body.ts';
import type { Endpoint } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';

interface Document {
  readonly openapi: string;
  readonly info: unknown;
  readonly paths: Readonly<Record<string, unknown>>;
}

/** `routes` returns every route of the front end. */
export function openApiRoutes(routes: () => readonly Route[]): readonly Route[] {
  const bodies = new BodiesByIssuer();

  const show: Endpoint = async (request, { baseUrl, sandbox }) => {
    let body = bodies.of(baseUrl);
    if (body === undefined) {
      const { openapi, info, paths, ...rest } = await generatedDocument();
      const here = sandbox === undefined ? paths : pathsInSandbox(paths, routes());
      const document = { openapi, info, servers: [{ url: baseUrl }], paths: here, ...rest };
      body = bodies.keep(baseUrl, cachedJson(document));
    }
    return replyWithCached(body, request);
  };

  return [
    {
      path: '/openapi.json',
      audience: 'protocol',
      methods: { GET: show },
      operations: {
        GET: {
          id: 'showOpenApi',
          summary: 'Returns this document.',
          answers: { 200: z.looseObject({ openapi: z.string() }), 304: 'empty' },
          headers: { ETag: 'Changes with the document.' },
        },
      },
    },
  ];
}

/** Read at the first request. */
async function generatedDocument(): Promise<Document> {
  return (await import('../../docs/openapi.json', { with: { type: 'json' } })).default;
}

function pathsInSandbox(paths: Document['paths'], routes: readonly Route[]): Document['paths'] {
  const missing = new Set(
    routes.filter(({ inSandbox }) => inSandbox === false).map(({ path }) => path.replace(/:(\w+)/g, '{$1}')),
  );
  return Object.fromEntries(Object.entries(paths).filter(([path]) => !missing.has(path)));
}
