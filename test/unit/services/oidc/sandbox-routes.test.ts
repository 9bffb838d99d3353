// The routes that exist in a sandbox. A new route must be added to one of these lists.
import { expect } from 'chai';
import { oidcRoutes } from '#services/oidc/app.ts';
import { samlFrontendRoutes } from '#services/saml/app.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { sandboxRoutes } from '#shared/web/pipeline/sandbox-routes.ts';
import { verifies } from '#test/support/verifies.ts';

/** Protocol endpoints, and the pages for login and devices. */
const protocol = [
  ...['/.well-known', '/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'],
  ...['/.well-known/jwks.json', '/authorize', '/par', '/token', '/userinfo', '/introspect', '/revoke', '/register'],
  ...['/register/:client_id', '/device_authorization', '/device/code', '/device', '/logout', '/end_session'],
  ...[
    '/saml',
    '/saml/metadata',
    '/saml/cert.pem',
    '/saml/sso',
    '/saml/idp-initiated',
    '/saml/slo',
    '/saml/attribute-query',
  ],
];
const api =
  /^\/api(?:\/(?:health|users|config|keys|runtime|audit|clock|faults|service-providers|sessions|consents|clients\/:client_id\/token|recorder|flows|exchanges|expect|verdict|exams)(?:\/.*)?)?$/;
/** The targets of forms on these pages. */
const pages =
  /^\/(?:(?:login|ui\/logout|service-providers|(?:test|audit|clock|faults|sessions|flows|verdict)(?:\/.*)?))?$/;
const otherApiPaths = '/api/*path';
/** Describes the operations, so it exists wherever they do (OAS-01). */
const description = '/openapi.json';

const pathsOf = (routes: readonly Route[]) => new Set(routes.map(({ path }) => path));

describe('the routes of a sandbox', () => {
  verifies(['SBX-20', 'SBX-21'], 'are those of the protocols, and these', () => {
    const all = [...oidcRoutes, ...samlFrontendRoutes];
    const there = pathsOf(sandboxRoutes(all));
    const expected = [...pathsOf(all)].filter((path) => {
      if (path === '/api/config/reload') return false;
      return (
        protocol.includes(path) || api.test(path) || pages.test(path) || path === otherApiPaths || path === description
      );
    });
    expect([...there].sort()).to.deep.equal(expected.sort());
    for (const path of protocol) expect(there.has(path), path).to.equal(true);
    for (const path of ['/api/health', '/api/users', '/', '/login', '/audit'])
      expect(there.has(path), path).to.equal(true);
    for (const path of ['/api/sandboxes', '/users', '/health', '/management/unlock']) {
      expect(there.has(path), path).to.equal(false);
    }
  });
});
