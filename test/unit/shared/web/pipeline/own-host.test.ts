import { expect } from 'chai';
import { json } from '#shared/engine/exchange/reply.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { rawText } from '#test/support/http.ts';
import { serveRoutes } from '#test/support/served-routes.ts';

const users: Route = { path: '/users', audience: 'api', methods: { GET: async () => json(200, {}) } };

async function statusAt(host: string | undefined, boundHost: string, settings: object = {}) {
  const { server, port } = await serveRoutes([users], { services: { boundHost }, snapshot: snapshotOf({ settings }) });
  try {
    const line = host === undefined ? '' : `Host: ${host}\r\n`;
    const response = await rawText(`http://127.0.0.1:${port}`, `GET /users HTTP/1.0\r\n${line}\r\n`);
    return Number(response.slice('HTTP/1.1 '.length).slice(0, 3));
  } finally {
    server.close();
  }
}
describe('the Host check of the web UI and of /api', () => {
  it('accepts the name that the server is bound to', async () => {
    expect(await statusAt('idp.company.dev:8000', 'IDP.company.dev')).to.equal(200);
    expect(await statusAt('other.company.dev:8000', 'IDP.company.dev')).to.equal(421);
  });

  it('applies to every address beyond loopback', async () => {
    for (const boundHost of ['0.0.0.0', '::', '[::]', '192.168.1.5', '2001:db8::1', 'test-idp']) {
      expect(await statusAt('evil.com', boundHost), boundHost).to.equal(421);
      expect(await statusAt('localhost', boundHost), boundHost).to.equal(200);
    }
  });

  it('accepts only hosts of this machine while the server is bound to loopback', async () => {
    for (const boundHost of ['127.0.0.1', '::1', '[::1]', 'localhost', 'LOCALHOST']) {
      for (const host of ['evil.com', 'idp.test', 'test-idp', '192.168.1.5']) {
        expect(await statusAt(host, boundHost, { management_secret: 'a long management secret' }), host).to.equal(421);
      }
      expect(await statusAt('localhost', boundHost), boundHost).to.equal(200);
    }
  });

  it('does not apply to requests without Host, which no browser sends', async () => {
    for (const boundHost of ['127.0.0.1', '0.0.0.0']) expect(await statusAt(undefined, boundHost)).to.equal(200);
  });
});
