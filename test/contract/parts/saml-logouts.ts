// Single logouts under way, and what a session knows of its service providers (SLO-04, SLO-18, SLO-23).
import { expect } from 'chai';
import {
  assertionsGiven,
  endedAssertionsMax,
  endedLogout,
  limitsOfMemory,
  marksOfSameName,
  type SamlLogout,
  type SamlNameId,
  samlLogoutsMax,
  settledStep,
  withNextRequest,
} from '#shared/model/domain/saml-logout.ts';
import { assertionsOf, type SessionLimits } from '#shared/model/domain/session.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, type StoreUnderTest } from '../store-under-test.ts';
import { logIn, mellon } from './sessions.ts';

const limits: SessionLimits = { lifetimeSeconds: 28_800, idleSeconds: 3600 };
const nameId = (value: string) => ({
  ...{ value, format: undefined, name_qualifier: undefined, sp_name_qualifier: undefined },
});

export function samlLogout(id: string, begunAt = at(0)): SamlLogout {
  return {
    ...{ id, browser: 'b', username: 'alice', begunAt, initiator: undefined, address: undefined, ended: false },
    unfollowed: undefined,
    steps: [
      {
        entity_id: 'sp',
        name_id: nameId('alice'),
        session_indexes: ['_1'],
        outcome: 'waiting',
        request_id: undefined,
      },
    ],
  };
}

