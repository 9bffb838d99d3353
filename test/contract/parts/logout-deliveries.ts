// Logout tokens that are not delivered yet (LGO-16).
import { expect } from 'chai';
import { familyOfSession } from '#shared/model/domain/refresh-family.ts';
import type { SessionLimits } from '#shared/model/domain/session.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, event, eventTypes, type StoreUnderTest } from '../store-under-test.ts';
import { logIn } from './sessions.ts';

const limits: SessionLimits = { lifetimeSeconds: 28_800, idleSeconds: 3600 };

export function describeLogoutDeliveries(under: () => StoreUnderTest): void {
  describe('logout deliveries', () => {
    async function endOne(): Promise<void> {
      const { sessions } = under().store;
      await sessions.logIn(logIn('s1'), at(0));
      await sessions.join('s1', { kind: 'client', client_id: 'web', issuer: 'http://i' }, at(0));
      const ended = await sessions.end({}, limits, at(1), () => event('session_ended'), {
        until: at(10),
        deliveries: ({ sid, username, participants }) =>
          participants.map(() => ({
            ...{
              kind: 'client' as const,
              id: 'd1',
              jti: 'j1',
              sid,
              username,
              client_id: 'web',
              issuer: 'http://i',
              attempts: 0,
            },
          })),
      });
      expect(ended.map(({ sid }) => sid)).to.deep.equal(['s1']);
    }

    verifies(
      'LGO-16',
      'belong to the process that ended the session, and after its lease to one other process',
      async () => {
        await endOne();
        const { logoutDeliveries } = under().store;
        expect(await logoutDeliveries.takeUp(at(9), at(20))).to.deep.equal([]);
        expect(await logoutDeliveries.namespacesWithDue(at(9))).to.deep.equal([]);
        expect(await logoutDeliveries.namespacesWithDue(at(10))).to.deep.equal(['default']);
        const takers = await Promise.all([1, 2, 3].map(() => logoutDeliveries.takeUp(at(10), at(30))));
        expect(takers.flat()).to.deep.equal([
          {
            ...{ kind: 'client', id: 'd1', jti: 'j1', sid: 's1', username: 'alice', client_id: 'web' },
            ...{ issuer: 'http://i', attempts: 0 },
          },
        ]);
      },
    );

    it('are due again after they were postponed, with one more attempt', async () => {
      await endOne();
      const { logoutDeliveries } = under().store;
      await logoutDeliveries.postpone('d1', at(3));
      expect(await logoutDeliveries.takeUp(at(2), at(20))).to.deep.equal([]);
      expect((await logoutDeliveries.takeUp(at(3), at(20))).map(({ attempts }) => attempts)).to.deep.equal([1]);
    });

    verifies('LGO-20', 'can include the revocation of everything named after the session', async () => {
      const { sessions, tokenState } = under().store;
      const [ended, other] = [familyOfSession('f', 's1'), familyOfSession('f', 's2')];
      for (const sid of ['s1', 's2', 's3']) await sessions.logIn(logIn(sid, { cookie: sid }), at(0));
      const telling = { until: at(10), deliveries: () => [] };
      await sessions.end({ sid: 's3' }, limits, at(1), () => event('session_ended'), telling);
      expect(await tokenState.isAccessTokenRevoked('x', familyOfSession('f', 's3'))).to.equal(false);
      const revoking = { ...telling, revokesFamiliesUntil: at(100) };
      await sessions.end({ sid: 's1' }, limits, at(1), () => event('session_ended'), revoking);
      const place = { line: 'l', number: 0 };
      expect(await tokenState.isAccessTokenRevoked('x', ended)).to.equal(true);
      expect(await tokenState.isAccessTokenRevoked('x', other)).to.equal(false);
      expect(await tokenState.isRefreshTokenSpentOrRevoked(ended, place)).to.equal(true);
      const claim = { place, expiresAt: at(100), rotate: true };
      expect(await tokenState.spendRefreshToken({ ...claim, family: ended })).to.equal('revoked');
      expect(await tokenState.spendRefreshToken({ ...claim, family: other })).to.equal('spent');
      expect(await tokenState.spendRefreshToken({ ...claim, family: 'f' })).to.equal('spent');
    });

    it('are settled once with their event, or dropped without one', async () => {
      await endOne();
      const { store, audit } = under();
      const settled = await Promise.all(
        [1, 2].map(() => store.logoutDeliveries.settle('d1', event('backchannel_logout'))),
      );
      expect(settled.toSorted()).to.deep.equal([false, true]);
      const types = await eventTypes(audit);
      expect(types.filter((type) => type === 'backchannel_logout')).to.have.length(1);
      await endOne();
      await store.logoutDeliveries.drop('d1');
      expect(await store.logoutDeliveries.takeUp(at(1000), at(2000))).to.deep.equal([]);
    });
  });
}
