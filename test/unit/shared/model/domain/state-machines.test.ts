// The state machines of runtime state as values: what each event makes of each state, without a store.
import { expect } from 'chai';
import { type Instant, instant } from '#shared/base/clock.ts';
import { redeemCode, type StoredCode } from '#shared/model/domain/authorization-code.ts';
import { completeTransaction } from '#shared/model/domain/authorization-transaction.ts';
import { isNewGeneration } from '#shared/model/domain/configuration-generation.ts';
import {
  decideDeviceGrant,
  isDeviceRecordKept,
  pollDeviceGrant,
  redeemDeviceGrant,
} from '#shared/model/domain/device-grant.ts';
import { refuseRegistration } from '#shared/model/domain/dynamic-registration.ts';
import { makeRoomForDocument, withFetch } from '#shared/model/domain/metadata-document.ts';
import { isSecondFactorUsable, type PendingSecondFactor } from '#shared/model/domain/pending-second-factor.ts';
import { countRequest } from '#shared/model/domain/rate-window.ts';
import {
  isRefreshTokenOver,
  jtiOfRefreshToken,
  placeOfRefreshToken,
  successorOf,
  useRefreshToken,
} from '#shared/model/domain/refresh-family.ts';
import {
  type RememberedRequest,
  recallAuthnRequest,
  rememberAuthnRequest,
} from '#shared/model/domain/verified-authn-requests.ts';
import { at, deviceGrant, transaction } from '#test/contract/store-under-test.ts';

describe('an authorization transaction', () => {
  const pending = transaction('t');
  it('yields its code to its browser, in time and once its client is held', () => {
    expect(completeTransaction(pending, 'browser-1', true, at(599))).to.equal('completed');
    expect(completeTransaction(pending, 'browser-1', true, at(600))).to.equal('gone');
    expect(completeTransaction(pending, 'browser-2', true, at(0))).to.equal('gone');
    expect(completeTransaction(undefined, 'browser-1', true, at(0))).to.equal('gone');
    expect(completeTransaction(pending, 'browser-1', false, at(0))).to.equal('client_not_held');
  });
});

describe('an authorization code', () => {
  const issued: StoredCode = { clientId: 'web', tokenFamily: undefined, expiresAt: at(600) };
  const redeem = (code: StoredCode | undefined, clientId = 'web', now: Instant = at(1)) =>
    redeemCode(code, clientId, 'family-2', now);

  it('is redeemed once, and the second time revokes what the first got', () => {
    const used = { ...issued, tokenFamily: 'family-1' };
    expect(redeem(issued)).to.deep.equal({ outcome: 'redeemed', code: { ...issued, tokenFamily: 'family-2' } });
    expect(redeem(used)).to.deep.equal({ outcome: 'used', revoke: 'family-1' });
  });

  it('is unknown to others and after its time, used or not', () => {
    for (const code of [issued, { ...issued, tokenFamily: 'family-1' }]) {
      expect([redeem(code, 'other'), redeem(code, 'web', at(600)), redeem(undefined)]).to.deep.equal([
        { outcome: 'unknown' },
        { outcome: 'unknown' },
        { outcome: 'unknown' },
      ]);
    }
  });
});

