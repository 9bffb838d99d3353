// Two programs on one store and one configuration receive simultaneous requests for a code, a refresh token under rotation,
// an approved device code and the last free registration. Exactly one request gets each. Each round is a new race.
import { expect } from 'chai';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import {
  type Answer,
  approveDevice,
  beginDevice,
  call,
  codeFor,
  isActive,
  pollDevice,
  publicTokens,
  redeemCode,
  refresh,
  refusalOf,
} from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { callback, interactive } from '#test/support/worlds.ts';

const raceRounds = 200;

describe('two programs on one store', () => {
  let first: RunningIdp;
  let second: RunningIdp;
  before(async () => {
    first = await startIdp({
      world: interactive,
      settings: { oauth: { dynamic_registration: { enabled: true, max_clients: 3 } } },
    });
    second = await startIdp({ command: 'oidc', root: first.root });
  });
  after(async () => {
    await second?.stop();
    await first?.stop();
  });

  /** The second program in the form that the helpers expect. */
  const twin = (): RunningIdp => ({ ...first, baseUrl: second.baseUrl });

  /** Expects one success and otherwise invalid_grant. */
  function winnerOf(answers: readonly Answer[], about: string): Answer {
    const won = answers.filter(({ status }) => status === 200);
    expect(won, about).to.have.length(1);
    for (const lost of answers.filter(({ status }) => status !== 200)) {
      expect(refusalOf(lost), about).to.deep.equal([400, 'invalid_grant']);
    }
    return won[0] as Answer;
  }

  verifies(['GRT-10', 'GRT-09'], 'redeem one code: one gets tokens, and the other revokes them', async () => {
    for (let round = 0; round < raceRounds; round += 1) {
      const code = await codeFor(first);
      const winner = winnerOf(await Promise.all([redeemCode(first, code), redeemCode(twin(), code)]), `round ${round}`);
      if (round % 20 > 0) continue;
      for (const text of [winner.body.access_token, winner.body.refresh_token]) {
        expect(await isActive(first, String(text))).to.equal(false);
        expect(await isActive(second, String(text))).to.equal(false);
      }
    }
  });

  verifies(
    ['REF-16', 'REF-15'],
    'use one refresh token under rotation: one gets tokens, and the family is revoked for both',
    async () => {
      const spa = { client_id: 'spa' };
      for (let round = 0; round < raceRounds; round += 1) {
        const { refresh_token: text } = await publicTokens(first);
        const answers = await Promise.all([refresh(first, text, spa, {}), refresh(twin(), text, spa, {})]);
        const winner = winnerOf(answers, `round ${round}`);
        for (const program of [first, twin()]) {
          const next = await refresh(program, String(winner.body.refresh_token), spa, {});
          expect(refusalOf(next), `round ${round}`).to.deep.equal([400, 'invalid_grant']);
        }
      }
    },
  );

  verifies('GRT-25', 'poll one approved device code: one gets tokens', async () => {
    for (let round = 0; round < raceRounds; round += 1) {
      const device = await beginDevice(first);
      await approveDevice(first, device.user_code);
      const polls = [pollDevice(first, device.device_code), pollDevice(twin(), device.device_code)];
      winnerOf(await Promise.all(polls), `round ${round}`);
    }
  });

  verifies('DCR-19', 'accept exactly as many registrations as slots exist', async () => {
    const register = (program: { baseUrl: string }) =>
      call(program, '/register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [callback] }),
      });
    for (let round = 0; round < 20; round += 1) {
      const programs = Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? first : second));
      const answers = await Promise.all(programs.map(register));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([201, 201, 201, ...Array(7).fill(429)]);
      expect((await call(second, '/api/runtime', { method: 'DELETE' })).body.clients_deleted).to.equal(3);
    }
  });
});
