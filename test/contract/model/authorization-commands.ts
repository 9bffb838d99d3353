// Transactions, codes, second factors and the documents that they hold.
import { expect } from 'chai';
import fc from 'fast-check';
import { pushedRequest } from '../parts/pushed-requests.ts';
import { clientEntry, code, transaction } from '../store-under-test.ts';
import { type Command, command, recent } from './command.ts';
import type { ReferenceModel } from './reference-model.ts';

const browsers = fc.constantFrom('browser-1', 'browser-2');
const documentClient = 'https://client.example';
const clients = fc.constantFrom('web', documentClient);
const backs = fc.constantFrom(0, 0, 1, 2);

/** What becomes of a code that is to hold the document of its client. */
function mayHold(model: ReferenceModel, client: string): boolean {
  return client !== documentClient || model.documents.has(documentClient);
}

function keepCode(model: ReferenceModel, value: string, client: string): void {
  model.codes.set(value, { client, holds: client === documentClient, until: model.in(600), family: undefined });
}

export const authorizationCommands: fc.Arbitrary<Command>[] = [
  fc.tuple(browsers, clients, fc.boolean()).map(([browser, clientId, direct]) =>
    command(`begin a${direct ? ' direct' : ''} transaction of ${clientId} in ${browser}`, async (model, { store }) => {
      model.begun += 1;
      const id = recent(model, 't', 0);
      const began = transaction(id, { browser, clientId, direct, createdAt: model.now });
      expect(await store.transactions.begin(began, model.now)).to.equal('begun');
      model.transactions.set(id, { browser, client: clientId, direct, until: model.in(600) });
    }),
  ),
  fc.tuple(backs, browsers).map(([back, browser]) =>
    command(`look at transaction ${back} of ${browser}`, async (model, { store }) => {
      const id = recent(model, 't', back);
      const known = model.transactions.get(id);
      const found = await store.transactions.find(id, browser, model.now);
      expect(found?.transaction_id).to.equal(model.lives(known) && known.browser === browser ? id : undefined);
      const pending = [...model.transactions].filter(([, each]) => {
        return each.browser === browser && model.lives(each);
      });
      const listed = await store.transactions.pendingOf(browser, model.now);
      expect(listed.map(({ transaction_id }) => transaction_id)).to.deep.equal(pending.map(([each]) => each));
    }),
  ),
  fc.tuple(backs, browsers).map(([back, browser]) =>
    command(`complete transaction ${back} by ${browser}`, async (model, { store }) => {
      const id = recent(model, 't', back);
      const pending = model.transactions.get(id);
      const mayComplete = model.lives(pending) && pending.browser === browser;
      const client = pending?.client ?? 'web';
      const made = code(`code-of-${id}`, { issuedAt: model.now, clientId: client });
      const options = { holdDocument: client === documentClient };
      const outcome = await store.transactions.complete(id, browser, made, model.now, options);
      const expected = !mayComplete ? 'gone' : mayHold(model, client) ? 'completed' : 'client_not_held';
      expect(outcome).to.equal(expected);
      if (outcome !== 'completed') return;
      model.transactions.delete(id);
      keepCode(model, `code-of-${id}`, client);
    }),
  ),
  backs.map((back) =>
    command(`end transaction ${back}`, async (model, { store }) => {
      const id = recent(model, 't', back);
      await store.transactions.end(id, model.now);
      model.transactions.delete(id);
    }),
  ),
  clients.map((client) =>
    command(`issue a code of ${client}`, async (model, { store }) => {
      model.begun += 1;
      const value = `code-of-${recent(model, 't', 0)}`;
      const made = code(value, { issuedAt: model.now, clientId: client });
      const outcome = await store.codes.issue(made, model.now, { holdDocument: client === documentClient });
      expect(outcome).to.equal(mayHold(model, client) ? 'issued' : 'client_not_held');
      if (outcome === 'issued') keepCode(model, value, client);
    }),
  ),
  fc.tuple(backs, clients).map(([back, client]) =>
    command(`find and redeem code ${back} by ${client}`, async (model, { store }) => {
      const value = `code-of-${recent(model, 't', back)}`;
      const known = model.codes.get(value);
      const living = model.lives(known) ? known : undefined;
      const found = await store.codes.find(value, model.now);
      expect(found && [found.client_id, found.unused === undefined]).to.deep.equal(
        living && [living.client, living.family !== undefined],
      );
      const family = `family-of-${value}-at-${model.now}`;
      const { outcome } = await store.codes.redeem(value, client, family, model.now);
      const isKnown = living !== undefined && living.client === client;
      expect(outcome).to.equal(!isKnown ? 'unknown' : living.family === undefined ? 'redeemed' : 'used');
      if (outcome === 'redeemed' && living !== undefined) model.codes.set(value, { ...living, family });
      if (outcome === 'used' && living?.family !== undefined) {
        model.revoke(living.family, true);
        expect(await store.tokenState.isAccessTokenRevoked('any', living.family)).to.equal(true);
      }
    }),
  ),

  fc.constantFrom(1, 60, 1000).map((seconds) =>
    command(`keep a document fresh for ${seconds} s`, async (model, { store }) => {
      const freshUntil = model.in(seconds);
      const document = { client_id: documentClient, entry: clientEntry(documentClient), fetchedAt: model.now };
      expect(await store.metadataDocuments.save({ ...document, freshUntil }, model.now)).to.equal('kept');
      model.documents.set(documentClient, { freshUntil });
    }),
  ),
  fc.constant(
    command('look at the documents', async (model, { store }) => {
      const known = model.documents.get(documentClient);
      const isFresh = known !== undefined && model.now < known.freshUntil;
      const isThere = isFresh || (known !== undefined && model.isHeld(documentClient));
      const { find, findFresh, list } = store.metadataDocuments;
      const name = (document: { client_id: string } | undefined) => document?.client_id;
      expect(name(await findFresh(documentClient, model.now))).to.equal(isFresh ? documentClient : undefined);
      expect(name(await find(documentClient, model.now))).to.equal(isThere ? documentClient : undefined);
      expect((await list(model.now)).map(name)).to.deep.equal(isThere ? [documentClient] : []);
    }),
  ),
  fc.constant(
    command('forget the document', async (model, { store }) => {
      const isKnown = model.documents.delete(documentClient);
      expect(await store.metadataDocuments.remove(documentClient, model.now)).to.equal(isKnown);
      if (!isKnown) return;
      for (const [value, { holds }] of model.codes) if (holds) model.codes.delete(value);
    }),
  ),
  fc.constant(
    command('take 13 fetches', async (model, { store }) => {
      for (let fetch = 0; fetch < 13; fetch += 1) {
        model.fetches = model.fetches.filter((at) => at > model.now - 60_000);
        const mayFetch = model.fetches.length < 30;
        expect(await store.metadataDocuments.admitFetch(model.now)).to.equal(mayFetch);
        if (mayFetch) model.fetches.push(model.now);
      }
    }),
  ),

  fc.tuple(fc.constantFrom('f1', 'f2'), browsers, fc.constantFrom('', 'p')).map(([id, browser, purpose]) =>
    command(`record second factor ${id} of ${browser} for "${purpose}"`, async (model, { store }) => {
      const factor = { id, browser, surface: '/login', purpose, username: 'carol', passwordVerifiedAt: model.now };
      expect(await store.secondFactors.record({ ...factor, surface: '/login' }, model.now)).to.equal('recorded');
      model.factors.set(id, { place: `${browser} ${purpose}`, until: model.in(300) });
    }),
  ),
  fc
    .tuple(fc.constantFrom('f1', 'f2'), browsers, fc.constantFrom('', 'p'), fc.constantFrom('find', 'use', 'discard'))
    .map(([id, browser, purpose, what]) =>
      command(`${what} second factor ${id} of ${browser} for "${purpose}"`, async (model, { store }) => {
        const key = { id, browser, surface: '/login', purpose } as const;
        const known = model.factors.get(id);
        const isOurs = known?.place === `${browser} ${purpose}`;
        if (what === 'find') {
          const found = await store.secondFactors.find(key, model.now);
          return void expect(found?.username).to.equal(isOurs && model.lives(known) ? 'carol' : undefined);
        }
        if (what === 'use')
          expect(await store.secondFactors.use(key, model.now)).to.equal(isOurs && model.lives(known));
        else await store.secondFactors.discard(key);
        if (isOurs) model.factors.delete(id);
      }),
    ),
  fc.constant(
    command('push a request', async (model, { store }) => {
      model.begun += 1;
      const name = recent(model, 'p', 0);
      const request = pushedRequest(name, { expiresAt: model.in(60) });
      expect(await store.pushedRequests.push(request, model.now)).to.equal('pushed');
      model.pushed.set(name, { until: model.in(60) });
    }),
  ),
  fc.tuple(backs, browsers).map(([back, browser]) =>
    command(`bring pushed request ${back} by ${browser}`, async (model, { store }) => {
      const name = recent(model, 'p', back);
      const known = model.pushed.get(name);
      const { request_uri } = pushedRequest(name);
      const found = await store.pushedRequests.find(request_uri, model.now);
      expect(found?.request_uri).to.equal(model.lives(known) ? request_uri : undefined);
      expect(found?.browser).to.equal(model.lives(known) ? known.browser : undefined);
      const mayTake =
        model.lives(known) && known.usedBy === undefined && (known.browser === undefined || known.browser === browser);
      const bearer = { client_id: 'web', clientInstance: undefined, browser };
      const taken = await store.pushedRequests.redeem(request_uri, bearer, model.now);
      expect(typeof taken === 'string' ? undefined : taken.browser).to.equal(mayTake ? browser : undefined);
      if (mayTake && known.browser === undefined) model.pushed.set(name, { browser, until: model.in(600) });
    }),
  ),
  fc.tuple(backs, fc.constantFrom('t1', 't2')).map(([back, by]) =>
    command(`answer pushed request ${back} by ${by}`, async (model, { store }) => {
      const name = recent(model, 'p', back);
      const known = model.pushed.get(name);
      const mayUse = model.lives(known) && (known.usedBy === undefined || known.usedBy === by);
      expect(await store.pushedRequests.use(pushedRequest(name).request_uri, by, model.now)).to.equal(mayUse);
      if (mayUse) model.pushed.set(name, { ...known, usedBy: by });
    }),
  ),
];
