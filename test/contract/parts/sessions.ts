// Sessions, who takes part in them, and consents.
import { expect } from 'chai';
import type { Instant } from '#shared/base/clock.ts';
import type { ServiceProviderParticipant, Session, SessionLimits } from '#shared/model/domain/session.ts';
import type { LogIn } from '#shared/state/store/ports/index.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, code, event, eventTypes, type StoreUnderTest, transaction } from '../store-under-test.ts';

const limits: SessionLimits = { lifetimeSeconds: 28_800, idleSeconds: 3600 };

export function logIn(sid: string, given: Partial<LogIn> = {}): LogIn {
  return {
    sid,
    cookie: 'cookie-1',
    formerCookie: undefined,
    browser: 'browser-1',
    username: 'alice',
    method: 'password',
    amr: undefined,
    acr: '1',
    authenticatedAt: at(0),
    credentials: 'mark',
    limits,
    event: () => event('session_started'),
    ...given,
  };
}

const ended = () => event('session_ended');

export const mellon: ServiceProviderParticipant = {
  kind: 'service_provider',
  entity_id: 'https://sp.example',
  issuer: 'http://i/saml',
  session_index: 'i1',
  name_id: { value: 'alice', format: 'f', name_qualifier: undefined, sp_name_qualifier: undefined },
};