describe('a device grant', () => {
  const pending = deviceGrant(1);
  const approval = { username: 'zoe', authenticatedAt: at(1), method: 'password', amr: undefined } as const;
  const approved = decideDeviceGrant(pending, { state: 'approved', ...approval }, at(1));
  const denied = decideDeviceGrant(pending, { state: 'denied' }, at(1));

  it('is decided once, in time', () => {
    expect(approved?.decision).to.deep.equal({ state: 'approved', ...approval });
    expect(denied?.decision).to.deep.equal({ state: 'denied' });
    for (const grant of [approved, denied, undefined]) {
      expect(decideDeviceGrant(grant, { state: 'denied' }, at(2))).to.equal(undefined);
    }
    expect(decideDeviceGrant(pending, { state: 'denied' }, at(600))).to.equal(undefined);
  });

  it('brings tokens once, when approved and in time', () => {
    const used = redeemDeviceGrant(approved, at(2));
    expect(used?.decision.state).to.equal('used');
    for (const grant of [used, pending, denied, undefined]) {
      expect(redeemDeviceGrant(grant, at(2))).to.equal(undefined);
    }
    expect(redeemDeviceGrant(approved, at(600))).to.equal(undefined);
  });

  it('is kept for ten minutes after its time', () => {
    expect([1199, 1200].map((seconds) => isDeviceRecordKept(pending, at(seconds)))).to.deep.equal([true, false]);
  });

  it('slows whoever polls too soon down by 5 s each time', () => {
    const first = pollDeviceGrant({ intervalSeconds: 5, lastPollAt: undefined }, at(0));
    const second = pollDeviceGrant(first.polling, at(4));
    const third = pollDeviceGrant(second.polling, at(14));
    expect([first.answer, second.answer, third.answer]).to.deep.equal(['in_time', 'slow_down', 'in_time']);
    expect(third.polling).to.deep.equal({ intervalSeconds: 10, lastPollAt: at(14) });
  });

  it('takes a poll of the future for one long ago', () => {
    const { answer } = pollDeviceGrant({ intervalSeconds: 5, lastPollAt: at(100) }, at(99));
    expect(answer).to.equal('in_time');
  });
});

describe('a pending second factor', () => {
  const factor: PendingSecondFactor = {
    id: 'p',
    browser: 'b',
    surface: '/login',
    purpose: '',
    username: 'zoe',
    passwordVerifiedAt: at(0),
  };
  it('is used with all of its key and in time', () => {
    expect(isSecondFactorUsable(factor, factor, at(299))).to.equal(true);
    expect(isSecondFactorUsable(factor, factor, at(300))).to.equal(false);
    for (const wrong of [{ id: 'q' }, { browser: 'c' }, { surface: '/device' as const }, { purpose: 'x' }]) {
      expect(isSecondFactorUsable(factor, { ...factor, ...wrong }, at(0))).to.equal(false);
    }
  });
});

describe('a family of refresh tokens', () => {
  const memory = (current: number, familyRevoked = false) => ({ familyRevoked, current });
  it('goes on in its line with rotation, and revokes itself when a spent token comes', () => {
    expect(useRefreshToken(memory(0), 0, true)).to.deep.equal({ outcome: 'spent', successor: 1 });
    expect(useRefreshToken(memory(1), 1, true)).to.deep.equal({ outcome: 'spent', successor: 2 });
    expect(useRefreshToken(memory(2), 1, true)).to.deep.equal({ outcome: 'reused', revokesFamily: true });
    expect(useRefreshToken(memory(2), 1, false)).to.deep.equal({ outcome: 'reused', revokesFamily: false });
    expect(useRefreshToken(memory(2, true), 2, true)).to.deep.equal({ outcome: 'revoked' });
  });

  it('changes nothing without rotation', () => {
    expect(useRefreshToken(memory(1), 1, false)).to.deep.equal({ outcome: 'spent' });
    expect([0, 1, 2].map((number) => isRefreshTokenOver(memory(1), number))).to.deep.equal([true, false, false]);
    expect(isRefreshTokenOver(memory(0, true), 5)).to.equal(true);
  });

  it('reads and writes its place in a jti', () => {
    const first = placeOfRefreshToken('Zx-_9');
    expect(first).to.deep.equal({ line: 'Zx-_9', number: 0 });
    expect(jtiOfRefreshToken(first)).to.equal('Zx-_9');
    expect(jtiOfRefreshToken(successorOf(first))).to.equal('Zx-_9.1');
    expect(placeOfRefreshToken('Zx-_9.12')).to.deep.equal({ line: 'Zx-_9', number: 12 });
    // Another program's jti is a line of its own.
    for (const jti of ['', '.5', 'a.b', 'a.1234567890123456', 'a.-1']) {
      expect(placeOfRefreshToken(jti)).to.deep.equal({ line: jti, number: 0 });
    }
  });
});

