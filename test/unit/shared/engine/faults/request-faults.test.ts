// Which of the faults that a request meets fires, and when there is no place to hold its answer.
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import { faultNamed } from '#shared/engine/faults/catalogue/index.ts';
import type { FaultSite, RequestFacts } from '#shared/engine/faults/fault-row.ts';
import { heldAnswers, heldAnswersMax } from '#shared/engine/faults/held-answers.ts';
import { type Candidate, RequestFaults } from '#shared/engine/faults/request-faults.ts';
import { verifies } from '#test/support/verifies.ts';

// What these rows do not look at is not there.
const site = { endpoint: 'token', issuer: 'http://idp.example', facts: {} } as FaultSite;

function candidate(name: string, given: Readonly<Record<string, unknown>> = {}): Candidate {
  const row = faultNamed(name) ?? expect.fail(name);
  const { delay_ms, ...own } = given;
  const fault = {
    ...{ id: name, fault: name, at: row.at, when: {}, times: 1, remaining: 1, hits: 0, fetches: 0, quiet: false },
    ...{ ttl_seconds: null, expiresAt: undefined, unknownKey: undefined, createdAt: instant(0) },
    origin: 'runtime',
    parameters: delay_ms === undefined ? own : { ...own, delay_ms },
  } as const;
  return { fault, row, site, transform: row.transform(own) };
}

function meeting(candidates: readonly Candidate[], { claims = true, held = heldAnswers() } = {}) {
  const asked: string[] = [];
  const met = new RequestFaults({
    candidates,
    claim: async (id) => {
      asked.push(id);
      return claims;
    },
    hold: held.acquire,
    canRotateKey: async () => true,
    rotateKey: () => expect.fail('no row here rotates it'),
    replyOf: () => json(400, { error: 'invalid_request' }),
    request: { method: 'POST', headers: {} },
  });
  return { met, asked };
}

const granted = { scope: ['s'], without: () => expect.fail('no row here leaves a scope out') };

const right: Reply = json(200, { access_token: 'a' });

describe('the faults of a request', () => {
  verifies('FLT-16', 'fire in the order of their creation, one of them', async () => {
    const { met, asked } = meeting([candidate('access_token_missing'), candidate('status'), candidate('empty_body')]);
    expect(await met.before()).to.equal(undefined);
    expect(await met.outputHooks.tokenResponse?.({ access_token: 'a', scope: 's' }, granted)).to.deep.equal({
      scope: 's',
    });
    await met.settle({ reply: right });
    expect([met.fired?.row.name, asked]).to.deep.equal(['access_token_missing', ['access_token_missing']]);
  });

  verifies('FLT-16', 'let the next one fire when the first cannot take effect', async () => {
    const { met } = meeting([candidate('access_token_missing'), candidate('wrong_content_type')]);
    await met.outputHooks.tokenResponse?.({ scope: 's' }, granted);
    expect(met.fired?.row.name).to.equal('wrong_content_type');
    const refused = meeting([candidate('access_token_missing'), candidate('status')]);
    expect(await refused.met.before()).to.equal(undefined);
    await refused.met.settle({ error: new Error('refused') });
    expect(refused.met.fired?.row.name).to.equal('status');
  });

  verifies(
    'FLT-16',
    'let the next one stand in place of the endpoint where the request tells that the first cannot',
    async () => {
      const inPlace = async (first: string, facts: RequestFacts) => {
        const candidates = [candidate(first), candidate('status')].map((one) => ({ ...one, site: { ...site, facts } }));
        return (await meeting(candidates).met.before())?.row.name;
      };
      const own = { grant_type: 'client_credentials' };
      const code = { grant_type: 'authorization_code' };
      expect(await inPlace('token_expired', own), 'without ID token').to.equal('status');
      expect(await inPlace('token_expired', { ...code, scope: ['email'] })).to.equal('status');
      expect(await inPlace('token_expired', { ...code, scope: ['openid'] })).to.equal(undefined);
      expect(await inPlace('token_expired', code), 'nobody knows').to.equal(undefined);
      expect(await inPlace('access_token_missing', own)).to.equal(undefined);
    },
  );

  verifies('FLT-18', 'change nothing when the claim is lost', async () => {
    const { met, asked } = meeting([candidate('access_token_missing')], { claims: false });
    expect(await met.outputHooks.tokenResponse?.({ access_token: 'a' }, granted)).to.deep.equal({ access_token: 'a' });
    expect([met.fired, asked]).to.deep.equal([undefined, ['access_token_missing']]);
  });

  verifies('FLT-25', 'are answered without their fault, uncounted, when 500 answers are held', async () => {
    const held = heldAnswers();
    const releases = Array.from({ length: heldAnswersMax }, () => held.acquire() ?? expect.fail());
    expect([releases.length, held.acquire()]).to.deep.equal([500, undefined]);
    for (const waiting of [candidate('delay'), candidate('hang'), candidate('status', { delay_ms: 1 })]) {
      const { met, asked } = meeting([waiting], { held });
      expect(await met.before()).to.equal(undefined);
      await met.settle({ reply: right });
      expect([met.fired, asked], waiting.row.name).to.deep.equal([undefined, []]);
    }
    const free = meeting([candidate('status')], { held });
    expect((await free.met.before())?.row.name).to.equal('status');
    releases[0]?.();
    const { met } = meeting([candidate('hang')], { held });
    expect((await met.before())?.row.name).to.equal('hang');
    met.release();
    met.release();
    expect([held.acquire() !== undefined, held.acquire()]).to.deep.equal([true, undefined]);
  });

  it('a place is given back when the claim is lost', async () => {
    const held = heldAnswers();
    for (let turn = 0; turn <= heldAnswersMax; turn += 1) {
      const { met } = meeting([candidate('hang')], { held, claims: false });
      await met.before();
    }
    expect(held.acquire()).to.be.a('function');
  });
});
