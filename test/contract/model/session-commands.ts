// Sessions and consents. What a session gives way to is left to the contract suite.
import { expect } from 'chai';
import fc from 'fast-check';
import type { SessionLimits } from '#shared/model/domain/session.ts';
import { logIn } from '../parts/sessions.ts';
import { code, event, transaction } from '../store-under-test.ts';
import { type Command, command, recent } from './command.ts';
import type { ModelSession, ReferenceModel } from './reference-model.ts';

const limits: SessionLimits = { lifetimeSeconds: 1200, idleSeconds: 400 };
const users = fc.constantFrom('alice', 'bob');
const cookies = fc.constantFrom('cookie-1', 'cookie-2');
const backs = fc.constantFrom(0, 1, 2);

function isLive(model: ReferenceModel, session: ModelSession | undefined): session is ModelSession {
  return session !== undefined && model.now < session.until && model.now < session.idleUntil;
}

function begin(model: ReferenceModel, sid: string, username: string, cookie: string): string {
  const present = [...model.sessions].find(([, each]) => each.cookie === cookie && each.username === username);
  for (const [name, each] of model.sessions)
    if (each.cookie === cookie && !isLive(model, each)) model.sessions.delete(name);
  const named = present !== undefined && isLive(model, present[1]) ? present[0] : sid;
  const before = model.sessions.get(named);
  const times = { until: model.in(1200), idleUntil: model.in(400), used: model.nextUse() };
  model.sessions.set(named, { username, cookie, clients: before?.clients ?? new Map(), ...times });
  if (before === undefined) model.entries.push('session_started undefined');
  return named;
}