export function describeSamlLogouts(under: () => StoreUnderTest): void {
  describe('SAML logouts', () => {
    verifies(['SLO-18', 'SLO-23'], 'go on once, however many ask, and for ten minutes', async () => {
      const { samlLogouts } = under().store;
      await samlLogouts.begin(samlLogout('one'), at(0));
      await samlLogouts.begin(samlLogout('two'), at(0));
      expect(await samlLogouts.recent(at(1))).to.deep.equal([samlLogout('two'), samlLogout('one')]);
      const ask = (request: string) => samlLogouts.change('one', at(1), (logout) => withNextRequest(logout, request));
      const asked = await Promise.all(['_a', '_b', '_c'].map(ask));
      const [first] = asked.filter((each) => each !== undefined);
      expect(asked.filter((each) => each === undefined)).to.have.length(2);
      const request = first?.steps[0]?.request_id ?? '';
      const end = () => samlLogouts.change('one', at(2), endedLogout);
      expect(await end()).to.equal(undefined);
      const answer = (id: string) => samlLogouts.change('one', at(2), (logout) => settledStep(logout, id, 'told'));
      expect(await answer('_other')).to.equal(undefined);
      expect((await answer(request))?.steps[0]?.outcome).to.equal('told');
      const ends = await Promise.all([end(), end()]);
      expect(ends.filter((each) => each !== undefined)).to.have.length(1);
      expect(await samlLogouts.change('nobody', at(2), (logout) => logout)).to.equal(undefined);
      expect(await samlLogouts.recent(at(600))).to.deep.equal([]);
      expect(await samlLogouts.change('two', at(600), (logout) => logout)).to.equal(undefined);
    });

    verifies('SLO-04', 'find the sessions of a service provider, with every assertion it got', async () => {
      const { sessions } = under().store;
      await sessions.logIn(logIn('s1'), at(0));
      const join = (index: string) =>
        sessions.join(
          's1',
          {
            ...{ kind: 'service_provider' as const, entity_id: 'sp', issuer: 'http://i/saml' },
            ...{ session_index: index, name_id: nameId(`name of ${index}`) },
          },
          at(0),
        );
      for (const index of ['_1', '_2', '_3']) expect(await join(index)).to.equal(true);
      const [session] = await sessions.list({ entity_id: 'sp' }, limits, at(1));
      const [participant] = session?.participants ?? [];
      if (participant?.kind !== 'service_provider') throw new Error('it does not take part');
      expect(assertionsOf(participant)).to.deep.equal(
        ['_3', '_2', '_1'].map((session_index) => ({ session_index, name_id: nameId(`name of ${session_index}`) })),
      );
      expect(await sessions.list({ entity_id: 'other' }, limits, at(1))).to.deep.equal([]);
    });

    verifies('SLO-04', 'know a session that is over for ten minutes, whoever logs in meanwhile', async () => {
      const { sessions } = under().store;
      await sessions.logIn(logIn('s1'), at(0));
      await sessions.join('s1', { ...mellon, entity_id: 'sp' }, at(0));
      const known = async (seconds: number) =>
        (await sessions.list({ entity_id: 'sp', includeEnded: true }, limitsOfMemory(limits), at(seconds))).map(
          ({ sid }) => sid,
        );
      const anew = logIn('s2', { formerCookie: 'cookie-1', cookie: 'cookie-2', authenticatedAt: at(3600) });
      expect((await sessions.logIn(anew, at(3600))).sid).to.equal('s2');
      expect(await sessions.use('s1', at(3601))).to.equal(false);
      const present = await sessions.accounts('cookie-2', undefined, limitsOfMemory(limits), at(3601));
      expect(present.map(({ sid }) => sid)).to.deep.equal(['s2']);
      expect(await known(4199)).to.deep.equal(['s1']);
      // Over is over, also where sessions live longer from now on.
      const longer = { lifetimeSeconds: 86_400, idleSeconds: 0 };
      expect((await sessions.list({}, longer, at(3601))).map(({ sid }) => sid)).to.deep.equal(['s2']);
      expect(await known(4200)).to.deep.equal([]);
      await sessions.logIn(logIn('s3', { cookie: 'cookie-3', authenticatedAt: at(4200) }), at(4200));
      expect(await known(4199)).to.deep.equal([]);
    });

    verifies(['SLO-04', 'SLO-18'], 'that have ended give way before one that goes on', async () => {
      const { samlLogouts } = under().store;
      await samlLogouts.begin(samlLogout('under way'), at(0));
      for (let index = 0; index < samlLogoutsMax + 5; index += 1) {
        await samlLogouts.begin({ ...samlLogout(`end ${index}`), ended: true }, at(0));
      }
      const known = (await samlLogouts.recent(at(1))).map(({ id }) => id);
      expect(known).to.have.length(samlLogoutsMax);
      expect([known[0], known.at(-1)]).to.deep.equal([`end ${samlLogoutsMax + 4}`, 'under way']);
      await samlLogouts.begin({ ...samlLogout('far too large'), address: 'x'.repeat(9_000_000) }, at(0));
      expect((await samlLogouts.recent(at(1))).map(({ id }) => id)).to.deep.equal(known);
    });

    verifies('SLO-04', 'know what was given in sessions that ended', async () => {
      const { samlLogouts } = under().store;
      const { entity_id } = mellon;
      const given = (name_qualifier?: string) => ({ ...mellon, name_id: { ...mellon.name_id, name_qualifier } });
      const earlier = [{ session_index: 'i0', name_id: nameId('before') }];
      await samlLogouts.keepEnded(assertionsGiven([{ participants: [{ ...given(), earlier }] }]), at(0));
      await samlLogouts.keepEnded(
        assertionsGiven([{ participants: [{ ...given('us'), session_index: 'i2' }] }]),
        at(1),
      );
      const known = (asked: Partial<SamlNameId>, { seconds = 1, ours = 'us', to = entity_id } = {}) =>
        samlLogouts.endedUnder(
          marksOfSameName({ entity_id: to, name_id: { ...mellon.name_id, ...asked } }, ours),
          at(seconds),
        );
      expect(await known({})).to.have.members(['i1', 'i2']);
      expect(await known({ name_qualifier: 'us', sp_name_qualifier: entity_id })).to.have.members(['i1', 'i2']);
      expect(await known({ value: 'before', format: undefined })).to.deep.equal(['i0']);
      // A qualifier that is absent is ours, as we are called now.
      expect(await known({ name_qualifier: 'us' }, { ours: 'we, later' })).to.deep.equal(['i2']);
      expect(await known({}, { ours: 'we, later' })).to.deep.equal(['i1']);
      for (const other of [{ value: 'before' }, { format: 'g' }, { sp_name_qualifier: 'x' }, { name_qualifier: 'x' }]) {
        expect(await known(other), JSON.stringify(other)).to.deep.equal([]);
      }
      expect(await known({}, { to: 'https://another.example' })).to.deep.equal([]);
      expect(await known({}, { seconds: 600 })).to.deep.equal(['i2']);
      expect(await known({}, { seconds: 601 })).to.deep.equal([]);
      expect(await known({}, { seconds: 0 }), 'the clock went back').to.deep.equal(['i1']);
      expect(await samlLogouts.recent(at(1)), 'none of it is a logout under way').to.deep.equal([]);
    });

    verifies('SLO-04', 'know what was given in thousands of sessions that ended at once', async function () {
      this.timeout(30_000);
      const { samlLogouts } = under().store;
      const assertions = Array.from({ length: endedAssertionsMax + 1 }, (_, index) => ({
        ...{ entity_id: mellon.entity_id, name_id: nameId(`user ${index}`), session_index: `_${index}` },
      }));
      const known = async (index: number) => {
        const name = { entity_id: mellon.entity_id, name_id: nameId(`user ${index}`) };
        return samlLogouts.endedUnder(marksOfSameName(name, 'us'), at(1));
      };
      await samlLogouts.keepEnded(assertions.slice(0, 2), at(0));
      await samlLogouts.keepEnded(assertions.slice(2), at(0));
      expect(await Promise.all([0, 1, 2, endedAssertionsMax].map(known))).to.deep.equal([
        ...[[], ['_1'], ['_2'], [`_${endedAssertionsMax}`]],
      ]);
    });
  });
}
