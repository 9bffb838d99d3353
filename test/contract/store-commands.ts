// Random steps on a store and on the reference model beside it. Each command asks the store, works out the answer on
// the model and compares.
import { expect } from 'chai';
import fc from 'fast-check';
import { instant, plusSeconds } from '#shared/clock.ts';
import type { OpenedStore } from '#shared/store/open-store.ts';
import type { ReferenceModel } from './reference-model.ts';
import { clientEntry, code, deviceGrant, event, transaction, userEntry } from './store-under-test.ts';

type Command = fc.AsyncCommand<ReferenceModel, OpenedStore>;

/** A command from its text and its step; every command may run in every state. */
function command(text: string, run: (model: ReferenceModel, real: OpenedStore) => Promise<void>): Command {
  return { check: () => true, run, toString: () => text };
}

const names = fc.constantFrom('a', 'b', 'c');
const revokedFamilyMemory = 31 * 24 * 3600;

export const storeCommands: fc.Arbitrary<Command>[] = [
  fc.constantFrom(1, 1, 1, 60, 299, 400, 1150, 86_400).map((seconds) =>
    command(`wait ${seconds} s`, async (model) => {
      model.now = plusSeconds(model.now, seconds);
    }),
  ),

  fc.tuple(names, fc.constantFrom('browser-1', 'browser-2')).map(([id, browser]) =>
    command(`begin transaction ${id} of ${browser}`, async (model, { store }) => {
      if (model.transactions.has(id)) return;
      const began = transaction(id, { browser, createdAt: model.now });
      expect(await store.transactions.begin(began, model.now)).to.equal('begun');
      model.transactions.set(id, { browser, until: plusSeconds(model.now, 600) });
    }),
  ),
  fc.tuple(names, fc.constantFrom('browser-1', 'browser-2')).map(([id, browser]) =>
    command(`complete transaction ${id} by ${browser}`, async (model, { store }) => {
      const pending = model.transactions.get(id);
      const mayComplete = model.lives(pending) && pending?.browser === browser;
      const made = code(`code-${id}-${model.now}`, { issuedAt: model.now });
      const outcome = await store.transactions.complete(id, browser, made, model.now);
      expect(outcome).to.equal(mayComplete ? 'completed' : 'gone');
      if (!mayComplete) return;
      model.transactions.set(id, { browser, until: instant(0) });
      model.codes.set(`${id}`, { until: plusSeconds(model.now, 600), family: undefined });
      await store.codes.issue(code(`${id}`, { issuedAt: model.now }), model.now).catch(() => 'issued before');
    }),
  ),
  fc.tuple(names, fc.constantFrom('web', 'other')).map(([value, client]) =>
    command(`redeem code ${value} by ${client}`, async (model, { store }) => {
      const known = model.codes.get(value);
      const isKnown = model.lives(known) && client === 'web';
      const family = `family-${model.now}`;
      const { outcome } = await store.codes.redeem(value, client, family, model.now);
      expect(outcome).to.equal(!isKnown ? 'unknown' : known?.family === undefined ? 'redeemed' : 'used');
      if (outcome === 'redeemed' && known !== undefined) model.codes.set(value, { ...known, family });
      if (outcome === 'used' && known?.family !== undefined) {
        model.revoke(known.family, true, plusSeconds(model.now, revokedFamilyMemory));
        expect(await store.tokenState.isAccessTokenRevoked('any', known.family, model.now)).to.equal(true);
      }
    }),
  ),

  fc.constantFrom(1, 2).map((number) =>
    command(`begin device grant ${number}`, async (model, { store }) => {
      const known = model.grants.get(`${number}`);
      // A record outlives its time by 600 s.
      const isRemembered = known !== undefined && model.now < plusSeconds(known.until, 600);
      const grant = deviceGrant(number, { createdAt: model.now, expiresAt: plusSeconds(model.now, 600) });
      expect(await store.deviceGrants.begin(grant, model.now)).to.equal(isRemembered ? 'collision' : 'begun');
      if (!isRemembered) model.grants.set(`${number}`, { state: 'pending', until: grant.expiresAt });
    }),
  ),
  fc.tuple(fc.constantFrom(1, 2), fc.boolean()).map(([number, approve]) =>
    command(`${approve ? 'approve' : 'deny'} device grant ${number}`, async (model, { store }) => {
      const known = model.grants.get(`${number}`);
      const isPending = model.lives(known) && known?.state === 'pending';
      const approval = { username: 'alice', authenticatedAt: model.now, method: 'password', amr: undefined } as const;
      const outcome = approve
        ? await store.deviceGrants.approve(`USER-${number}`, approval, model.now)
        : await store.deviceGrants.deny(`USER-${number}`, model.now);
      expect(outcome).to.equal(isPending ? (approve ? 'approved' : 'denied') : 'not_pending');
      if (isPending) model.grants.set(`${number}`, { ...known, state: approve ? 'approved' : 'denied' });
    }),
  ),
  fc.constantFrom(1, 2).map((number) =>
    command(`redeem device grant ${number}`, async (model, { store }) => {
      const known = model.grants.get(`${number}`);
      const isApproved = model.lives(known) && known?.state === 'approved';
      const outcome = await store.deviceGrants.redeem(`device-${number}`, model.now);
      expect(outcome).to.equal(isApproved ? 'redeemed' : 'not_approved');
      if (isApproved) model.grants.set(`${number}`, { ...known, state: 'used' });
    }),
  ),

  fc.tuple(names, names, fc.boolean()).map(([family, token, rotate]) =>
    command(`spend ${family}.${token}${rotate ? ' with rotation' : ''}`, async (model, { store }) => {
      const jti = `${family}.${token}`;
      const expected = model.isRevoked(family) ? 'revoked' : model.lives(model.spent.get(jti)) ? 'reused' : 'spent';
      const expiresAt = plusSeconds(model.now, 604_800);
      const outcome = await store.tokenState.spendRefreshToken({ family, jti, expiresAt, rotate }, model.now);
      expect(outcome).to.equal(expected);
      if (outcome === 'spent' && rotate) model.spent.set(jti, { until: expiresAt });
      if (outcome === 'reused' && rotate) {
        model.revoke(family, false, plusSeconds(model.now, revokedFamilyMemory));
      }
    }),
  ),
  names.map((family) =>
    command(`revoke family ${family}`, async (model, { store }) => {
      await store.tokenState.revokeFamily(family, model.now);
      model.revoke(family, true, plusSeconds(model.now, revokedFamilyMemory));
    }),
  ),
  names.map((family) =>
    command(`look at family ${family}`, async (model, { store }) => {
      const known = model.families.get(family);
      const withAccess = model.lives(known) && known?.withAccessTokens === true;
      expect(await store.tokenState.isAccessTokenRevoked('any', family, model.now)).to.equal(withAccess);
      const isOver = await store.tokenState.isRefreshTokenSpentOrRevoked('unknown', family, model.now);
      expect(isOver).to.equal(model.isRevoked(family));
    }),
  ),

  names.map((name) =>
    command(`create user ${name}`, async (model, { store }) => {
      const created = event('runtime_identity_created', { details: { name } });
      const outcome = await store.identities.createUser(name, userEntry(), model.now, created);
      expect(outcome === 'exists').to.equal(model.users.has(name));
      if (outcome === 'exists') return;
      model.users.set(name, { state: 'free', claim: undefined });
      model.events.push(`runtime_identity_created ${name}`);
    }),
  ),
  names.map((name) =>
    command(`remove user ${name}`, async (model, { store }) => {
      const known = model.users.get(name);
      const removed = event('runtime_identity_deleted', { details: { name } });
      const outcome = await store.identities.remove('user', name, removed);
      if (known === undefined) return void expect(outcome).to.equal('unknown');
      expect(outcome).to.equal(known.state === 'free' ? 'removed' : 'promotion_in_progress');
      if (outcome !== 'removed') return;
      model.users.delete(name);
      model.events.push(`runtime_identity_deleted ${name}`);
    }),
  ),
  names.map((name) =>
    command(`claim user ${name}`, async (model, { store }) => {
      const known = model.users.get(name);
      const promoting = event('runtime_identity_promoted', { details: { name } });
      const claiming = await store.identities.claimPromotion('user', name, promoting);
      if (known === undefined) return void expect(claiming.outcome).to.equal('unknown');
      expect(claiming.outcome).to.equal(known.state === 'free' ? 'claimed' : 'promotion_in_progress');
      if (claiming.outcome === 'claimed') model.users.set(name, { state: 'claimed', claim: claiming.claim });
    }),
  ),
  fc.tuple(names, fc.constantFrom('retire', 'release', 'write')).map(([name, end]) =>
    command(`${end} the promotion of ${name}`, async (model, { store }) => {
      const known = model.users.get(name);
      const isClaimed = known?.state === 'claimed';
      const claim = known?.claim ?? 'no claim';
      if (end === 'retire') {
        expect(await store.identities.retirePromoted(claim)).to.equal(isClaimed);
        if (!isClaimed) return;
        model.users.delete(name);
        model.events.push(`runtime_identity_promoted ${name}`);
      } else if (end === 'release') {
        await store.identities.releaseClaim(claim);
        if (isClaimed) model.users.set(name, { state: 'free', claim: undefined });
      } else {
        await store.identities.noteWritten(claim);
        if (!isClaimed) return;
        model.users.set(name, { state: 'written', claim });
        model.writtenAt.set(name, model.generation);
        model.superseded = true;
      }
    }),
  ),
  fc.constant(
    command('reset', async (model, { store }) => {
      const counts = await store.identities.reset((details) => event('runtime_identities_reset', { details }));
      const states = [...model.users].map(([name, { state }]) => ({ name, state }));
      if (states.some(({ state }) => state === 'claimed')) {
        return void expect(counts).to.equal('promotion_in_progress');
      }
      const free = states.filter(({ state }) => state === 'free');
      expect(counts).to.deep.equal({ users_deleted: free.length, clients_deleted: model.registrations.size });
      for (const { name } of free) model.users.delete(name);
      model.registrations.clear();
      model.epoch += 1;
      model.events.push('runtime_identities_reset undefined');
    }),
  ),
  fc.tuple(names, fc.boolean()).map(([name, fresh]) =>
    command(`register ${name}${fresh ? '' : ' begun before a reset'}`, async (model, { store }) => {
      const made = { client_id: name, accessTokenHash: name, issuedAt: model.now, grant_types: [], client_name: name };
      const epoch = fresh ? await store.identities.registrationEpoch() : model.epoch - 1;
      const registered = event('client_registered', { details: { name } });
      const outcome = await store.identities.register(clientEntry(name), made, 2, epoch, model.now, registered);
      const isFull = model.registrations.size >= 2;
      const expected = model.registrations.has(name) ? 'exists' : 'registered';
      expect(outcome).to.equal(!fresh ? 'interrupted' : isFull ? 'limit' : expected);
      if (outcome !== 'registered') return;
      model.registrations.add(name);
      model.events.push(`client_registered ${name}`);
    }),
  ),
  fc.tuple(fc.constantFrom('x', 'y'), fc.subarray(['a', 'b', 'c'])).map(([settings, declared]) =>
    command(`load ${settings} declaring [${declared}]`, async (model, { store }) => {
      const texts = `${settings}/${declared}`;
      if (texts !== model.texts || model.superseded) model.generation += 1;
      model.texts = texts;
      model.superseded = false;
      expect(await store.generations.accept(settings, declared.join())).to.equal(model.generation);
      const users = new Set<string>(declared);
      await store.identities.reconcile({ generation: model.generation, users, clients: new Set() }, model.now);
      for (const [name, { state }] of [...model.users]) {
        const isDeclared = users.has(name);
        const mayEnd = state === 'written' && model.generation > (model.writtenAt.get(name) ?? 0);
        if (state === 'free' && isDeclared) {
          model.users.delete(name);
          model.events.push(`runtime_identity_removed_on_reload ${name}`);
        } else if (mayEnd && isDeclared) {
          model.users.delete(name);
          model.events.push(`runtime_identity_promoted ${name}`);
        } else if (mayEnd) {
          model.users.set(name, { state: 'free', claim: undefined });
          model.events.push(`runtime_identity_promotion_abandoned ${name}`);
        }
      }
    }),
  ),
];

/** What can be seen of the store at the end agrees with the model. */
export async function compareWhole(model: ReferenceModel, { store, audit }: OpenedStore): Promise<void> {
  const users = await store.identities.listUsers();
  expect(users.map(({ name, promotion }) => `${name} ${promotion.state}`)).to.deep.equal(
    [...model.users].map(([name, { state }]) => `${name} ${state}`),
  );
  const clients = await store.identities.listClients();
  expect(clients.map(({ name }) => name)).to.deep.equal([...model.registrations]);
  const entries = await audit.read({ limit: -1 });
  expect(entries.map(({ event_type, details }) => `${event_type} ${details.name}`)).to.deep.equal(model.events);
}
