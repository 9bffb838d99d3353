// The promotion of a runtime object as a value: each transition, the fate of the object, and its single event.
import { expect } from 'chai';
import {
  type Claim,
  claimPromotion,
  free,
  isClaimedBy,
  noteWritten,
  type Promotion,
  reconcile,
  removeIdentity,
  retirePromoted,
  settleDeadClaim,
} from '#shared/model/domain/promotion.ts';
import { at, event } from '#test/contract/store-under-test.ts';

const zoe = { kind: 'user', name: 'zoe' } as const;
const promoting = event('runtime_identity_promoted', { username: 'zoe', ip_address: '127.0.0.1', details: { ...zoe } });
const claim: Claim = { claim: 'c1', owner: 'process-1', promoting };
const claimed: Promotion = { state: 'claimed', ...claim };
const written: Promotion = { state: 'written', claim: 'c1', promoting, generation: 3 };

describe('a promotion', () => {
  it('begins only with a free object', () => {
    expect(claimPromotion(free, claim)).to.deep.equal(claimed);
    expect([claimed, written].map((promotion) => claimPromotion(promotion, claim))).to.deep.equal([
      undefined,
      undefined,
    ]);
  });

  it('belongs to its claim until it is written or settled', () => {
    expect(isClaimedBy(claimed, 'c1')).to.equal(true);
    for (const other of [isClaimedBy(claimed, 'c2'), isClaimedBy(written, 'c1'), isClaimedBy(undefined, 'c1')]) {
      expect(other).to.equal(false);
    }
    expect(noteWritten(claimed, 3)).to.deep.equal(written);
    expect([free, written].map((promotion) => noteWritten(promotion, 3))).to.deep.equal([undefined, undefined]);
  });

  it('ends with the event of the request that began it', () => {
    expect(retirePromoted(claimed)).to.deep.equal({ becomes: 'removed', event: promoting });
    expect([free, written].map(retirePromoted)).to.deep.equal([undefined, undefined]);
  });

  it('of a dead process is settled according to the file', () => {
    const recovered = (outcome: string) => ({
      ...promoting,
      event_type: 'runtime_identity_promotion_recovered',
      at: at(9),
      status: 'success',
      details: { ...zoe, outcome },
    });
    expect(settleDeadClaim(zoe, claimed, 'declared', { at: at(9) })).to.deep.equal({
      becomes: 'removed',
      event: recovered('declared'),
    });
    expect(settleDeadClaim(zoe, claimed, 'runtime', { at: at(9) })).to.deep.equal({
      becomes: free,
      event: recovered('runtime'),
    });
    expect(settleDeadClaim(zoe, written, 'runtime', { at: at(9) })).to.equal(undefined);
  });

  it('that was written is decided only by a newer load', () => {
    const load = (promotion: Promotion, isDeclared: boolean, generation = 4) =>
      reconcile(zoe, promotion, { isDeclared, generation }, { at: at(9) });
    expect(load(written, true, 3)).to.equal(undefined);
    expect(load(written, true)).to.deep.equal({
      outcome: 'promoted',
      becomes: 'removed',
      event: { ...promoting, at: at(9) },
    });
    expect(load(written, false)).to.deep.equal({
      outcome: 'abandoned',
      becomes: free,
      event: {
        ...promoting,
        event_type: 'runtime_identity_promotion_abandoned',
        at: at(9),
        status: 'failed',
        details: { ...zoe, reason: String(load(written, false)?.event.details?.reason) },
      },
    });
    expect(load(written, false)?.event.details?.reason).to.include('the file did not declare it');
    expect([load(claimed, true), load(claimed, false), load(free, false)]).to.deep.equal([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is not needed for a free object that a load declares, which is removed with its own event', () => {
    const declared = { isDeclared: true, generation: 1 };
    const removed = { event_type: 'runtime_identity_removed_on_reload', at: at(9), status: 'success' };
    expect(reconcile(zoe, free, declared, { at: at(9) })).to.deep.equal({
      outcome: 'removed',
      becomes: 'removed',
      event: { ...removed, username: 'zoe', details: zoe },
    });
    const app = { kind: 'client', name: 'app' } as const;
    expect(reconcile(app, free, declared, { at: at(9) })?.event).to.deep.equal({
      ...removed,
      client_id: 'app',
      details: app,
    });
  });

  it('prevents the removal of its object', () => {
    expect((['free', 'claimed', 'written', undefined] as const).map(removeIdentity)).to.deep.equal([
      'removed',
      'promotion_in_progress',
      'promotion_in_progress',
      'unknown',
    ]);
  });
});
