// A client that waits for exchanges occupies a slot until its response was read, in its own namespace only.
import { expect } from 'chai';
import { connectHttp } from '#test/support/mcp-client.ts';
import { until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';

const wanted = { endpoint: 'revoke', at_least: 1 };
const placesOfNamespace = 100;

describe('slots of clients that wait for exchanges', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ args: ['--mcp-port', '0'] });
    expect((await idp.api('POST', '/api/sandboxes', { name: 'box' })).status).to.equal(201);
  });
  after(() => idp.stop());

  const ask = async (path: string) => (await idp.api('POST', path, { ...wanted, within_seconds: 0 })).body.kind;

  it('are released when the clients leave, and each sandbox has its own', async () => {
    const clients = new AbortController();
    const waiting = Array.from({ length: placesOfNamespace }, () =>
      fetch(`${idp.baseUrl}/api/expect`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...wanted, within_seconds: 60 }),
        signal: clients.signal,
      }).then(
        () => 'answered',
        () => 'left',
      ),
    );
    await until('all slots are taken', async () => (await ask('/api/expect')) === 'expect_limit');
    const refused = await idp.api('POST', '/api/expect', { ...wanted, within_seconds: 0 });
    expect(refused.body.error).to.include('100 expectations');
    expect(await ask('/s/box/api/expect'), 'in a sandbox').to.equal('not_held');
    clients.abort();
    expect(new Set(await Promise.all(waiting))).to.deep.equal(new Set(['left']));
    await until('a slot is free', async () => (await ask('/api/expect')) === 'not_held', 15_000);
    await until(
      'all slots are free',
      async () => {
        const further = await Promise.all(Array.from({ length: placesOfNamespace }, () => ask('/api/expect')));
        return further.every((kind) => kind === 'not_held');
      },
      15_000,
    );
  });

  it('are released when an MCP client leaves', async () => {
    const clients = await Promise.all(Array.from({ length: placesOfNamespace }, () => connectHttp(idp.mcpUrl ?? '')));
    const waiting = clients.map((client) => client.call('expect_exchange', { ...wanted, within_seconds: 60 }));
    const ended = Promise.allSettled(waiting);
    await until('all slots are taken', async () => (await ask('/api/expect')) === 'expect_limit');
    await Promise.all(clients.map((client) => client.close()));
    await ended;
    await until('a slot is free', async () => (await ask('/api/expect')) === 'not_held', 15_000);
  });
});
