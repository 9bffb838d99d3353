// How often each kind of request queries PostgreSQL, without the check that all requests of a turn share (CLU-29). The
// recorder's queries count separately, because it writes the exchanges of many requests together. Two queries of a login
// belong to the recorder: the login page has no audit event that would notify other processes, so it is written before it
// is sent (REC-15).
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { authorizePath, codeOf, newBrowser, redeem } from '#test/support/authorization-flow.ts';
import { alice, web } from '#test/support/credentials.ts';
import { postForm } from '#test/support/http.ts';
import { type PostgresServer, postgresOrSkip } from '#test/support/postgres-server.ts';
import { countRoundTrips, type RoundTrips } from '#test/support/round-trips.ts';
import { authnRequest, delivered, redirectQuery } from '#test/support/saml/service-provider.ts';
import { makeSharedRoot, type SharedRoot, sharedSettings } from '#test/support/shared-root.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';

/** A worker's own periodic queries appear in some tries but never in all, even if a try takes long. */
const triesMax = 60;
const sharedLook = /\bfault_changes, recorder_switches\b/;
const ofRecorder = /\b(recorders|exchanges|flow_keys)\b/;

describe('round trips to PostgreSQL', () => {
  let server: PostgresServer;
  let trips: RoundTrips;
  let shared: SharedRoot;
  let idp: RunningIdp;
  before(async function () {
    server = await postgresOrSkip(this);
    trips = await countRoundTrips(server, sharedLook);
    // Refresh tokens need more queries if each use is recorded.
    const oauth = { ...sharedSettings.oauth, refresh_token_rotation: true };
    shared = makeSharedRoot({ ...sharedSettings, oauth, runtime: { store: 'postgres', url: trips.url } });
    idp = await startIdp({ root: shared.root, command: 'start' });
  });
  after(async () => {
    await idp?.stop();
    shared?.remove();
    await trips?.close();
    await server?.stop();
  });

  /** The statements of the first try within the limit, otherwise of the one with the fewest. */
  async function fewest<Needed>(
    most: number,
    prepare: () => Promise<Needed>,
    act: (needed: Needed) => Promise<unknown>,
  ) {
    let best: readonly string[] | undefined;
    for (let attempt = 0; attempt < triesMax && (best === undefined || best.length > most); attempt += 1) {
      const needed = await prepare();
      const before = trips.asked.length;
      await act(needed);
      const asked = trips.asked.slice(before);
      if (best === undefined || asked.length < best.length) best = asked;
    }
    return best ?? [];
  }
  const form = async (path: string, body: Record<string, string>, headers: Record<string, string> = web) => {
    const answer = await postForm(`${idp.baseUrl}${path}`, body, headers);
    expect(answer.status, path).to.equal(200);
    return answer;
  };
  const login = async () => {
    const browser = newBrowser(idp);
    const page = await browser.get(authorizePath({ scope: 'openid offline_access' }));
    const code = codeOf(await browser.submit(page, alice));
    const answer = await redeem(idp, code);
    expect(answer.status).to.equal(200);
    return answer.body;
  };
  const nothing = async () => {};
  const kinds: Readonly<
    Record<string, readonly [most: number, measure: (most: number) => Promise<readonly string[]>]>
  > = {
    client_credentials: [
      1,
      (most) => fewest(most, nothing, () => form('/token', { grant_type: 'client_credentials' })),
    ],
    introspection: [
      2,
      (most) => fewest(most, login, ({ access_token }) => form('/introspect', { token: String(access_token) })),
    ],
    userinfo: [
      2,
      (most) =>
        fewest(most, login, ({ access_token }) =>
          fetch(`${idp.baseUrl}/userinfo`, { headers: { Authorization: `Bearer ${access_token}` } }).then((answer) => {
            expect(answer.status).to.equal(200);
            return answer.text();
          }),
        ),
    ],
    refresh: [
      3,
      (most) =>
        fewest(most, login, ({ refresh_token }) =>
          form('/token', { grant_type: 'refresh_token', refresh_token: String(refresh_token) }),
        ),
    ],
    'a whole code flow with login': [11, (most) => fewest(most, nothing, login)],
    'a SAML login': [
      7,
      (most) =>
        fewest(most, nothing, async () => {
          const browser = newBrowser(idp);
          const page = await browser.get(`/saml/sso?${redirectQuery(authnRequest())}`);
          expect(delivered(await browser.submit(page, alice)).status).to.deep.equal(['Success']);
        }),
    ],
  };
  for (const [name, [most, measure]] of Object.entries(kinds)) {
    verifies('CLU-29', `are at most ${most} for ${name}`, async () => {
      const asked = await measure(most);
      expect(asked.length, asked.join('\n')).to.be.at.most(most);
    });
  }

  it('are at most 3 for each write of the recorder', async () => {
    const before = trips.asked.length;
    for (let request = 0; request < 20; request += 1) await form('/token', { grant_type: 'client_credentials' });
    const asked = () => trips.asked.slice(before).filter((message) => ofRecorder.test(message));
    const written = () => asked().filter((message) => message.includes('INSERT INTO exchanges')).length;
    while (written() === 0) await pause(10);
    expect(asked().length, asked().join('\n')).to.be.at.most(3 * written() + 2);
  });
});
