import { expect } from 'chai';
import type { Route } from '#shared/engine/exchange/route.ts';
import type { Exchange, FrontendParts } from '#shared/web/pipeline/exchange.ts';
import { refuseForeignHost } from '#shared/web/pipeline/own-host.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';

const page: Route = { path: '/users', surface: 'api', methods: {} };

async function statusAt(host: string | undefined, boundHost: string, settings: object = {}) {
  const snapshot = snapshotOf({ settings });
  const parts = {
    services: { boundHost, configuration: { current: async () => snapshot } },
    rules: { forwardedHostOf: () => undefined },
  } as unknown as FrontendParts;
  const exchange = { message: { headers: { host } } } as unknown as Exchange;
  return (await refuseForeignHost(page, exchange, parts))?.status;
}

describe('the hosts of the web UI and of /api', () => {
  it('include the name that the server is bound to', async () => {
    expect(await statusAt('idp.company.dev:8000', 'IDP.company.dev')).to.equal(undefined);
    expect(await statusAt('other.company.dev:8000', 'IDP.company.dev')).to.equal(421);
  });

  it('are checked for every address beyond loopback', async () => {
    for (const boundHost of ['0.0.0.0', '::', '[::]', '192.168.1.5', '2001:db8::1', 'test-idp']) {
      expect(await statusAt('evil.com', boundHost), boundHost).to.equal(421);
      expect(await statusAt('localhost', boundHost), boundHost).to.equal(undefined);
    }
  });

  it('are those of this machine alone while the server is bound to loopback', async () => {
    for (const boundHost of ['127.0.0.1', '::1', '[::1]', 'localhost', 'LOCALHOST']) {
      for (const host of ['evil.com', 'idp.test', 'test-idp', '192.168.1.5']) {
        expect(await statusAt(host, boundHost, { management_secret: 'a long management secret' }), host).to.equal(421);
      }
      expect(await statusAt('localhost', boundHost), boundHost).to.equal(undefined);
    }
  });

  it('are not asked of a request without Host, which no browser sends', async () => {
    for (const boundHost of ['127.0.0.1', '0.0.0.0']) expect(await statusAt(undefined, boundHost)).to.equal(undefined);
  });
});