describe('a rate window', () => {
  it('counts to its limit and says when it ends', () => {
    const open = countRequest(undefined, 2, 60, at(0));
    expect(open).to.deep.equal({ window: { startedAt: at(0), endsAt: at(60), requests: 1 } });
    const full = { startedAt: at(0), endsAt: at(60), requests: 2 };
    expect(countRequest({ ...full, requests: 1 }, 2, 60, at(1))).to.deep.equal({ window: full });
    expect(countRequest(full, 2, 60, at(58.5))).to.deep.equal({ retryAfterSeconds: 2 });
    expect(countRequest(full, 2, 60, instant(at(60) - 1))).to.deep.equal({ retryAfterSeconds: 1 });
    for (const later of [at(60), instant(at(0) - 1)]) {
      expect(countRequest(full, 2, 60, later)).to.deep.equal({
        window: { startedAt: later, endsAt: instant(later + 60_000), requests: 1 },
      });
    }
  });
});

describe('verified requests of a browser', () => {
  it('are the ten newest of ten minutes, and a hit renews one', () => {
    let remembered: readonly RememberedRequest[] = [];
    for (let number = 0; number < 12; number += 1) remembered = rememberAuthnRequest(remembered, `d${number}`, at(0));
    expect(remembered.map(({ digest }) => digest)).to.deep.equal([2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map((n) => `d${n}`));
    const renewed = recallAuthnRequest(remembered, 'd2', at(599)) ?? [];
    expect(recallAuthnRequest(renewed, 'd2', at(1198))).not.to.equal(undefined);
    expect(recallAuthnRequest(renewed, 'd3', at(600))).to.equal(undefined);
    expect(recallAuthnRequest(remembered, 'd0', at(0))).to.equal(undefined);
  });
});

describe('metadata documents', () => {
  it('make room by evicting the oldest that nobody holds', () => {
    expect(makeRoomForDocument(99, () => 'old')).to.deep.equal({ outcome: 'kept' });
    expect(makeRoomForDocument(100, () => 'old')).to.deep.equal({ outcome: 'kept', evict: 'old' });
    expect(makeRoomForDocument(100, () => undefined)).to.deep.equal({ outcome: 'full' });
  });

  it('are fetched thirty times a minute', () => {
    let fetches: readonly Instant[] = [];
    for (let number = 0; number < 30; number += 1) fetches = withFetch(fetches, at(number)) ?? [];
    expect(withFetch(fetches, at(59.999))).to.equal(undefined);
    expect(withFetch(fetches, at(60))).to.have.length(30);
    // The clock went back: what lies ahead counts as none.
    expect(withFetch(fetches, at(-1))).to.deep.equal([at(-1)]);
  });
});

describe('a registration', () => {
  it('needs a free slot and no reset since it began', () => {
    const asked = { epoch: 1, maxClients: 2 };
    expect(refuseRegistration({ epoch: 1, registrations: 1 }, asked)).to.equal(undefined);
    expect(refuseRegistration({ epoch: 1, registrations: 2 }, asked)).to.equal('limit');
    expect(refuseRegistration({ epoch: 2, registrations: 0 }, asked)).to.equal('interrupted');
  });
});

describe('a configuration generation', () => {
  it('is new when a text differs or the newest was superseded', () => {
    const texts = { settingsText: 'a', usersText: undefined };
    const newest = { ...texts, superseded: false };
    expect(isNewGeneration(newest, texts)).to.equal(false);
    expect(isNewGeneration(undefined, texts)).to.equal(true);
    expect(isNewGeneration({ ...newest, superseded: true }, texts)).to.equal(true);
    expect(isNewGeneration(newest, { ...texts, usersText: '' })).to.equal(true);
  });
});
