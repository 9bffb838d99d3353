// The keys that a client publishes at its jwks_uri: how long they are valid, and when they are fetched again.
import { expect } from 'chai';
import { ClientJwtRefusedError, verifyClientJwt } from '#services/oidc/client-documents/client-keys.ts';
import { instant } from '#shared/base/clock.ts';
import type { ManagementContext } from '#shared/engine/exchange/request.ts';
import { type ClockState, movableClock, realTime } from '#shared/model/domain/movable-clock.ts';
import { type ClientKey, clientKey } from '#test/support/client-keys.ts';
import { type EndpointContext, openEndpointContext } from '#test/support/endpoint-context.ts';
import { manualClock } from '#test/support/manual-clock.ts';
import { type MetadataHost, serveJson, startMetadataHost } from '#test/support/metadata-host.ts';
import { createTestAuthority } from '#test/support/test-authority.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the published keys of a client', () => {
  let host: MetadataHost;
  let real: ReturnType<typeof manualClock>;
  let state: ClockState;
  let opened: EndpointContext;
  let context: ManagementContext;
  let one: ClientKey;
  let two: ClientKey;

  before(async () => {
    [one, two] = [await clientKey('one'), await clientKey('two')];
    host = await startMetadataHost(await createTestAuthority());
  });
  after(() => host.close());
  beforeEach(async () => {
    const client_fetch = { allowed_hosts: [`localhost:${host.port}`], allow_loopback: true, verify_tls: false };
    const [jwks_uri, token_endpoint_auth_method] = [`https://localhost:${host.port}/jwks`, 'private_key_jwt'];
    const clients = [{ client_id: 'far', jwks_uri, token_endpoint_auth_method }];
    state = realTime;
    real = manualClock(1_800_000_000_000);
    opened = await openEndpointContext(
      { settings: { oauth: { client_fetch, clients } } },
      { clock: movableClock(() => state, real) },
    );
    context = opened.context;
    host.requests.length = 0;
    host.answer = serveJson({ keys: [one.jwk] });
  });
  afterEach(() => opened.close());

  /** Whether signatures of this key are accepted, and how often the host was requested so far. */
  async function presented(key: ClientKey): Promise<readonly [boolean, number]> {
    const client = context.snapshot.clients.get('far');
    if (client === undefined) throw new Error('no such client');
    const jwt = await key.sign({ iss: 'far' });
    const counts = await verifyClientJwt(jwt, client, { algorithms: ['RS256'] }, context).then(
      () => true,
      (error: unknown) => {
        if (error instanceof ClientJwtRefusedError) return false;
        throw error;
      },
    );
    return [counts, host.requests.length];
  }

  verifies('SSO-51', 'are fetched again at once for an unknown kid, but only once in 10 s', async () => {
    expect(await presented(one)).to.deep.equal([true, 1]);
    host.answer = serveJson({ keys: [two.jwk] });
    expect(await presented(two)).to.deep.equal([true, 2]);
    expect(await presented(one)).to.deep.equal([false, 2]);
    host.answer = serveJson({ keys: [one.jwk] });
    real.advance(9_999);
    expect(await presented(one)).to.deep.equal([false, 2]);
    real.advance(1);
    expect(await presented(one)).to.deep.equal([true, 3]);
  });

  verifies('SSO-51', 'are fetched once for many unknown kids, even if the host fails', async () => {
    expect(await presented(one)).to.deep.equal([true, 1]);
    const answers = await Promise.all([1, 2, 3, 4].map(() => presented(two)));
    expect(answers.map(([counts]) => counts)).to.deep.equal([false, false, false, false]);
    expect(host.requests).to.have.length(2);
    real.advance(10_000);
    host.answer = (_request, response) => response.writeHead(500).end();
    for (const _ of [1, 2]) expect(await presented(two)).to.deep.equal([false, 3]);
    expect(await presented(one)).to.deep.equal([true, 3]);
  });

  verifies('SSO-51', 'are awaited by every request with the new kid while they are fetched', async () => {
    expect(await presented(one)).to.deep.equal([true, 1]);
    host.answer = serveJson({ keys: [two.jwk] });
    const answers = await Promise.all([1, 2, 3].map(() => presented(two)));
    expect(answers.map(([counts]) => counts)).to.deep.equal([true, true, true]);
    expect(host.requests).to.have.length(2);
  });

  verifies('SSO-51', "expire after 300 s of the namespace's clock", async () => {
    expect(await presented(one)).to.deep.equal([true, 1]);
    state = { offsetMilliseconds: 299_999, frozenAt: undefined };
    expect(await presented(one)).to.deep.equal([true, 1]);
    state = { offsetMilliseconds: 300_000, frozenAt: undefined };
    expect(await presented(one)).to.deep.equal([true, 2]);
    state = { offsetMilliseconds: -1, frozenAt: undefined };
    expect(await presented(one)).to.deep.equal([true, 3]);
  });

  verifies(
    ['SSO-51', 'TIM-19'],
    'also expire while that clock is frozen, which does not delay a new key either',
    async () => {
      state = { offsetMilliseconds: 0, frozenAt: instant(real.now()) };
      expect(await presented(one)).to.deep.equal([true, 1]);
      expect(await presented(two)).to.deep.equal([false, 2]);
      host.answer = serveJson({ keys: [two.jwk] });
      real.advance(10_000);
      expect(await presented(two)).to.deep.equal([true, 3]);
      real.advance(299_999);
      expect(await presented(two)).to.deep.equal([true, 3]);
      real.advance(1);
      expect(await presented(two)).to.deep.equal([true, 4]);
    },
  );
});
