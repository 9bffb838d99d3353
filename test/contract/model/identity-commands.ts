// Runtime users and clients, registrations and promotions, with the event of each change.
import { expect } from 'chai';
import fc from 'fast-check';
import type { AuditEventType } from '#shared/model/audit/audit-event.ts';
import { serviceProviderEntryModel } from '#shared/model/configuration/service-provider-entry.ts';
import type { RuntimeIdentities } from '#shared/state/store/ports/index.ts';
import { clientEntry, event, userEntry } from '../store-under-test.ts';
import { type Command, command } from './command.ts';
import type { ModelIdentity, ReferenceModel } from './reference-model.ts';

const names = fc.constantFrom('a', 'b', 'c');
const kinds = fc.constantFrom('user', 'client');
const things = fc.tuple(kinds, names);
const registrationsMax = 2;

const about = (type: AuditEventType, kind: string, name: string) => event(type, { details: { kind, name } });

function note(model: ReferenceModel, type: AuditEventType, name: string | undefined): void {
  model.entries.push(`${type} ${name}`);
}

function known(model: ReferenceModel, kind: string, name: string): ModelIdentity | undefined {
  return model.identities.get(`${kind} ${name}`);
}

async function pieceOf(identities: RuntimeIdentities, kind: 'user' | 'client', after: number, limit: number) {
  if (kind === 'user') {
    const { users: objects, next } = await identities.usersAfter(after, limit);
    return { objects, next };
  }
  const { clients: objects, next } = await identities.clientsAfter(after, limit);
  return { objects, next };
}

