// Logouts that wait for a response, and logout tokens that are not delivered yet: which process delivers them, and the
// outcome.
import { expect } from 'chai';
import fc from 'fast-check';
import { plusSeconds } from '#shared/base/clock.ts';
import { endedLogout, markOfName, samlLogoutSeconds } from '#shared/model/domain/saml-logout.ts';
import type { SessionLimits } from '#shared/model/domain/session.ts';
import { samlLogout } from '../parts/saml-logouts.ts';
import { event } from '../store-under-test.ts';
import { type Command, command, recent } from './command.ts';
import type { ReferenceModel } from './reference-model.ts';

const limits: SessionLimits = { lifetimeSeconds: 1200, idleSeconds: 400 };
const leaseSeconds = 30;

const browsers = fc.constantFrom('browser-1', 'browser-2');
const nameOf = (value: string) => ({
  entity_id: 'sp',
  name_id: { value, format: undefined, name_qualifier: undefined, sp_name_qualifier: undefined },
});
const newest = (model: ReferenceModel) => [...model.deliveries.keys()].at(-1) ?? 'delivery-of-nobody';

export const logoutCommands: fc.Arbitrary<Command>[] = [
  browsers.map((browser) =>
    command(`ask ${browser} whether to log out`, async (model, { store }) => {
      model.begun += 1;
      const logout_id = recent(model, 'logout', 0);
      const request = { clientId: 'web', hint: undefined, address: undefined, state: logout_id };
      const confirmation = { logout_id, browser, sids: ['s'], request, askedAt: model.now };
      await store.logoutConfirmations.ask(confirmation, model.now);
      model.questions.set(logout_id, { browser, until: model.in(600) });
    }),
  ),
  fc.tuple(browsers, fc.constantFrom(0, 1), fc.boolean()).map(([browser, back, answers]) =>
    command(`${answers ? 'answer' : 'look at'} question ${back} as ${browser}`, async (model, { store }) => {
      const id = recent(model, 'logout', back);
      const known = model.questions.get(id);
      const expected = model.lives(known) && known.browser === browser ? id : undefined;
      const found = answers
        ? await store.logoutConfirmations.answer(id, browser, model.now)
        : await store.logoutConfirmations.find(id, browser, model.now);
      expect(found?.logout_id).to.equal(expected);
      expect(found?.request.state).to.equal(expected);
      if (answers && expected !== undefined) model.questions.delete(id);
    }),
  ),
  fc.constant(
    command('begin a SAML logout', async (model, { store }) => {
      const id = `logout-${model.samlLogouts.size}`;
      model.samlLogouts.set(id, { until: plusSeconds(model.now, samlLogoutSeconds), ended: false });
      await store.samlLogouts.begin(samlLogout(id, model.now), model.now);
    }),
  ),
  fc.nat(2).map((back) =>
    command(`end SAML logout ${back}`, async (model, { store }) => {
      const live = [...model.samlLogouts].filter(([, { until }]) => model.now < until).toReversed();
      expect((await store.samlLogouts.recent(model.now)).map(({ id }) => id)).to.deep.equal(live.map(([id]) => id));
      const [id, known] = live[back] ?? ['nobody', undefined];
      const changed = await store.samlLogouts.change(id, model.now, (logout) => endedLogout({ ...logout, steps: [] }));
      expect(changed !== undefined).to.equal(known !== undefined && !known.ended);
      if (known !== undefined) known.ended = true;
    }),
  ),
  fc.constantFrom('alice', 'bob').map((value) =>
    command(`remember an assertion about ${value} whose session ended`, async (model, { store }) => {
      const name = nameOf(value);
      const index = `_${model.endedAssertions.length}`;
      model.endedAssertions.push({ mark: markOfName(name), index, until: model.in(samlLogoutSeconds) });
      await store.samlLogouts.keepEnded([{ ...name, session_index: index }], model.now);
    }),
  ),
  fc.constantFrom('alice', 'bob').map((value) =>
    command(`look for the assertions about ${value} whose sessions ended`, async (model, { store }) => {
      const mark = markOfName(nameOf(value));
      const known = model.endedAssertions.filter((each) => each.mark === mark && model.now < each.until);
      const found = await store.samlLogouts.endedUnder([mark, 'of nobody'], model.now);
      expect(found).to.have.members(known.map(({ index }) => index));
    }),
  ),
  fc.constantFrom('alice', 'bob').map((username) =>
    command(`end the sessions of ${username} and keep what its clients are to be told`, async (model, { store }) => {
      const ends = [...model.sessions].filter(
        ([, each]) => each.username === username && model.now < each.until && model.now < each.idleUntil,
      );
      const until = plusSeconds(model.now, leaseSeconds);
      const ended = await store.sessions.end({ username }, limits, model.now, () => event('session_ended'), {
        until,
        deliveries: ({ sid, participants }) =>
          participants.flatMap((one) => {
            if (one.kind !== 'client') return [];
            const named = { kind: 'client' as const, username, client_id: one.client_id, sid };
            return [{ ...named, id: `${sid}-${one.client_id}`, jti: `j-${sid}`, issuer: 'http://i', attempts: 0 }];
          }),
      });
      expect(ended.map(({ sid }) => sid)).to.have.members(ends.map(([sid]) => sid));
      for (const [sid, { clients }] of ends) {
        model.sessions.delete(sid);
        model.entries.push('session_ended undefined');
        for (const [client, { joined }] of clients) {
          if (joined) model.deliveries.set(`${sid}-${client}`, { due: until, attempts: 0 });
        }
      }
    }),
  ),
  fc.constant(
    command('take up what is due', async (model, { store }) => {
      const due = [...model.deliveries].filter(([, each]) => each.due <= model.now);
      const namespaces = await store.logoutDeliveries.namespacesWithDue(model.now);
      expect(namespaces).to.deep.equal(due.length > 0 ? ['default'] : []);
      const until = plusSeconds(model.now, leaseSeconds);
      const taken = await store.logoutDeliveries.takeUp(model.now, until);
      expect(taken.map(({ id, attempts }) => [id, attempts]).toSorted()).to.deep.equal(
        due.map(([id, { attempts }]) => [id, attempts]).toSorted(),
      );
      for (const [id, { attempts }] of due) model.deliveries.set(id, { due: until, attempts });
    }),
  ),
  fc.constantFrom(1, 16).map((seconds) =>
    command(`postpone the newest delivery by ${seconds} s`, async (model, { store }) => {
      const id = newest(model);
      const due = plusSeconds(model.now, seconds);
      await store.logoutDeliveries.postpone(id, due);
      const known = model.deliveries.get(id);
      if (known !== undefined) model.deliveries.set(id, { due, attempts: known.attempts + 1 });
    }),
  ),
  fc.boolean().map((tells) =>
    command(`${tells ? 'settle' : 'drop'} the newest delivery`, async (model, { store }) => {
      const id = newest(model);
      const known = model.deliveries.delete(id);
      if (!tells) return store.logoutDeliveries.drop(id);
      expect(await store.logoutDeliveries.settle(id, event('backchannel_logout'))).to.equal(known);
      if (known) model.entries.push('backchannel_logout undefined');
    }),
  ),
];
