// Device grants, refresh tokens and revocations.
import { expect } from 'chai';
import fc from 'fast-check';
import { plusSeconds } from '#shared/clock.ts';
import { deviceGrant } from '../store-under-test.ts';
import { type Command, command } from './command.ts';

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

  fc.tuple(names, names, fc.boolean()).map(([family, token, rotate]) =>
    command(`spend ${family}.${token}${rotate ? ' with rotation' : ''}`, async (model, { store }) => {
      const jti = `${family}.${token}`;
      const isRevoked = model.lives(model.families.get(family));
      const expected = isRevoked ? 'revoked' : model.lives(model.spent.get(jti)) ? 'reused' : 'spent';
      const expiresAt = model.in(604_800);
      const outcome = await store.tokenState.spendRefreshToken({ family, jti, expiresAt, rotate }, model.now);
      expect(outcome).to.equal(expected);
      if (outcome === 'spent' && rotate) model.spent.set(jti, { until: expiresAt });
      if (outcome === 'reused' && rotate) model.revoke(family, false);
    }),
  ),
  names.map((family) =>
    command(`revoke family ${family}`, async (model, { store }) => {
      await store.tokenState.revokeFamily(family, model.now);
      model.revoke(family, true);
    }),
  ),
  fc.tuple(names, fc.constantFrom([30], [3600], [3600, 30], [30, 3600])).map(([jti, lifetimes]) =>
    command(`revoke access token ${jti}, which has ${lifetimes} s`, async (model, { store }) => {
      for (const seconds of lifetimes) {
        const until = model.in(seconds);
        await store.tokenState.revokeAccessToken(jti, until, model.now);
        const before = model.accessTokens.get(jti)?.until ?? until;
        model.accessTokens.set(jti, { until: before > until ? before : until });
      }
    }),
  ),
  fc.tuple(names, names).map(([family, token]) =>
    command(`look at family ${family} and token ${token}`, async (model, { store }) => {
      const known = model.families.get(family);
      const isTokenRevoked = model.lives(model.accessTokens.get(token));
      const withAccess = model.lives(known) && known.withAccessTokens;
      const { isAccessTokenRevoked, isRefreshTokenSpentOrRevoked } = store.tokenState;
      expect(await isAccessTokenRevoked(token, family, model.now)).to.equal(withAccess || isTokenRevoked);
      expect(await isAccessTokenRevoked(token, undefined, model.now)).to.equal(isTokenRevoked);
      const jti = `${family}.${token}`;
      const isOver = model.lives(known) || model.lives(model.spent.get(jti));
      expect(await isRefreshTokenSpentOrRevoked(jti, family, model.now)).to.equal(isOver);
    }),
  ),
];