export const identityCommands: fc.Arbitrary<Command>[] = [
  things.map(([kind, name]) =>
    command(`create ${kind} ${name}`, async (model, { store: { identities } }) => {
      const created = about('runtime_identity_created', kind, name);
      const outcome =
        kind === 'user'
          ? await identities.createUser(name, userEntry(), model.now, created)
          : await identities.createClient(clientEntry(name), model.now, created);
      expect(outcome === 'exists').to.equal(known(model, kind, name) !== undefined);
      if (outcome === 'exists') return;
      expect([outcome.kind, outcome.name, outcome.promotion.state]).to.deep.equal([kind, name, 'free']);
      model.set({ kind: outcome.kind, name, state: 'free' });
      note(model, 'runtime_identity_created', name);
    }),
  ),
  fc.tuple(names, fc.constantFrom('one', 'other', undefined)).map(([name, description]) =>
    command(`update user ${name}`, async (model, { store: { identities } }) => {
      const before = known(model, 'user', name);
      const outcome = await identities.updateUser(
        name,
        (entry) => (description === undefined ? undefined : { ...entry, description }),
        () => about('runtime_identity_updated', 'user', name),
      );
      if (before === undefined) return void expect(outcome).to.equal('unknown');
      if (before.state !== 'free') return void expect(outcome).to.equal('promotion_in_progress');
      if (description === undefined) return void expect(outcome).to.equal('refused');
      expect((await identities.findUser(name))?.entry.description).to.equal(description);
      note(model, 'runtime_identity_updated', name);
    }),
  ),
  things.map(([kind, name]) =>
    command(`create ${kind} ${name} in the place of another`, async (model, { store: { identities } }) => {
      const before = known(model, kind, name);
      const [created, replaced] = [
        about('runtime_identity_created', kind, name),
        about('runtime_identity_deleted', kind, name),
      ];
      const outcome =
        kind === 'user'
          ? await identities.createUser(name, userEntry(), model.now, created, replaced)
          : await identities.createClient(clientEntry(name), model.now, created, replaced);
      expect(outcome === 'exists').to.equal(before !== undefined && before.state !== 'free');
      if (outcome === 'exists') return;
      if (before !== undefined) {
        model.remove(before);
        note(model, 'runtime_identity_deleted', name);
      }
      model.set({ kind: outcome.kind, name, state: 'free' });
      note(model, 'runtime_identity_created', name);
    }),
  ),
  things.map(([kind, name]) =>
    command(`look at ${kind} ${name}`, async (model, { store: { identities } }) => {
      const found = kind === 'user' ? await identities.findUser(name) : await identities.findClient(name);
      expect(found?.promotion.state).to.equal(known(model, kind, name)?.state);
    }),
  ),
  fc.tuple(fc.nat(3), fc.constantFrom(1, 2, 5)).map(([before, limit]) =>
    command(`go through names and objects by ${limit}`, async (model, { store: { identities } }) => {
      for (const kind of ['user', 'client'] as const) {
        const all = model.of(kind).map(({ name }) => name);
        expect(await identities.names(kind, limit)).to.deep.equal(all.slice(0, limit));
        const through: string[] = [];
        for (let after: number | undefined = 0; after !== undefined; ) {
          const { objects, next } = await pieceOf(identities, kind, after, limit);
          through.push(...objects.map(({ name }) => name));
          after = next;
        }
        expect(through).to.deep.equal(all);
      }
      const candidates = model.of('user').filter((_, index) => index !== before);
      const several = await identities.findUsers([...candidates.map(({ name }) => name).toReversed(), 'nobody']);
      expect(several.map(({ name }) => name)).to.deep.equal(candidates.map(({ name }) => name));
      const name = model.of('user')[before]?.name ?? 'nobody';
      const found = await identities.findUsersByAddress(`${name}@example.org`);
      expect(found.map((user) => user.name)).to.deep.equal(name === 'nobody' ? [] : [name]);
    }),
  ),
  things.map(([kind, name]) =>
    command(`remove ${kind} ${name}`, async (model, { store }) => {
      const before = known(model, kind, name);
      const removed = about('runtime_identity_deleted', kind, name);
      const outcome = await store.identities.remove(kind === 'user' ? 'user' : 'client', name, removed);
      if (before === undefined) return void expect(outcome).to.equal('unknown');
      expect(outcome).to.equal(before.state === 'free' ? 'removed' : 'promotion_in_progress');
      if (outcome !== 'removed') return;
      model.remove(before);
      note(model, 'runtime_identity_deleted', name);
    }),
  ),
  fc.tuple(names, fc.boolean()).map(([name, replacing]) =>
    command(`create service provider ${name}`, async (model, { store: { identities } }) => {
      const kind = 'service_provider';
      const before = model.serviceProviders.has(name);
      const outcome = await identities.createServiceProvider(
        name,
        serviceProviderEntryModel.parse({ entity_id: name }),
        model.now,
        about('runtime_identity_created', kind, name),
        replacing ? about('runtime_identity_deleted', kind, name) : undefined,
      );
      expect(outcome === 'exists').to.equal(before && !replacing);
      if (outcome === 'exists') return;
      if (before) note(model, 'runtime_identity_deleted', name);
      model.serviceProviders.delete(name);
      model.serviceProviders.add(name);
      note(model, 'runtime_identity_created', name);
    }),
  ),
  fc.tuple(names, fc.boolean()).map(([name, removing]) =>
    command(`look at service provider ${name}`, async (model, { store: { identities } }) => {
      const all = await identities.listServiceProviders();
      expect(all.map((each) => each.name)).to.deep.equal([...model.serviceProviders]);
      const found = await identities.findServiceProvider(name);
      expect(found?.entry.entity_id).to.equal(model.serviceProviders.has(name) ? name : undefined);
      if (!removing) return;
      const removed = about('runtime_identity_deleted', 'service_provider', name);
      const outcome = await identities.remove('service_provider', name, removed);
      expect(outcome).to.equal(model.serviceProviders.delete(name) ? 'removed' : 'unknown');
      if (outcome === 'removed') note(model, 'runtime_identity_deleted', name);
    }),
  ),
  fc.constant(
    command('reset', async (model, { store }) => {
      const counts = await store.identities.reset((details) => event('runtime_identities_reset', { details }));
      const all = [...model.identities.values()];
      if (all.some(({ state }) => state === 'claimed')) return void expect(counts).to.equal('promotion_in_progress');
      const [users, clients] = [model.of('user', 'free'), model.of('client', 'free')];
      const others = model.serviceProviders.size;
      expect(counts).to.deep.equal({
        users_deleted: users.length,
        clients_deleted: clients.length,
        ...(others > 0 ? { service_providers_deleted: others } : {}),
      });
      model.serviceProviders.clear();
      for (const each of [...users, ...clients]) model.remove(each);
      model.epoch += 1;
      note(model, 'runtime_identities_reset', undefined);
    }),
  ),

  fc.tuple(names, fc.boolean()).map(([name, fresh]) =>
    command(`register ${name}${fresh ? '' : ' begun before a reset'}`, async (model, { store: { identities } }) => {
      const made = { client_id: name, accessTokenHash: name, issuedAt: model.now, grant_types: [], client_name: name };
      const epoch = fresh ? await identities.registrationEpoch() : model.epoch - 1;
      const registered = about('client_registered', 'client', name);
      const entry = clientEntry(name);
      const outcome = await identities.register(entry, made, registrationsMax, epoch, model.now, registered);
      const isFull = model.of('client').filter(({ hash }) => hash !== undefined).length >= registrationsMax;
      const expected = known(model, 'client', name) === undefined ? 'registered' : 'exists';
      expect(outcome).to.equal(!fresh ? 'interrupted' : isFull ? 'limit' : expected);
      if (outcome !== 'registered') return;
      model.set({ kind: 'client', name, state: 'free', hash: name });
      note(model, 'client_registered', name);
    }),
  ),
  fc.tuple(names, names).map(([name, hash]) =>
    command(`find and end the registration of ${name} with the token of ${hash}`, async (model, { store }) => {
      const before = known(model, 'client', name);
      const isIts = before?.hash !== undefined && before.hash === hash;
      expect((await store.identities.findRegistration(name, hash))?.name).to.equal(isIts ? name : undefined);
      const removed = about('client_registration_deleted', 'client', name);
      const outcome = await store.identities.unregister(name, hash, removed);
      if (!isIts) return void expect(outcome).to.equal('unknown');
      expect(outcome).to.equal(before.state === 'free' ? 'removed' : 'promotion_in_progress');
      if (outcome !== 'removed') return;
      model.remove(before);
      note(model, 'client_registration_deleted', name);
    }),
  ),

  things.map(([kind, name]) =>
    command(`claim ${kind} ${name}`, async (model, { store: { identities } }) => {
      const before = known(model, kind, name);
      const promoting = about('runtime_identity_promoted', kind, name);
      const claiming = await identities.claimPromotion(kind === 'user' ? 'user' : 'client', name, promoting);
      if (before === undefined) return void expect(claiming.outcome).to.equal('unknown');
      expect(claiming.outcome).to.equal(before.state === 'free' ? 'claimed' : 'promotion_in_progress');
      if (claiming.outcome === 'claimed') model.set({ ...before, state: 'claimed', claim: claiming.claim });
    }),
  ),
  fc.tuple(things, fc.constantFrom('retire', 'release', 'write', 'declared', 'runtime')).map(([[kind, name], end]) =>
    command(`end the promotion of ${kind} ${name}: ${end}`, async (model, { store: { identities } }) => {
      const before = known(model, kind, name);
      const claim = before?.claim ?? 'no claim';
      const isClaimed = before?.state === 'claimed';
      expect(await identities.holdsClaim(claim)).to.equal(isClaimed);
      // This process is alive, so its claims stay.
      expect(await identities.deadClaims()).to.deep.equal([]);
      if (end === 'retire') expect(await identities.retirePromoted(claim)).to.equal(isClaimed);
      else if (end === 'release') await identities.releaseClaim(claim);
      else if (end === 'write') await identities.noteWritten(claim);
      else {
        const outcome = end === 'declared' ? 'declared' : 'runtime';
        expect(await identities.settleDeadClaim(claim, outcome, { at: model.now })).to.equal(isClaimed);
      }
      if (before === undefined || !isClaimed) return;
      if (end === 'retire' || end === 'declared') model.remove(before);
      else if (end === 'write') model.set({ ...before, state: 'written', writtenAt: model.generation });
      else model.set({ ...before, state: 'free', claim: undefined });
      if (end === 'write') model.superseded = true;
      if (end === 'retire') note(model, 'runtime_identity_promoted', name);
      if (end === 'declared' || end === 'runtime') note(model, 'runtime_identity_promotion_recovered', name);
    }),
  ),

  fc
    .tuple(fc.constantFrom('x', 'y'), fc.subarray(['a', 'b', 'c']), fc.subarray(['a', 'b', 'c']))
    .map(([settings, users, clients]) =>
      command(`load ${settings} declaring users [${users}] and clients [${clients}]`, async (model, { store }) => {
        const texts = `${settings}/${users}/${clients}`;
        if (texts !== model.generations.at(-1) || model.superseded) model.generations.push(texts);
        model.superseded = false;
        const { generation } = model;
        expect(await store.generations.accept(texts, texts)).to.equal(generation);
        const declared = { user: new Set<string>(users), client: new Set<string>(clients) };
        const names = { generation, users: declared.user, clients: declared.client };
        const reconciled = await store.identities.reconcile(names, { at: model.now });
        const expected: string[] = [];
        for (const identity of [...model.identities.values()]) {
          const { kind, name, state } = identity;
          const isDeclared = declared[kind].has(name);
          const mayEnd = state === 'written' && generation > (identity.writtenAt ?? 0);
          if ((state === 'free' || mayEnd) && isDeclared) {
            model.remove(identity);
            note(model, state === 'free' ? 'runtime_identity_removed_on_reload' : 'runtime_identity_promoted', name);
            expected.push(`${kind} ${name} ${state === 'free' ? 'removed' : 'promoted'}`);
          } else if (mayEnd) {
            model.set({ ...identity, state: 'free', claim: undefined });
            note(model, 'runtime_identity_promotion_abandoned', name);
            expected.push(`${kind} ${name} abandoned`);
          }
        }
        expect(reconciled.map(({ kind, name, outcome }) => `${kind} ${name} ${outcome}`)).to.deep.equal(expected);
      }),
    ),
];
