// The OpenAPI document is generated from the declared routes, and every route under /api is declared.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { openApiDocument, undescribedMethods } from '#build/openapi/document.ts';
import type { OpenApiDocument } from '#build/openapi/document-types.ts';
import { openApiFiles } from '#build/openapi/files.ts';
import { operationTypes } from '#build/openapi/operation-types.ts';
import { answerAt, eachOperation } from '#build/openapi/operations.ts';
import { oidcRoutes } from '#services/oidc/app.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { faultNames } from '#shared/engine/faults/catalogue/index.ts';
import { configurationSchema } from '#shared/model/configuration/projections/json-schema.ts';
import { faultRefusals } from '#shared/model/refusals/families/faults.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { repositoryRoot } from '#test/support/source-text.ts';
import { verifies } from '#test/support/verifies.ts';

const document = openApiDocument(oidcRoutes);
const operations = [...eachOperation(document)];

describe('the OpenAPI document', () => {
  verifies('OAS-10', 'and the files generated from it are up to date, or else need npm run docs', () => {
    for (const [path, text] of Object.entries(openApiFiles())) {
      expect(readFileSync(join(repositoryRoot, path), 'utf8') === text, `${path} is fresh`).to.equal(true);
    }
  });

  verifies('OAS-10', 'is listed in docs/rest.md operation by operation', () => {
    const reference = readFileSync(join(repositoryRoot, 'docs/rest.md'), 'utf8');
    for (const { method, path, operation } of operations) {
      expect(reference).to.include(`### ${method} ${path}\n\n${operation.summary}`);
    }
  });

  verifies('OAS-01', 'is accepted by a validator of the 3.1 schema', async () => {
    const validate = (value: unknown) => new Validator().validate(JSON.parse(JSON.stringify(value)));
    expect(await validate(document)).to.include({ valid: true });
    const broken = { ...document, paths: { '/api/clock': { get: { operationId: 1 } } } };
    expect((await validate(broken)).valid).to.equal(false);
  });

  verifies('OAS-02', 'has exactly the methods and paths of the route table under its areas', () => {
    const table = oidcRoutes
      .filter(({ path }) => /^\/(?:api\/[^*]*|register(?:\/.*)?|health(?:\/.*)?|openapi\.json)$/.test(path))
      .flatMap(({ path, methods }) =>
        Object.keys(methods).map((method) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`),
      );
    expect(operations.map(({ method, path }) => `${method} ${path}`)).to.have.members(table);
    expect(table).to.include.members([
      'GET /api/users/{username}',
      'DELETE /register/{client_id}',
      'GET /health',
      'GET /openapi.json',
    ]);
  });

  verifies(
    'OAS-02',
    'is complete, and a route without a description causes an error that explains how to add it',
    () => {
      expect(undescribedMethods(oidcRoutes)).to.deep.equal([]);
      const undescribed: Route = {
        path: '/api/new',
        audience: 'api',
        methods: { GET: async () => Promise.reject(new Error()) },
      };
      expect(undescribedMethods([undescribed])).to.deep.equal([
        'GET /api/new has no description: add operations.GET to its route, as shared/engine/exchange/operation.ts says',
      ]);
      expect(() => openApiDocument([...oidcRoutes, undescribed])).to.throw('GET /api/new has no description');
    },
  );

  verifies('OAS-03', 'describes only existing methods', () => {
    for (const { path, methods, operations: described = {} } of oidcRoutes) {
      expect(Object.keys(methods), path).to.include.members(Object.keys(described));
    }
  });

  verifies('OAS-03', 'gives every operation a unique camel-case name and a sentence', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).to.equal(ids.length);
    for (const { operation, path } of operations) {
      expect(operation.operationId).to.match(/^[a-z]+(?:[A-Z][a-z]*)+$/);
      expect(operation.summary).to.match(/^[A-Z].*\.$/);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const listed = (operation.parameters ?? []).filter((each) => each.in === 'path').map(({ name }) => name);
      expect(listed).to.deep.equal(inPath);
    }
  });

  verifies('OAS-03', 'gives every status a body or says that there is none, and lists kinds as enumerations', () => {
    for (const { operation } of operations) {
      for (const status of Object.keys(operation.responses).map(Number)) {
        const answer = answerAt(operation, status, document);
        expect(answer?.description, `${operation.operationId} ${status}`).to.be.a('string');
        if (status >= 400) expect(answer?.content?.['application/json']?.schema).to.be.an('object');
      }
    }
    const refusals = document.paths['/api/clock']?.put;
    expect(refusals && answerAt(refusals, 400, document)?.content).to.deep.equal({
      'application/json': {
        schema: {
          anyOf: [
            {
              type: 'object',
              properties: {
                error: { type: 'string', description: 'For people. The wording may change.' },
                kind: { type: 'string', enum: ['invalid', 'out_of_range'] },
              },
              required: ['error', 'kind'],
              additionalProperties: false,
            },
            {
              type: 'object',
              properties: {
                error: { type: 'string', enum: ['invalid_request'] },
                error_description: {
                  type: 'string',
                  description: 'For people. The wording may change.',
                },
              },
              required: ['error', 'error_description'],
              additionalProperties: false,
            },
          ],
        },
      },
    });
  });

  it('has no operation that deletes everything and accepts any query', () => {
    const removals = operations.filter(({ method, path }) => method === 'DELETE' && !path.includes('{'));
    const unguarded = removals.filter(({ operation }) => {
      const refused = answerAt(operation, 400, document)?.description ?? '';
      return !refused.includes(managementRefusals.removal_filter_wrong.expected);
    });
    // The clock is a single value, and resetting it loses nothing.
    expect(unguarded.map(({ path }) => path)).to.deep.equal(['/api/clock']);
  });

  verifies('OAS-03', 'names every rejection of the REST API', () => {
    const told = JSON.stringify(document.paths) + JSON.stringify(document.components.responses);
    for (const { code, expected } of [...Object.values(managementRefusals), ...Object.values(faultRefusals)]) {
      expect(told.includes(JSON.stringify(expected).slice(1, -1)), `${code}: declared by no route`).to.equal(true);
    }
  });

  verifies('OAS-04', 'describes users, clients and settings as config-schema does, except for placeholders', () => {
    const { settings, users } = configurationSchema(faultNames);
    const entry: Json = at(users, 'properties.users.additionalProperties.properties');
    const { username: _name, ...user }: Json = Object(document.components.schemas.NewUser?.properties);
    expect(user).to.deep.equal(withoutPlaceholders(entry));
    expect(document.components.schemas.NewClient?.properties).to.deep.equal(
      withoutPlaceholders(at(settings, 'properties.oauth.properties.clients.items.properties')),
    );
    const own: Json = Object(document.components.schemas.SandboxSettings?.properties);
    const files = withoutPlaceholders(withoutDescriptions(settings.properties));
    for (const [name, schema] of Object.entries(own)) {
      expectPartOf({ [name]: withoutDescriptions(schema) }, files);
    }
    expect(Object.keys(own)).to.include.members(['security_profile', 'oauth', 'saml']);
  });

  verifies('OAS-05', 'requires the management secret for writes under /api only', () => {
    for (const { method, path, operation } of operations) {
      const gated = method !== 'GET' && path.startsWith('/api/');
      const names = (operation.security ?? []).flatMap((scheme) => Object.keys(scheme));
      expect(names.includes('managementSecret'), `${method} ${path}`).to.equal(gated);
      expect(names.includes('registrationAccessToken')).to.equal(path === '/register/{client_id}');
    }
    expect(document.security).to.deep.equal([]);
    expect(document.components.securitySchemes.managementSecret).to.include({
      in: 'header',
      name: 'X-Management-Secret',
    });
  });
});

describe('the types of idp.api', function () {
  this.timeout(120_000);

  /** The compiler's output for a program that calls operations of this document. */
  function compiled(of: OpenApiDocument, program: string): { readonly code: number | null; readonly said: string } {
    // Inside the repository, to find the types of Node.js, in a folder that nothing else reads.
    mkdirSync(join(repositoryRoot, '.cache'), { recursive: true });
    const folder = mkdtempSync(join(repositoryRoot, '.cache', 'openapi-types-'));
    try {
      for (const name of readdirSync(join(repositoryRoot, 'api')).filter((each) => each.endsWith('.ts'))) {
        cpSync(join(repositoryRoot, 'api', name), join(folder, name));
      }
      cpSync(join(repositoryRoot, 'api', 'types'), join(folder, 'types'), { recursive: true });
      writeFileSync(join(folder, 'operations.ts'), operationTypes(of));
      writeFileSync(join(folder, 'program.ts'), program);
      const options = { extends: join(repositoryRoot, 'tsconfig.json'), include: [], files: ['program.ts'] };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options));
      const tsc = join(repositoryRoot, 'node_modules/typescript/bin/tsc');
      const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
      return { code: status, said: stdout };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  verifies('OAS-09', 'change with an operation, so that an outdated call no longer compiles', () => {
    const program = `import type { IdpApi } from './types.ts';
      declare const api: IdpApi;
      export const now: Promise<string> = api.showClock().then((clock) => clock.now);
      export const moved = api.moveClock({ body: { advance_seconds: 60 } });`;
    expect(compiled(document, program)).to.deep.equal({ code: 0, said: '' });
    const renamed = (text: string) => JSON.parse(JSON.stringify(document).replaceAll(text, `${text}_later`));
    const changes = [renamed('"now'), renamed('"advance_seconds'), renamed('"showClock')];
    const said = changes.map((changed) => compiled(changed, program));
    for (const { code } of said) expect(code).not.to.equal(0);
    expect(said.map((each) => each.said).join())
      .to.include("'now'")
      .and.to.include("'advance_seconds'")
      .and.to.include("'showClock'");
  });
});

type Json = Readonly<Record<string, unknown>>;

const none: Json = {};

/** Every key is as in the files. A section may have fewer keys. */
function expectPartOf(shown: unknown, files: unknown): void {
  for (const [name, schema] of Object.entries(Object(shown))) {
    const { properties = none, default: _own, ...rest }: Json = Object(schema);
    // A section of the files may be null, but not one of a sandbox.
    const { anyOf: [whole = Object(files)[name]] = [] }: { anyOf?: unknown[] } =
      properties === none ? {} : Object(Object(files)[name]);
    const { properties: members, default: _whole, ...wholeRest }: Json = Object(whole ?? Object(files)[name]);
    expect(rest, name).to.deep.equal(wholeRest);
    expectPartOf(properties, members);
  }
}

function at(root: unknown, path: string): Json {
  let value: unknown = root;
  for (const name of path.split('.')) value = Object(value)[name];
  return Object(value);
}

function isNoBoundOfEveryNumber([key, value]: readonly [string, unknown]): boolean {
  return !['minimum', 'maximum'].includes(key) || Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
}

/** The schema of the files contains no sentences about a fault. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  const told = Object.entries(value).filter(([key, member]) => key !== 'description' || typeof member !== 'string');
  return Object.fromEntries(told.map(([key, member]) => [key, withoutDescriptions(member)]));
}

/** Only files have placeholders, as an alternative for every narrow type. */
function withoutPlaceholders(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPlaceholders);
  if (typeof value !== 'object' || value === null) return value;
  const { anyOf, propertyNames, ...rest }: Json = Object(value);
  const alternatives = Array.isArray(anyOf)
    ? anyOf.filter((each) => !String(Object(each).pattern).startsWith('\\$\\{')).map(withoutPlaceholders)
    : undefined;
  const plain = Object.fromEntries(
    Object.entries(rest)
      .filter(isNoBoundOfEveryNumber)
      .map(([key, member]) => [key, withoutPlaceholders(member)]),
  );
  const names = Object.keys(Object(propertyNames)).length > 1 ? { propertyNames } : {};
  if (alternatives === undefined) return { ...plain, ...names };
  return alternatives.length === 1 ? { ...plain, ...Object(alternatives[0]) } : { ...plain, anyOf: alternatives };
}
