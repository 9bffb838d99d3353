// Misspelt query parameters and body members of the REST API (TTK-07 to TTK-09). The operations come from /openapi.json
// of the started server.
import { expect } from 'chai';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { registering } from '#test/support/worlds.ts';

interface Called {
  readonly method: string;
  readonly path: string;
}

/** It takes members that it does not know: they become attributes (RUN-04). */
const takesAnyMember = ['POST /api/runtime/users', 'PATCH /api/runtime/users/x'];

describe('names that the REST API does not know', () => {
  let idp: RunningIdp;
  let operations: readonly Called[];
  before(async () => {
    idp = await startIdp({ command: 'oidc', world: registering, settings: { runtime: { updates: true } } });
    await idp.api('POST', '/api/sandboxes', { name: 'box' });
    operations = await operationsAt('');
  });
  after(() => idp.stop());

  /** With the name of a user or client in the path, where a rejection is to come from the names alone. */
  async function operationsAt(base: string): Promise<readonly Called[]> {
    const { body } = await idp.api('GET', `${base}/openapi.json`);
    return Object.entries<object>(body.paths).flatMap(([path, item]) =>
      Object.keys(item).flatMap((method) =>
        path.startsWith('/api') ? [{ method: method.toUpperCase(), path: filled(path) }] : [],
      ),
    );
  }

  function filled(path: string): string {
    if (path.endsWith('/token')) return path.replace('{username}', 'alice').replace('{client_id}', 'web');
    return path.replaceAll(/\{\w+\}/g, 'x');
  }

  async function refusalOf({ method, path }: Called, query: string, body?: unknown) {
    const { status, body: answer } = await idp.api(method, `${path}${query}`, body);
    return { status, kind: answer?.kind, error: String(answer?.error) };
  }

  verifies(['TTK-08', 'TTK-09'], 'rejects an unknown query parameter at every operation', async () => {
    expect(operations.length).to.be.above(50);
    for (const operation of operations) {
      const { status, kind, error } = await refusalOf(operation, '?no_such_parameter=1');
      expect([status, kind], `${operation.method} ${operation.path}`).to.deep.equal([400, 'invalid']);
      expect(error).to.match(/^Unknown query parameter "no_such_parameter"\./);
    }
  });

  verifies(['TTK-07', 'TTK-09'], 'rejects an unknown member at every operation, with or without a body', async () => {
    for (const operation of operations.filter(({ method }) => method !== 'GET')) {
      const name = `${operation.method} ${operation.path}`;
      if (takesAnyMember.includes(name)) continue;
      const { status, kind, error } = await refusalOf(operation, '', { no_such_member: 1 });
      expect([status, kind], name).to.deep.equal([400, 'invalid']);
      expect(error, name).to.match(/^Unknown field "no_such_member"\./);
    }
    expect((await idp.api('GET', '/api/sandboxes/box')).status, 'nothing was deleted').to.equal(200);
  });

  verifies('TTK-09', 'does the same in a sandbox', async () => {
    for (const operation of await operationsAt('/s/box')) {
      const there = { ...operation, path: `/s/box${operation.path}` };
      const { status, error } = await refusalOf(there, '?no_such_parameter=1');
      const isPromotion = there.path.endsWith('/promote');
      expect(status, `${there.method} ${there.path}`).to.equal(isPromotion ? 409 : 400);
      if (!isPromotion) expect(error).to.match(/^Unknown query parameter/);
    }
    const misspelt = await idp.api('POST', '/s/box/api/users/alice/token', { exp_minuts: 5 });
    expect([misspelt.status, misspelt.body.kind]).to.deep.equal([400, 'invalid']);
  });

  verifies('TTK-07', 'names the dotted path and the nearest name', async () => {
    for (const [path, body, sentence] of [
      ['/api/users/alice/token', { exp_minuts: 5 }, 'Unknown field "exp_minuts". Did you mean "exp_minutes"?'],
      [
        '/api/clients/web/token',
        { nbf: 5 },
        'Unknown field "nbf". Known: exp_minutes, exp_seconds, extra, scope, resource, audience, set_claims, remove_claims.',
      ],
      [
        '/api/faults',
        { fault: 'delay', when: { client: 'web' } },
        'Unknown field "when.client". Did you mean "when.client_id"?',
      ],
    ] as const) {
      const { status, body: answer } = await idp.api('POST', path, body);
      expect([status, answer], path).to.deep.equal([400, { error: sentence, kind: 'invalid' }]);
    }
    const long = await idp.api('POST', '/api/users/alice/token', { ['x'.repeat(10_000)]: 1 });
    expect(String(long.body.error).length).to.be.below(400);
  });

  verifies(['TTK-07', 'RST-08'], 'audits the rejection of a token request, and issues nothing', async () => {
    const { body: answer } = await idp.api('POST', '/api/users/alice/token', { scopes: 'openid' });
    expect(Object.keys(answer)).to.deep.equal(['error', 'kind']);
    const { body } = await idp.api('GET', '/api/audit?event_type=token_request&limit=1');
    const [entry] = body.entries;
    expect([entry.status, entry.username, entry.details.refusal]).to.deep.equal([
      'failed',
      'alice',
      'body_member_unknown',
    ]);
    expect(entry.details.reason).to.equal('Unknown field "scopes". Did you mean "scope"?');
  });

  verifies('TTK-08', 'suggests the nearest parameter, and rejects a repeated one', async () => {
    const misspelt = await idp.api('GET', '/api/audit?limt=1');
    expect([misspelt.status, misspelt.body]).to.deep.equal([
      400,
      { error: 'Unknown query parameter "limt". Did you mean "limit"?', kind: 'invalid' },
    ]);
    const repeated = await idp.api('GET', '/api/audit?limit=1&limit=2');
    expect([repeated.status, repeated.body]).to.deep.equal([
      400,
      { error: 'The query parameter "limit" was sent more than once.', kind: 'invalid' },
    ]);
  });

  verifies('TTK-08', 'keeps ignoring unknown parameters at protocol endpoints', async () => {
    for (const path of ['/.well-known/openid-configuration', '/.well-known/jwks.json']) {
      expect((await fetch(`${idp.baseUrl}${path}?no_such_parameter=1`)).status, path).to.equal(200);
    }
  });
});
