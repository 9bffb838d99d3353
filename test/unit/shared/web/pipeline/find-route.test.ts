import { expect } from 'chai';
import { json } from '#shared/engine/exchange/reply.ts';
import type { Route, Surface } from '#shared/engine/exchange/route.ts';
import { routeTable } from '#shared/web/pipeline/find-route.ts';

const methods = { GET: async () => json(200, {}) };
const route = (path: string, surface: Surface = 'api'): Route => ({ path, surface, methods });

describe('the table of routes', () => {
  const table = routeTable([
    route('/', 'page'),
    { path: '/api', surface: 'api', methods: {} },
    route('/api/users/:name'),
    route('/api/users/all'),
    route('/api/users/:name/token'),
    route('/api/*rest'),
    route('/device', 'page'),
    route('/device/code', 'protocol'),
  ]);
  const found = (path: string) => {
    const match = table.find(path);
    return match && [match.route.path, { ...match.pathParameters }];
  };

  it('finds an exact path before one with parameters', () => {
    expect(found('/api/users/all')).to.deep.equal(['/api/users/all', {}]);
    expect(found('/api/users/bob')).to.deep.equal(['/api/users/:name', { name: 'bob' }]);
  });

  it('decodes parameters, and takes several segments where the route does', () => {
    expect(found('/api/users/a%2Fb%20c/token')).to.deep.equal(['/api/users/:name/token', { name: 'a/b c' }]);
    expect(found('/api/else/x%20y')).to.deep.equal(['/api/*rest', { rest: 'else/x y' }]);
  });

  it('knows neither another case, nor a slash at the end, nor what cannot be decoded', () => {
    for (const path of ['/Device', '/device/', '/API/users/bob', '/api/%zz', '/%zz', '/nowhere']) {
      expect([path, found(path)]).to.deep.equal([path, undefined]);
    }
  });

  it('takes a route without methods for no route', () => {
    expect(found('/api')).to.equal(undefined);
  });

  it('asks the nearest route above an unknown path for its surface', () => {
    const surfaces = ['/api', '/api/', '/device/x', '/device/code/x', '/device/coder', '/x/y'].map((path) => [
      path,
      table.surfaceAround(path),
    ]);
    expect(surfaces).to.deep.equal([
      ['/api', 'api'],
      ['/api/', 'api'],
      ['/device/x', 'page'],
      ['/device/code/x', 'protocol'],
      ['/device/coder', 'page'],
      ['/x/y', 'page'],
    ]);
  });

  it('refuses two routes of one path', () => {
    expect(() => routeTable([route('/a'), route('/a')])).to.throw('two routes for /a');
  });
});
