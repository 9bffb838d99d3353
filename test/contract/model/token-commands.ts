// Device grants, refresh tokens and revocations.
import { expect } from 'chai';
import fc from 'fast-check';
import { plusSeconds } from '#shared/base/clock.ts';
import { deviceGrant } from '../store-under-test.ts';
import { type Command, command } from './command.ts';
import { thirtyOneDays } from './reference-model.ts';

const numbers = fc.constantFrom(1, 2);
const names = fc.constantFrom('a', 'b', 'c');

export const tokenCommands: fc.Arbitrary<Command>[] = [
  numbers.map((number) =>
    command(`begin device grant ${number}`, async (model, { store }) => {
      const known = model.grants.get(`${number}`);
      // A record outlives its time by 600 s.
      const isRemembered = known !== undefined && model.now < plusSeconds(known.until, 600);
      const grant = deviceGrant(number, { createdAt: model.now, expiresAt: model.in(600), intervalSeconds: 5 });
      expect(await store.deviceGrants.begin(grant, model.now)).to.equal(isRemembered ? 'collision' : 'begun');
      if (isRemembered) return;
      model.grants.set(`${number}`, { state: 'pending', until: grant.expiresAt, intervalSeconds: 5 });
    }),
  ),
  numbers.map((number) =>
    command(`look at device grant ${number}`, async (model, { store }) => {
      const known = model.grants.get(`${number}`);
      const isRemembered = known !== undefined && model.now < plusSeconds(known.until, 600);
      for (const found of [
        await store.deviceGrants.findByUserCode(`USER-${number}`, model.now),
        await store.deviceGrants.findByDeviceCode(`device-${number}`, model.now),
      ]) {
        expect(found && [found.decision.state, found.intervalSeconds]).to.deep.equal(
          isRemembered ? [known.state, known.intervalSeconds] : undefined,
        );
      }
    }),
  ),
  fc.tuple(numbers, fc.boolean()).map(([number, approve]) =>
    command(`${approve ? 'approve' : 'deny'} device grant ${number}`, async (model, { store }) => {
      const known = model.grants.get(`${number}`);
      const isPending = model.lives(known) && known.state === 'pending';
      const approval = { username: 'alice', authenticatedAt: model.now, method: 'password', amr: undefined } as const;
      const outcome = approve
        ? await store.deviceGrants.approve(`USER-${number}`, approval, model.now)
        : await store.deviceGrants.deny(`USER-${number}`, model.now);
      expect(outcome).to.equal(isPending ? (approve ? 'approved' : 'denied') : 'not_pending');
      if (isPending) model.grants.set(`${number}`, { ...known, state: approve ? 'approved' : 'denied' });
    }),
  ),
  numbers.map((number) =>
    command(`poll device grant ${number}`, async (model, { store }) => {
      const known = model.grants.get(`${number}`);
      // Nobody polls what he can no longer find; the record may be gone or not.
      if (known !== undefined && model.now >= plusSeconds(known.until, 600)) return;
      const last = known?.lastPollAt;
      const isSoon = known !== undefined && last !== undefined && model.now - last < known.intervalSeconds * 1000;
      const outcome = await store.deviceGrants.notePoll(`device-${number}`, model.now);
      expect(outcome).to.equal(isSoon ? 'slow_down' : 'in_time');
      if (known === undefined) return;
      const intervalSeconds = known.intervalSeconds + (isSoon ? 5 : 0);
      model.grants.set(`${number}`, { ...known, intervalSeconds, lastPollAt: model.now });
    }),
  ),
  numbers.map((number) =>
    command(`redeem device grant ${number}`, async (model, { store }) => {
      const known = model.grants.get(`${number}`);
      const isApproved = model.lives(known) && known.state === 'approved';
      const outcome = await store.deviceGrants.redeem(`device-${number}`, model.now);
      expect(outcome).to.equal(isApproved ? 'redeemed' : 'not_approved');
      if (isApproved) model.grants.set(`${number}`, { ...known, state: 'used' });
    }),
  ),
  fc.tuple(numbers, fc.constantFrom('expire', 'deny', 'slow_down')).map(([number, how]) =>
    command(`a fault does '${how}' to device grant ${number}`, async (model, { store }) => {
      const known = model.grants.get(`${number}`);
      const isLive = model.lives(known) && (known.state === 'pending' || known.state === 'approved');
      const changed = await store.deviceGrants.interfere(`device-${number}`, how, model.now);
      expect(changed?.device_code).to.equal(isLive ? `device-${number}` : undefined);
      if (!isLive) return;
      if (how === 'expire') model.grants.set(`${number}`, { ...known, until: model.now });
      if (how === 'deny') model.grants.set(`${number}`, { ...known, state: 'denied' });
      if (how === 'slow_down') {
        model.grants.set(`${number}`, { ...known, intervalSeconds: known.intervalSeconds + 5 });
      }
    }),
  ),
  numbers.map((number) =>
    command(`look beside device grant ${number}`, async (model, { store }) => {
      const others = [1, 2].filter((other) => other !== number).map((other) => model.grants.get(`${other}`));
      const isThere = others.some((other) => model.lives(other) && other.state === 'pending');
      const found = await store.deviceGrants.newestPendingBeside(`device-${number}`, model.now);
      expect(found !== undefined).to.equal(isThere);
    }),
  ),

  fc.tuple(names, names, fc.nat(2), fc.boolean()).map(([family, name, number, rotate]) =>
    command(`spend ${number} of ${family}.${name}${rotate ? ' with rotation' : ''}`, async (model, { store }) => {
      const line = model.lines.get(`${family}.${name}`);
      const current = model.lives(line) ? line.current : 0;
      const isRevoked = model.lives(model.families.get(family));
      const expected = isRevoked ? 'revoked' : number < current ? 'reused' : 'spent';
      const claim = { family, place: { line: name, number }, expiresAt: model.in(604_800), rotate };
      expect(await store.tokenState.spendRefreshToken(claim)).to.equal(expected);
      const until = model.in(thirtyOneDays);
      if (expected === 'spent' && rotate) model.lines.set(`${family}.${name}`, { until, current: number + 1 });
      if (expected === 'reused' && rotate) model.revoke(family, false);
    }),
  ),
  names.map((family) =>
    command(`revoke family ${family}`, async (model, { store }) => {
      await store.tokenState.revokeFamily(family, model.in(604_800));
      model.revoke(family, true);
    }),
  ),
  fc.tuple(names, fc.constantFrom([30], [3_600_000], [3_600_000, 30], [30, 3_600_000])).map(([jti, lifetimes]) =>
    command(`revoke access token ${jti}, which has ${lifetimes} s`, async (model, { store }) => {
      for (const seconds of lifetimes) {
        await store.tokenState.revokeAccessToken(jti, model.in(seconds));
        const until = model.in(Math.max(seconds, thirtyOneDays));
        const before = model.accessTokens.get(jti)?.until ?? until;
        model.accessTokens.set(jti, { until: before > until ? before : until });
      }
    }),
  ),
  names.map((id) =>
    command(`end cookie ${id}`, async (model, { store }) => {
      await store.tokenState.endCookie(id, model.in(60));
      model.cookies.set(id, { until: model.in(thirtyOneDays) });
    }),
  ),
  names.map((id) =>
    command(`ask whether cookie ${id} has ended`, async (model, { store }) => {
      expect(await store.tokenState.isCookieEnded(id)).to.equal(model.lives(model.cookies.get(id)));
    }),
  ),
  names.map((id) =>
    command(`use assertion ${id}`, async (model, { store }) => {
      // Remembered until 300 s after its end, by the clock and by real time: the clock may stand.
      const clock = model.frozenAt ?? model.now;
      const known = model.assertions.get(id);
      const isFirst = known === undefined || (model.now >= known.until && clock >= known.untilByClock);
      expect(await store.tokenState.useAssertion(id, model.in(60))).to.equal(isFirst);
      if (!isFirst) return;
      const untilByClock = model.in(360);
      model.assertions.set(id, { until: plusSeconds(model.now, (untilByClock - clock) / 1000), untilByClock });
    }),
  ),
  fc.tuple(names, fc.nat(2), fc.constantFrom(30, 3_600_000)).map(([name, number, seconds]) =>
    command(`keep ${number} as typed claims of ${name} for ${seconds} s`, async (model, { store }) => {
      await store.typedClaims.save({ name, claims: { number } }, model.in(seconds));
      const until = model.in(Math.max(seconds, thirtyOneDays));
      const before = model.typedClaims.get(name)?.until ?? until;
      model.typedClaims.set(name, { until: before > until ? before : until, number });
    }),
  ),
  names.map((name) =>
    command(`look at the typed claims of ${name}`, async (model, { store }) => {
      const known = model.typedClaims.get(name);
      const expected = model.lives(known) ? { number: known.number } : undefined;
      expect(await store.typedClaims.find(name)).to.deep.equal(expected);
    }),
  ),
  fc.tuple(names, names, fc.nat(2)).map(([family, token, number]) =>
    command(`look at family ${family} and token ${token}`, async (model, { store }) => {
      const known = model.families.get(family);
      const isTokenRevoked = model.lives(model.accessTokens.get(token));
      const withAccess = model.lives(known) && known.withAccessTokens;
      const { isAccessTokenRevoked, isRefreshTokenSpentOrRevoked } = store.tokenState;
      expect(await isAccessTokenRevoked(token, family)).to.equal(withAccess || isTokenRevoked);
      expect(await isAccessTokenRevoked(token, undefined)).to.equal(isTokenRevoked);
      const line = model.lines.get(`${family}.${token}`);
      const isSpent = model.lives(line) && number < line.current;
      const isOver = model.lives(known) || isSpent;
      expect(await isRefreshTokenSpentOrRevoked(family, { line: token, number })).to.equal(isOver);
    }),
  ),
];
