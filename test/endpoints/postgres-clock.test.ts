// Machines whose clocks differ by minutes share one PostgreSQL. They use its clock, so that each accepts what the other
// issues.
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { decodeJwt } from 'jose';
import { instant } from '#shared/base/clock.ts';
import { authorizePath } from '#test/support/authorization-flow.ts';
import { BrowserClient, redirectParameters } from '#test/support/browser-client.ts';
import { alice, web } from '#test/support/credentials.ts';
import { postForm } from '#test/support/http.ts';
import {
  emptyPostgresLocation,
  openTestPostgres,
  type PostgresServer,
  usePostgres,
} from '#test/support/postgres-server.ts';
import { authnRequest, delivered, redirectQuery } from '#test/support/saml/service-provider.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback } from '#test/support/worlds.ts';

const clockAhead = fileURLToPath(new URL('../fixtures/clock-ahead.mjs', import.meta.url));
const minute = 60_000;

describe('machines with wrong clocks on one PostgreSQL', function () {
  this.timeout(120_000);
  let server: PostgresServer;
  usePostgres((started) => {
    server = started;
  });

  verifies('CLU-23', 'measure their clock difference and correct it', async () => {
    const location = emptyPostgresLocation(server);
    for (const ahead of [-9 * minute, 0, 5 * minute]) {
      const opened = await openTestPostgres(location, { machineClock: { now: () => instant(Date.now() + ahead) } });
      try {
        expect((opened.realClock?.now() ?? 0) - Date.now()).to.be.within(-2_000, 2_000);
      } finally {
        await opened.close();
      }
    }
  });

  describe('running as stacks', () => {
    let shared: SharedRoot;
    let early: RunningIdp;
    let late: RunningIdp;
    before(async () => {
      shared = makeSharedRoot({ ...sharedSettings, runtime: { store: 'postgres', url: server.url() } });
      const startAhead = (milliseconds: number) =>
        startIdp({
          root: shared.root,
          command: 'start',
          env: { NODE_OPTIONS: `--import=${clockAhead}`, CLOCK_AHEAD_MILLISECONDS: String(milliseconds) },
        });
      [early, late] = await Promise.all([startAhead(5 * minute), startAhead(-4 * minute)]);
    });
    after(async () => {
      await early?.stop();
      await late?.stop();
      shared?.remove();
    });

    /** Within 2 s of its creation. */
    const expectMadeSince = (begun: number, epochSeconds: number | undefined) =>
      expect(epochSeconds).to.be.within(begun / 1000 - 2, Date.now() / 1000 + 2);

    verifies('CLU-23', "accept each other's codes, tokens and assertions", async () => {
      for (const [one, other] of [
        [early, late],
        [late, early],
      ] as const) {
        const browser = new BrowserClient(one.baseUrl);
        const answer = await browser.submit(await browser.get(authorizePath({ scope: 'openid' })), alice);
        const code = redirectParameters(answer).get('code') ?? '';
        const form = { grant_type: 'authorization_code', code, redirect_uri: callback };
        const asked = Date.now();
        const tokens = await (await postForm(`${other.baseUrl}/token`, form, web)).json();
        const { iat } = decodeJwt(tokens.access_token);
        expectMadeSince(asked, iat);
        const introspected = await postForm(`${one.baseUrl}/introspect`, { token: tokens.access_token }, web);
        expect((await introspected.json()).active).to.equal(true);
        const page = await browser.get(`/saml/sso?${redirectQuery(authnRequest())}`);
        const sent = Date.now();
        const { root } = delivered(await browser.submit(page, alice));
        expectMadeSince(sent, Date.parse(root.getAttribute('IssueInstant') ?? '') / 1000);
      }
    });

    verifies('CLU-23', 'log their clock difference once, and show it in GET /api/cluster', async () => {
      await until('both reported their clock difference', async () => {
        const { stacks } = (await early.api('GET', '/api/cluster')).body;
        const distances = stacks
          .map(({ clock_distance_ms }: { readonly clock_distance_ms: number | null }) =>
            Math.round((clock_distance_ms ?? 0) / minute),
          )
          .toSorted((a: number, b: number) => a - b);
        return distances.join() === '-5,4';
      });
      const clockWarnings = (idp: RunningIdp) =>
        idp.log().match(/the clock of this machine is \d+ s [a-z ]+ the clock of PostgreSQL/g);
      expect(clockWarnings(early)).to.deep.equal([
        'the clock of this machine is 300 s ahead of the clock of PostgreSQL',
      ]);
      expect(clockWarnings(late)).to.deep.equal(['the clock of this machine is 240 s behind the clock of PostgreSQL']);
    });
  });
});
