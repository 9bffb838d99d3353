import type { Server } from 'node:http';
import { expect } from 'chai';
import type { Audience } from '#shared/engine/exchange/audience.ts';
import { json } from '#shared/engine/exchange/reply.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { rawText } from '#test/support/http.ts';
import { routes as servedRoutes } from '#test/support/route-of.ts';
import { serveRoutes } from '#test/support/served-routes.ts';
import { verifies } from '#test/support/verifies.ts';

/** Responds with the route that was found. */
const route = (path: string, audience: Audience = 'protocol'): Route => ({
  path,
  audience,
  methods: { GET: async ({ pathParameters }) => json(200, [path, pathParameters]) },
});

const routes: readonly Route[] = [
  route('/', 'page'),
  { path: '/api', audience: 'api', methods: {} },
  route('/api/users/:name'),
  route('/api/users/all'),
  route('/api/users/:name/token'),
  route('/api/*rest'),
  route('/device', 'page'),
  route('/device/code', 'protocol'),
];

describe('the path of a request', () => {
  let server: Server;
  let port: number;
  before(async () => {
    ({ server, port } = await serveRoutes(routes));
  });
  after(() => server.close());

  async function responseTo(target: string, { method = 'GET', accept = '*/*' } = {}) {
    const head = `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nAccept: ${accept}\r\nConnection: close\r\n\r\n`;
    const text = await rawText(`http://127.0.0.1:${port}`, head);
    return {
      status: Number(text.slice(9, 12)),
      head: text.split('\r\n\r\n', 1)[0] ?? '',
      body: text.split('\r\n\r\n')[1] ?? '',
    };
  }

  async function found(target: string): Promise<unknown> {
    const { status, body } = await responseTo(target);
    return status === 200 ? JSON.parse(body) : status;
  }

  it('matches an exact path before one with parameters', async () => {
    expect(await found('/api/users/all')).to.deep.equal(['/api/users/all', {}]);
    expect(await found('/api/users/bob')).to.deep.equal(['/api/users/:name', { name: 'bob' }]);
  });

  it('has decoded parameters, and several segments if the route allows them', async () => {
    expect(await found('/api/users/a%2Fb%20c/token')).to.deep.equal(['/api/users/:name/token', { name: 'a/b c' }]);
    expect(await found('/api/else/x%20y')).to.deep.equal(['/api/*rest', { rest: 'else/x y' }]);
  });

  it('does not match in another case, with a trailing slash, or if it cannot be decoded', async () => {
    for (const target of ['/Device', '/device/', '/API/users/bob', '/api/%zz', '/%zz', '/nowhere', '//', '//device']) {
      expect([target, await found(target)]).to.deep.equal([target, 404]);
    }
  });

  it('ends only at the question mark', async () => {
    expect(await found('/device?a=%zz#b')).to.deep.equal(['/device', {}]);
    expect(await found('/device#b')).to.equal(404);
    expect(await found('/api/users/a#b')).to.deep.equal(['/api/users/:name', { name: 'a#b' }]);
  });

  it('is that of a target in absolute form, which must have one', async () => {
    expect(await found('http://idp.example/device?a=b')).to.deep.equal(['/device', {}]);
    expect(await found('http://idp.example')).to.equal(404);
    expect((await responseTo('*', { method: 'OPTIONS' })).status).to.equal(404);
  });

  it('does not match a route without methods', async () => {
    expect(await found('/api')).to.equal(404);
  });

  verifies('HDR-19', 'without a match gets the error format of the nearest route above it', async () => {
    const forms: unknown[] = [];
    for (const target of ['/api', '/api/', '/device/x', '/device/code/x', '/device/coder', '/x/y']) {
      const { head } = await responseTo(target, { accept: 'text/html' });
      forms.push([target, head.includes('text/html') ? 'page' : 'JSON']);
    }
    expect(forms).to.deep.equal([
      ['/api', 'JSON'],
      ['/api/', 'JSON'],
      ['/device/x', 'page'],
      ['/device/code/x', 'JSON'],
      ['/device/coder', 'page'],
      ['/x/y', 'page'],
    ]);
  });

  verifies('HDR-20', 'reports its methods for OPTIONS and with 405, and handles HEAD as GET', async () => {
    const methodsReported = async (method: string) => {
      const { status, head, body } = await responseTo('/device', { method });
      return [status, /^Allow: (.*)$/im.exec(head)?.[1], body === ''];
    };
    expect(await methodsReported('OPTIONS')).to.deep.equal([204, 'GET, HEAD, OPTIONS', true]);
    expect(await methodsReported('POST')).to.deep.equal([405, 'GET, HEAD, OPTIONS', false]);
    expect(await methodsReported('PROPFIND')).to.deep.equal([405, 'GET, HEAD, OPTIONS', false]);
    expect(await methodsReported('HEAD')).to.deep.equal([200, undefined, true]);
  });

  it('belongs to one route', async () => {
    const twice = await serveRoutes([route('/a'), route('/a')]).then(
      () => 'served',
      (error: unknown) => String(error),
    );
    expect(twice).to.equal('Error: two routes for /a');
  });
});

describe('the served paths', () => {
  it('are matched by no other route before their own', () => {
    const withParameters = servedRoutes.filter(({ path }) => /[:*]/.test(path));
    const matches = ({ path: pattern }: Route, path: string) =>
      new RegExp(`^${pattern.replaceAll(/\/:\w+/g, '/[^/]+').replace(/\*\w+/, '.+')}$`).test(path);
    // After every other route of its area, so that it gets what they do not match.
    const rest = '/api/*path';
    for (const { path, methods } of servedRoutes) {
      if (/[:*]/.test(path) || Object.keys(methods).length === 0 || path.startsWith('/api/')) continue;
      const others = withParameters.filter((one) => one.path !== rest && matches(one, path));
      // Within an area exact paths come first. No pattern may hide a path of another area.
      expect(
        others.map((one) => one.path.split('/')[1]),
        path,
      ).to.deep.equal(others.map(() => path.split('/')[1]));
    }
  });
});