export function describeSessions(under: () => StoreUnderTest): void {
  const sids = async (cookie: string, now: Instant = at(1)) =>
    (await under().store.sessions.accounts(cookie, undefined, limits, now)).map(({ sid }) => sid);
  const participantsOf = async (sid: string) => {
    const [found] = await under().store.sessions.list({ sid }, limits, at(1));
    return found?.participants;
  };

  describe('sessions', () => {
    it('are found by the cookie of their browser until their lifetime or idle time is over', async () => {
      const { sessions } = under().store;
      const begun = await sessions.logIn(logIn('s1'), at(0));
      const expected: Session = {
        ...{ sid: 's1', browser: 'browser-1', username: 'alice', method: 'password', amr: undefined, acr: '1' },
        ...{ authenticatedAt: at(0), lastUsedAt: at(0), credentials: 'mark' },
      };
      expect(begun).to.deep.equal(expected);
      expect(await sessions.accounts('cookie-1', 'web', limits, at(3599))).to.deep.equal([
        { ...expected, usedByClient: false },
      ]);
      expect(await sids('cookie-2')).to.deep.equal([]);
      expect(await sids('cookie-1', at(3600))).to.deep.equal([]);
      for (let seconds = 3000; seconds < 28_800; seconds += 3000) await sessions.use('s1', at(seconds));
      expect(await sids('cookie-1', at(28_799))).to.deep.equal(['s1']);
      expect(await sids('cookie-1', at(28_800))).to.deep.equal([]);
      expect(await sids('cookie-1', at(-1))).to.deep.equal([]);
    });

    it('are renewed by a login of the same user in that browser, and named by the new cookie alone', async () => {
      const { sessions } = under().store;
      await sessions.logIn(logIn('s1'), at(0));
      await sessions.logIn(logIn('s2', { username: 'bob', formerCookie: 'cookie-1', cookie: 'cookie-2' }), at(1));
      expect(await sids('cookie-1')).to.deep.equal([]);
      expect(await sids('cookie-2')).to.deep.equal(['s2', 's1']);
      const again = logIn('s3', {
        ...{ formerCookie: 'cookie-2', cookie: 'cookie-3', authenticatedAt: at(2), acr: '2', method: 'password+totp' },
      });
      const renewed = await sessions.logIn(again, at(2));
      expect([renewed.sid, renewed.acr, renewed.authenticatedAt]).to.deep.equal(['s1', '2', at(2)]);
      expect(await sids('cookie-3', at(3))).to.deep.equal(['s1', 's2']);
      expect(await eventTypes(under().audit)).to.deep.equal(['session_started', 'session_started']);
      const late = logIn('s4', { formerCookie: 'cookie-3', cookie: 'cookie-4', authenticatedAt: at(9000) });
      expect((await sessions.logIn(late, at(9000))).sid).to.equal('s4');
      expect(await sids('cookie-4', at(9000))).to.deep.equal(['s4']);
    });

    it('remember which client got a code of them last, and which redeemed one', async () => {
      const { sessions, codes } = under().store;
      await sessions.logIn(logIn('s1'), at(0));
      await sessions.logIn(logIn('s2', { username: 'bob', formerCookie: 'cookie-1' }), at(0));
      expect(await codes.issue({ ...code('c1'), sid: 's1' }, at(1))).to.equal('issued');
      const seen = async () =>
        (await sessions.accounts('cookie-1', 'web', limits, at(2))).map(({ sid, usedByClient }) => [sid, usedByClient]);
      expect(await seen()).to.deep.equal([
        ['s1', true],
        ['s2', false],
      ]);
      expect(await participantsOf('s1')).to.deep.equal([]);
      expect((await codes.find('c1', at(1)))?.unused?.sid).to.equal('s1');
      await codes.redeem('c1', 'web', 'f', at(1), at(9), {
        session: { sid: 's1', issuer: 'http://i', mayBeOver: false },
      });
      expect(await participantsOf('s1')).to.deep.equal([{ kind: 'client', client_id: 'web', issuer: 'http://i' }]);
      await codes.issue({ ...code('c2'), sid: 's2' }, at(2));
      expect((await seen()).map(([sid]) => sid)).to.deep.equal(['s2', 's1']);
      expect(await sessions.join('s1', mellon, at(2))).to.equal(true);
      expect(await sessions.join('s1', { ...mellon, session_index: 'i2' }, at(2))).to.equal(true);
      expect(await participantsOf('s1')).to.deep.equal([
        { kind: 'client', client_id: 'web', issuer: 'http://i' },
        { ...mellon, session_index: 'i2', earlier: [{ session_index: 'i1', name_id: mellon.name_id }] },
      ]);
      expect(await sessions.join('gone', mellon, at(2))).to.equal(false);
    });

    verifies('SSO-07', 'give no code once they have ended', async () => {
      const { sessions, codes, transactions } = under().store;
      await sessions.logIn(logIn('s1'), at(0));
      await sessions.end({ sid: 's1' }, limits, at(1), ended);
      expect(await sids('cookie-1')).to.deep.equal([]);
      expect(await sessions.use('s1', at(1))).to.equal(false);
      expect(await codes.issue({ ...code('c1'), sid: 's1' }, at(1))).to.equal('session_over');
      await transactions.begin(transaction('t1'), at(0));
      const late = { ...code('c2'), sid: 's1' };
      expect(await transactions.complete('t1', 'browser-1', late, at(1))).to.equal('session_over');
      expect(await codes.find('c2', at(1))).to.equal(undefined);
    });

    it('begin with the code of their login, in one step', async () => {
      const { sessions, codes, transactions } = under().store;
      await transactions.begin(transaction('t1'), at(0));
      const attempts = ['a', 'b', 'c'].map((name) =>
        transactions.complete('t1', 'browser-1', code(name), at(1), { logIn: logIn(`s-${name}`) }),
      );
      const outcomes = await Promise.all(attempts);
      expect(outcomes.toSorted()).to.deep.equal(['completed', 'gone', 'gone']);
      const winner = ['a', 'b', 'c'][outcomes.indexOf('completed')] ?? '';
      expect(await sids('cookie-1')).to.deep.equal([`s-${winner}`]);
      expect((await codes.find(winner, at(1)))?.unused?.sid).to.equal(`s-${winner}`);
      expect(await sessions.list({ client_id: 'web' }, limits, at(1))).to.deep.equal([]);
      expect(await eventTypes(under().audit)).to.deep.equal(['session_started']);
    });

    it('go on with a transaction that has more to ask', async () => {
      const { transactions, secondFactors } = under().store;
      await transactions.begin(transaction('t1'), at(0));
      const seen = await transactions.find('t1', 'browser-1', at(1));
      if (seen === undefined) throw new Error('the transaction is gone');
      await secondFactors.record(
        {
          ...{ id: 't1', purpose: 't1', browser: 'browser-1', surface: '/authorize', username: 'alice' },
          passwordVerifiedAt: at(0),
        },
        at(0),
      );
      const login = { username: 'alice', method: 'password', authenticatedAt: at(1), amr: undefined } as const;
      const progress = { ...login, loggedIn: true, chosen: false };
      const advance = (sid: string) => transactions.advance(seen, { progress, logIn: logIn(sid) }, at(1));
      expect((await Promise.all([advance('s1'), advance('s2')])).toSorted()).to.deep.equal(['advanced', 'gone']);
      const [sid] = await sids('cookie-1');
      const found = await transactions.find('t1', 'browser-1', at(1));
      expect(found).to.deep.equal({ ...seen, progress: { ...progress, sid } });
      const factor = { id: 't1', purpose: 't1', browser: 'browser-1', surface: '/authorize' } as const;
      expect(await secondFactors.find(factor, at(1))).to.equal(undefined);
      const other = { ...transaction('t1', { browser: 'browser-2' }), progress: found?.progress };
      expect(await transactions.advance(other, { progress: undefined }, at(1))).to.equal('gone');
    });

    it('take their codes along, unless a code may be worth something without them', async () => {
      const { sessions, codes } = under().store;
      await sessions.logIn(logIn('s1'), at(0));
      await codes.issue({ ...code('c1'), sid: 's1' }, at(1));
      await sessions.end({ sid: 's1' }, limits, at(2), ended);
      const redeem = (family: string, mayBeOver: boolean) =>
        codes.redeem('c1', 'web', family, at(3), at(9), { session: { sid: 's1', issuer: 'http://i', mayBeOver } });
      expect(await redeem('f1', false)).to.deep.equal({ outcome: 'session_over' });
      // Nothing was spent by it.
      expect(await redeem('f2', true)).to.deep.equal({ outcome: 'redeemed' });
      expect(await redeem('f3', false)).to.deep.equal({ outcome: 'used' });
      expect(await sessions.list({}, limits, at(3))).to.deep.equal([]);
    });

    it('end for exactly one caller, who hears of everybody who took part', async () => {
      const { sessions, codes } = under().store;
      await sessions.logIn(logIn('s1'), at(0));
      await codes.issue({ ...code('c1'), sid: 's1' }, at(1));
      await codes.redeem('c1', 'web', 'f', at(1), at(9), {
        session: { sid: 's1', issuer: 'http://i', mayBeOver: false },
      });
      await sessions.join('s1', mellon, at(1));
      await sessions.logIn(logIn('s2', { username: 'bob', cookie: 'cookie-2' }), at(0));
      const filters = [{ sid: 's1' }, { username: 'alice' }, { client_id: 'web' }, { cookie: 'cookie-1' }];
      const answers = await Promise.all(filters.map((filter) => sessions.end(filter, limits, at(2), ended)));
      const all = answers.flat();
      expect(all.map(({ sid, participants }) => [sid, participants])).to.deep.equal([
        ['s1', [{ kind: 'client', client_id: 'web', issuer: 'http://i' }, mellon]],
      ]);
      expect(await sids('cookie-2')).to.deep.equal(['s2']);
      const events = await eventTypes(under().audit);
      expect(events.filter((type) => type === 'session_ended')).to.have.length(1);
      expect(await sessions.end({}, limits, at(9000), ended)).to.deep.equal([]);
    });

    it('are listed with every member of a filter applied, the newest login first', async () => {
      const { sessions } = under().store;
      await sessions.logIn(logIn('s1'), at(0));
      await sessions.logIn(logIn('s2', { cookie: 'cookie-2', authenticatedAt: at(2) }), at(2));
      await sessions.logIn(logIn('s3', { username: 'bob', cookie: 'cookie-2', authenticatedAt: at(1) }), at(2));
      const listed = async (filter: Parameters<typeof sessions.list>[0]) =>
        (await sessions.list(filter, limits, at(3))).map(({ sid }) => sid);
      expect(await listed({})).to.deep.equal(['s2', 's3', 's1']);
      expect(await listed({ username: 'alice' })).to.deep.equal(['s2', 's1']);
      expect(await listed({ username: 'alice', cookie: 'cookie-2' })).to.deep.equal(['s2']);
      expect(await listed({ client_id: 'web' })).to.deep.equal([]);
    });

    verifies('SSO-10', 'are 10 a browser; the one longest unused gives way, whatever the clock says', async () => {
      const { sessions } = under().store;
      for (let number = 0; number < 10; number += 1) {
        const former = { formerCookie: 'cookie-1', username: `user-${number}` };
        await sessions.logIn(logIn(`s${number}`, former), at(0));
      }
      await sessions.use('s0', at(0));
      await sessions.logIn(logIn('s10', { formerCookie: 'cookie-1', username: 'user-10' }), at(0));
      expect(await sids('cookie-1')).to.deep.equal(['s10', 's0', 's9', 's8', 's7', 's6', 's5', 's4', 's3', 's2']);
    });

    verifies('SSO-10', 'take 16 MiB at most, and give way to one another', async () => {
      const { sessions } = under().store;
      const large = 'x'.repeat(1024 * 1024);
      for (let number = 0; number < 20; number += 1) {
        await sessions.logIn(logIn(`s${number}`, { cookie: `cookie-${number}`, username: `${large}${number}` }), at(0));
      }
      expect(await sids('cookie-19')).to.deep.equal(['s19']);
      expect((await sessions.list({}, limits, at(1))).length).to.be.within(10, 15);
      await sessions.logIn(logIn('p', { cookie: 'p' }), at(0));
      for (let number = 0; number < 20; number += 1) {
        await sessions.join('p', { ...mellon, entity_id: `${large}${number}` }, at(1));
      }
      expect((await participantsOf('p'))?.length).to.be.within(5, 16);
    });
  });

  describe('consents', () => {
    it('are remembered with their scopes, widened, listed and forgotten', async () => {
      const { consents } = under().store;
      const consent = { username: 'alice', client_id: 'web', scope: ['openid'], givenAt: at(0) };
      expect(await consents.find('alice', 'web')).to.equal(undefined);
      await consents.grant(consent);
      await consents.grant({ ...consent, client_id: 'tv' });
      await consents.grant({ ...consent, scope: ['email'], givenAt: at(1) });
      expect(await consents.find('alice', 'web')).to.deep.equal(['openid', 'email']);
      const web = { ...consent, scope: ['openid', 'email'], givenAt: at(1) };
      const tv = { ...consent, client_id: 'tv' };
      expect(await consents.list({})).to.deep.equal([web, tv]);
      expect(await consents.list({ client_id: 'tv', username: 'alice' })).to.deep.equal([tv]);
      expect(await consents.list({ username: 'bob' })).to.deep.equal([]);
      const forget = () => consents.remove({ username: 'alice' }, () => event('consent_deleted'));
      expect((await Promise.all([forget(), forget()])).toSorted()).to.deep.equal([0, 2]);
      expect(await consents.find('alice', 'web')).to.equal(undefined);
      expect(await eventTypes(under().audit)).to.deep.equal(['consent_deleted', 'consent_deleted']);
    });

    it('take 8 MiB at most; the one given first gives way', async () => {
      const { consents } = under().store;
      const scope = ['x'.repeat(1024 * 1024)];
      for (let number = 0; number < 9; number += 1) {
        await consents.grant({ username: `user-${number}`, client_id: 'web', scope, givenAt: at(0) });
      }
      expect(await consents.find('user-0', 'web')).to.equal(undefined);
      expect(await consents.find('user-8', 'web')).to.deep.equal(scope);
    });
  });
}