export const sessionCommands: fc.Arbitrary<Command>[] = [
  fc.tuple(users, cookies).map(([username, cookie]) =>
    command(`log ${username} in with ${cookie}`, async (model, { store }) => {
      model.begun += 1;
      const sid = recent(model, 's', 0);
      const given = { username, cookie, formerCookie: cookie, authenticatedAt: model.now, limits };
      const session = await store.sessions.logIn(logIn(sid, given), model.now);
      expect(session.sid).to.equal(begin(model, sid, username, cookie));
    }),
  ),
  cookies.map((cookie) =>
    command(`look at the accounts of ${cookie}`, async (model, { store }) => {
      const live = [...model.sessions].filter(([, each]) => each.cookie === cookie && isLive(model, each));
      const order = ([, { used, clients }]: (typeof live)[number]) => [clients.get('web')?.used ?? 0, used] as const;
      const sorted = live.toSorted((one, other) => {
        const [[first, used], [second, otherUsed]] = [order(one), order(other)];
        return second - first || otherUsed - used;
      });
      const found = await store.sessions.accounts(cookie, 'web', limits, model.now);
      expect(found.map(({ sid, usedByClient }) => [sid, usedByClient])).to.deep.equal(
        sorted.map(([sid, { clients }]) => [sid, clients.has('web')]),
      );
    }),
  ),
  backs.map((back) =>
    command(`use session ${back}`, async (model, { store }) => {
      const sid = recent(model, 's', back);
      const known = model.sessions.get(sid);
      // Nobody uses one that is over; its row may be gone or not.
      if (known !== undefined && !isLive(model, known)) return;
      expect(await store.sessions.use(sid, model.now)).to.equal(known !== undefined);
      if (known !== undefined) model.sessions.set(sid, { ...known, idleUntil: model.in(400), used: model.nextUse() });
    }),
  ),
  fc.tuple(backs, fc.boolean()).map(([back, redeems]) =>
    command(`give a code of session ${back}${redeems ? ' and redeem it' : ''}`, async (model, { store }) => {
      const sid = recent(model, 's', back);
      const known = model.sessions.get(sid);
      if (known !== undefined && !isLive(model, known)) return;
      model.begun += 1;
      const value = `of-session-${model.begun}`;
      const outcome = await store.codes.issue({ ...code(value, { issuedAt: model.now }), sid }, model.now);
      expect(outcome).to.equal(known === undefined ? 'session_over' : 'issued');
      if (known === undefined) return;
      const used = model.nextUse();
      const joined = redeems || known.clients.get('web')?.joined === true;
      const clients = new Map(known.clients).set('web', { used, joined });
      model.sessions.set(sid, { ...known, idleUntil: model.in(400), used, clients });
      if (redeems)
        await store.codes.redeem(value, 'web', `family-of-${value}`, model.now, model.now, {
          session: { sid, issuer: 'http://i', mayBeOver: false },
        });
    }),
  ),
  backs.map((back) =>
    command(`somebody joins session ${back}`, async (model, { store }) => {
      const sid = recent(model, 's', back);
      const known = model.sessions.get(sid);
      if (known !== undefined && !isLive(model, known)) return;
      expect(
        await store.sessions.join(sid, { kind: 'client', client_id: 'tv', issuer: 'http://i' }, model.now),
      ).to.equal(known !== undefined);
      if (known === undefined) return;
      const used = model.nextUse();
      const clients = new Map(known.clients).set('tv', { used: known.clients.get('tv')?.used ?? used, joined: true });
      model.sessions.set(sid, { ...known, idleUntil: model.in(400), used, clients });
    }),
  ),
  fc
    .tuple(fc.constantFrom(undefined, 'alice', 'bob'), fc.constantFrom(undefined, 'web'), fc.boolean())
    .map(([username, client_id, ends]) =>
      command(
        `${ends ? 'end' : 'list'} sessions of ${username ?? 'all'} at ${client_id ?? 'all'}`,
        async (model, real) => {
          const { sessions } = real.store;
          const fitting = [...model.sessions].filter(([, each]) => {
            if (username !== undefined && each.username !== username) return false;
            return (client_id === undefined || each.clients.get(client_id)?.joined === true) && isLive(model, each);
          });
          const found = ends
            ? await sessions.end({ username, client_id }, limits, model.now, () => event('session_ended'))
            : await sessions.list({ username, client_id }, limits, model.now);
          const shown = found.map(({ sid, participants }) => [sid, participants.length]);
          const expected = fitting.map(([sid, { clients }]) => [
            sid,
            [...clients.values()].filter((one) => one.joined).length,
          ]);
          expect(shown.toSorted()).to.deep.equal(expected.toSorted());
          if (!ends) return;
          for (const [sid] of fitting) {
            model.sessions.delete(sid);
            model.entries.push('session_ended undefined');
          }
        },
      ),
    ),
  fc.boolean().map((withLogin) =>
    command(`take a transaction further${withLogin ? ' with a login' : ''}`, async (model, { store }) => {
      model.begun += 1;
      const id = recent(model, 'advanced', 0);
      const began = transaction(id, { browser: 'browser-3', createdAt: model.now });
      expect(await store.transactions.begin(began, model.now)).to.equal('begun');
      model.transactions.set(id, { browser: 'browser-3', client: 'web', direct: false, until: model.in(600) });
      const sid = recent(model, 's', 0);
      const login = { username: 'alice', method: 'persona', authenticatedAt: model.now, amr: undefined } as const;
      const step = {
        progress: { ...login, loggedIn: true, chosen: false },
        ...(withLogin
          ? { logIn: logIn(sid, { cookie: 'cookie-1', formerCookie: 'cookie-1', authenticatedAt: model.now, limits }) }
          : {}),
      };
      expect(await store.transactions.advance(began, step, model.now)).to.equal('advanced');
      const named = withLogin ? begin(model, sid, 'alice', 'cookie-1') : undefined;
      const found = await store.transactions.find(id, 'browser-3', model.now);
      expect(found?.progress?.sid).to.equal(named);
      expect(await store.transactions.advance(began, step, model.now)).to.equal('gone');
    }),
  ),

  fc.tuple(users, fc.constantFrom('openid', 'email')).map(([username, scope]) =>
    command(`${username} allows ${scope}`, async (model, { store }) => {
      await store.consents.grant({ username, client_id: 'web', scope: [scope], givenAt: model.now });
      const widened = new Set([...(model.consents.get(username) ?? []), scope]);
      model.consents.delete(username);
      model.consents.set(username, [...widened]);
    }),
  ),
  users.map((username) =>
    command(`look at the consents of ${username}`, async (model, { store }) => {
      expect(await store.consents.find(username, 'web')).to.deep.equal(model.consents.get(username));
      const listed = await store.consents.list({});
      expect(listed.map((each) => each.username)).to.deep.equal([...model.consents.keys()].reverse());
    }),
  ),
  users.map((username) =>
    command(`forget the consents of ${username}`, async (model, { store }) => {
      const isThere = model.consents.delete(username);
      if (isThere) model.entries.push('consent_deleted undefined');
      expect(await store.consents.remove({ username }, () => event('consent_deleted'))).to.equal(isThere ? 1 : 0);
    }),
  ),
];
