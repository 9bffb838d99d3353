// What frontends agree on, and the audit.
import { expect } from 'chai';
import fc from 'fast-check';
import { instant } from '#shared/base/clock.ts';
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';
import { event } from '../store-under-test.ts';
import { type Command, command } from './command.ts';

const browsers = fc.constantFrom('browser-1', 'browser-2');

export const coordinationCommands: fc.Arbitrary<Command>[] = [
  fc.tuple(fc.constantFrom('token', 'register'), fc.constantFrom(1, 2, 4)).map(([bucket, times]) =>
    command(`count ${times} in ${bucket}`, async (model, { store }) => {
      for (let time = 0; time < times; time += 1) {
        const open = model.windows.get(bucket);
        const window = model.lives(open) ? open : { until: model.in(60), requests: 0 };
        const isBeyond = window.requests >= 3;
        const wait = await store.rateCounters.count(bucket, 3, 60, model.now);
        expect(wait).to.equal(isBeyond ? Math.ceil((window.until - model.now) / 1000) : undefined);
        if (!isBeyond) model.windows.set(bucket, { ...window, requests: window.requests + 1 });
      }
    }),
  ),
  fc.tuple(fc.constantFrom('cookie', 'other'), fc.nat(9)).map(([name, made]) =>
    command(`get the secret ${name}, made as ${made} if there is none`, async (model, { store }) => {
      const secret = model.secrets.get(name) ?? `secret ${made}`;
      model.secrets.set(name, secret);
      expect(await store.sharedSecrets.get(name, () => `secret ${made}`)).to.equal(secret);
    }),
  ),
  fc.tuple(browsers, fc.nat(8)).map(([browser, from]) =>
    command(`remember requests ${from} to ${from + 4} of ${browser}`, async (model, { store }) => {
      for (let number = from; number < from + 5; number += 1) {
        const digest = `d${number}`;
        await store.verifiedAuthnRequests.record(browser, digest, model.now);
        const others = (model.authnRequests.get(browser) ?? []).filter((each) => each.digest !== digest);
        const kept = [...others.filter((each) => model.lives(each)), { digest, until: model.in(600) }];
        model.authnRequests.set(browser, kept.slice(-10));
      }
    }),
  ),
  fc.tuple(browsers, fc.nat(8)).map(([browser, from]) =>
    command(`recall requests ${from} to ${from + 4} of ${browser}`, async (model, { store }) => {
      for (let number = from; number < from + 5; number += 1) {
        const digest = `d${number}`;
        const known = model.authnRequests.get(browser) ?? [];
        const isKnown = model.lives(known.find((each) => each.digest === digest));
        expect(await store.verifiedAuthnRequests.recall(browser, digest, model.now)).to.equal(isKnown);
        const renewed = (each: (typeof known)[number]) =>
          isKnown && each.digest === digest ? { digest, until: model.in(600) } : each;
        model.authnRequests.set(browser, known.map(renewed));
      }
    }),
  ),
  fc.tuple(fc.constantFrom('sp-1', 'sp-2'), fc.nat(9)).map(([sp, number]) =>
    command(`deliver ${number} to ${sp}`, async (model, { store }) => {
      expect(await store.deliveredResponses.last(sp)).to.equal(model.delivered.get(sp));
      await store.deliveredResponses.record(sp, `document ${number}`);
      model.delivered.set(sp, `document ${number}`);
    }),
  ),
  fc.nat(9).map((back) =>
    command(`look at the generations, ${back} back`, async (model, { store }) => {
      const newest = model.generation;
      expect(await store.generations.newest()).to.equal(newest);
      const wanted = newest - back;
      // The last eight are kept.
      const text = wanted >= 1 && back < 8 ? model.generations[wanted - 1] : undefined;
      const found = await store.generations.read(wanted);
      const expected = { generation: wanted, settingsText: text, usersText: text };
      expect(found).to.deep.equal(text === undefined ? undefined : expected);
    }),
  ),
  fc.constantFrom('p', 'q').map((text) =>
    command(`accept ${text} if it is the first`, async (model, { store }) => {
      if (model.generation === 0) model.generations.push(text);
      const newest = model.generations.at(-1);
      expect(await store.generations.acceptFirst(text, text)).to.deep.equal({
        generation: model.generation,
        settingsText: newest,
        usersText: newest,
      });
    }),
  ),
  fc.constant(
    command('ask for troubles', async (_model, { store }) => {
      expect(await store.condition.troubles()).to.deep.equal([]);
    }),
  ),

  fc
    .tuple(fc.constantFrom('p', 'q', 'r'), fc.constantFrom('one', 'two'), fc.boolean())
    .map(([text, declarer, edited]) =>
      command(`declare ${text}${edited ? ', edited,' : ''} from directory ${declarer}`, async (model, { store }) => {
        const newest = model.generations.at(-1);
        const last = model.declared.get(declarer);
        const wasInForce = model.generations.includes(text);
        const isFound = last === undefined || (!edited && last !== newest);
        const stays = last === text || (isFound && wasInForce);
        const isBehind = newest !== undefined && newest !== text && stays;
        if (!isBehind) {
          if (text !== newest || model.superseded) {
            model.generations.push(text);
            model.superseded = false;
          }
          model.declared.set(declarer, text);
        }
        const expected = isBehind ? 'behind' : model.generation;
        expect(await store.generations.declare(text, text, declarer, { edited })).to.equal(expected);
      }),
    ),
  fc.tuple(fc.constantFrom('p', 'q', 'r'), fc.constantFrom('p', 'q', 'r')).map(([base, text]) =>
    command(`change ${base} into ${text} from directory one`, async (model, { store }) => {
      const isNewest = base === model.generations.at(-1);
      if (isNewest && (text !== base || model.superseded)) {
        model.generations.push(text);
        model.superseded = false;
      }
      if (isNewest) model.declared.set('one', text);
      const texts = (both: string) => ({ settingsText: both, usersText: both });
      const expected = isNewest ? model.generation : 'moved_on';
      expect(await store.generations.acceptOver(texts(base), texts(text), 'one')).to.equal(expected);
    }),
  ),
  fc.boolean().map((frozen) =>
    command(`set the clock to now and ${frozen ? 'stop it' : 'let it run'}`, async (model, { store }) => {
      const move = { to: { by: 'instant', at: model.now }, frozen } as const;
      const from = { offsetMilliseconds: 0, frozenAt: model.frozenAt };
      model.frozenAt = frozen ? model.now : undefined;
      const to = { offsetMilliseconds: 0, frozenAt: model.frozenAt };
      expect(await store.clock.move(move, model.now)).to.deep.equal({ from, to });
      expect(store.clock.state()).to.deep.equal(to);
      await store.clock.refresh();
      // Nothing lies ahead of a clock that never goes back.
      await store.clock.endAhead(model.now);
      expect(store.clock.state()).to.deep.equal(to);
    }),
  ),

  fc.tuple(fc.constantFrom('login', 'token_request', 'logout'), fc.constantFrom('a', 'b')).map(([type, name]) =>
    command(`record ${type} of ${name}`, async (model, { audit }) => {
      const [event_type] = [type].filter((each) => each === 'login' || each === 'token_request');
      // A clock that goes wrong does not change the order.
      await audit.record(event(event_type ?? 'logout', { at: instant(model.now % 7919), details: { name } }));
      model.entries.push(`${event_type ?? 'logout'} ${name}`);
    }),
  ),
  fc
    .tuple(fc.constantFrom(-1, 0, 1, 3, 100), fc.constantFrom(undefined, '', 'login', 'runtime_identity_created'))
    .map(([limit, type]) =>
      command(`read ${limit} of ${type ?? 'all'}`, async (model, { audit }) => {
        const matching = model.entries.filter((entry) => !type || entry.startsWith(`${type} `));
        const expected = limit < 0 ? matching : matching.slice(Math.max(0, matching.length - limit));
        const read = await audit.read({ limit, event_type: type });
        expect(read.map(({ event_type, details }) => `${event_type} ${details.name}`)).to.deep.equal(expected);
        const inPieces: AuditEntry[] = [];
        for await (const piece of audit.pieces({ limit, event_type: type })) inPieces.push(...piece);
        expect(inPieces).to.deep.equal(read);
        const { total_requests, login_attempts } = await audit.counters();
        const logins = model.entries.filter((entry) => entry.startsWith('login ')).length;
        expect([total_requests, login_attempts]).to.deep.equal([model.entries.length, logins]);
      }),
    ),
  fc.constant(
    command('clear the audit', async (model, { audit }) => {
      await audit.clear();
      model.entries = [];
    }),
  ),
];
