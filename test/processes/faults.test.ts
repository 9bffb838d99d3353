// Faults across processes: they fire exactly as often as requested, and live as long as the store.
import { expect } from 'chai';
import { faultOf, setFault } from '#test/support/faults.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { call, token } from '#test/support/token-flows.ts';
import { verifies } from '#test/support/verifies.ts';
import { interactive } from '#test/support/worlds.ts';

describe('faults across processes', function () {
  this.timeout(60_000);

  verifies(
    ['FLT-15', 'FLT-18', 'FLT-34'],
    'fire as often as requested at all front ends, and survive a restart',
    async () => {
      const one = await startIdp({ world: interactive });
      const other = await startIdp({ root: one.root, world: interactive });
      try {
        const fault = await setFault(one, 'status', { at: ['jwks', 'token'], times: 7 });
        const ask = (idp: RunningIdp, turn: number) =>
          turn % 2 === 0 ? call(idp, '/.well-known/jwks.json') : token(idp, { grant_type: 'client_credentials' });
        const answers = await Promise.all(
          Array.from({ length: 200 }, (_, turn) => ask(turn % 3 === 0 ? one : other, turn)),
        );
        expect(answers.filter(({ status }) => status === 500)).to.have.length(7);
        expect(answers.filter(({ status }) => status === 200)).to.have.length(193);
        expect(await faultOf(other, fault)).to.include({ hits: 7, remaining: 0 });
        const kept = await setFault(other, 'status', { at: 'jwks', times: 2 });
        expect((await call(one, '/.well-known/jwks.json')).status).to.equal(500);
        await other.stop();
        const again = await startIdp({ root: one.root, world: interactive });
        try {
          expect(await faultOf(again, kept)).to.include({ hits: 1, remaining: 1 });
          expect((await call(again, '/.well-known/jwks.json')).status).to.equal(500);
          expect((await call(one, '/.well-known/jwks.json')).status).to.equal(200);
        } finally {
          await again.stop();
        }
      } finally {
        await one.stop();
      }
    },
  );
});
