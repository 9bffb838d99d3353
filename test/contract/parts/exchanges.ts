// The recorder in the store: kept in order, joined into flows, repeated, bounded, and never in anybody's way.
import { expect } from 'chai';
import { instant } from '#shared/base/clock.ts';
import { recorderBounds, type StoredExchange } from '#shared/model/domain/exchange.ts';
import type { OpenedStore } from '#shared/state/store/open-store.ts';
import { verifies } from '#test/support/verifies.ts';
import { at, event } from '../store-under-test.ts';

export const newExchange = (given: Partial<StoredExchange> = {}): StoredExchange => ({
  ...{ endpoint: 'token', at: at(0), clock: at(0), durationMilliseconds: 1.5, method: 'POST', path: '/token' },
  ...{ status: 200, clientId: 'web', username: undefined, sp: undefined, grantType: 'client_credentials' },
  ...{ decision: 'accepted', reason: undefined, refusal: undefined, fault: undefined },
  content: { parameters: [], requestHeaders: '', answer: { a: 1 }, responseHeaders: 'a: b', decoded: [] },
  keys: { named: [], made: [] },
  ...{ address: '127.0.0.1', requestId: 'of-nobody', secrets: undefined, repeatKey: undefined },
  ...given,
});

const aSandbox = (instanceId: string) => ({
  ...{ name: 'box', instanceId, createdAt: at(0), expiresAt: at(3600), ttlSeconds: 3600, settings: {} },
  keys: 'shared' as const,
});

export function describeExchanges(under: () => OpenedStore): void {
  const exchanges = () => under().store.exchanges;
  const add = (...all: StoredExchange[]) => {
    for (const one of all) exchanges().add(one);
  };
  const paths = async () => (await exchanges().list({}, 1000)).exchanges.map(({ path }) => path);

  describe('exchanges', () => {
    it('are none at first', async () => {
      expect(await exchanges().list({}, 10)).to.deep.equal({ exchanges: [], cursor: 0 });
      expect(await exchanges().state()).to.deep.equal({ kept: 0, bound: 10_000, dropped: 0, lost: 0 });
    });

    it('are given back as they were recorded, in their order, the newest of those that fit', async () => {
      const {
        keys: _,
        address: _address,
        requestId: _requestId,
        ...stored
      } = newExchange({
        ...{ path: '/a', username: 'alice' },
      });
      const { secrets: _secrets, repeatKey: _repeatKey, ...given } = stored;
      add(
        newExchange(given),
        newExchange({ path: '/b', status: 400, requestId: 'p-1' }),
        newExchange({ path: '/c', endpoint: 'userinfo' }),
      );
      const { exchanges: all, cursor } = await exchanges().list({}, 10);
      expect(all.map(({ path }) => path)).to.deep.equal(['/a', '/b', '/c']);
      const content = { parameters: [], request_headers: [], answer: { a: 1 }, decoded: [] };
      const response_headers = [{ name: 'a', value: 'b' }];
      const read = {
        ...given,
        content: { ...content, response_headers },
        id: all[0]?.id,
        flow: all[0]?.id,
        repeated: 1,
      };
      expect(all[0]).to.deep.equal(read);
      expect(await exchanges().find(all[0]?.id ?? 0)).to.deep.equal(all[0]);
      expect(cursor).to.equal(all[2]?.id);
      const found = async (filter: object, limit = 10) =>
        (await exchanges().list(filter, limit)).exchanges.map(({ path }) => path);
      expect(await found({}, 2)).to.deep.equal(['/b', '/c']);
      expect(await found({ status: 400 })).to.deep.equal(['/b']);
      expect(await found({ requestId: 'p-1' })).to.deep.equal(['/b']);
      expect(await found({ endpoint: 'userinfo' })).to.deep.equal(['/c']);
      expect(await found({ username: 'alice', clientId: 'web' })).to.deep.equal(['/a']);
      expect(await found({ after: all[0]?.id })).to.deep.equal(['/b', '/c']);
      expect(await exchanges().count({ after: all[0]?.id, endpoint: 'token' })).to.equal(1);
    });

    it('are read with their headers, whatever those contain, and with what their tokens contain', async () => {
      const header = Buffer.from('{"alg":"none"}').toString('base64url');
      const unsigned = (jti: string) => `${header}.${Buffer.from(JSON.stringify({ jti })).toString('base64url')}`;
      const content = {
        ...newExchange().content,
        requestHeaders: 'host: a.example:8000\ncookie: a=b; c=d\nx-empty: \nx-quoted: "a: b" \\ ü',
        responseHeaders: 'Set-Cookie: a\nSet-Cookie: b',
        decoded: [
          { name: 'token', in: 'parameters', unsigned: unsigned('asked') },
          { name: 'broken', in: 'parameters', unsigned: 'ey.e' },
          { name: 'access_token', in: 'answer', unsigned: unsigned('answered') },
        ],
      } as const;
      const named = [{ name: 'token', in: 'parameters', unsigned: unsigned('answered') }] as const;
      add(newExchange({ content }), newExchange({ endpoint: 'introspect', content: { ...content, decoded: named } }));
      const { exchanges: all } = await exchanges().list({}, 10);
      const [one, introspection] = all;
      expect(one?.content.request_headers).to.deep.equal([
        { name: 'host', value: 'a.example:8000' },
        { name: 'cookie', value: 'a=b; c=d' },
        { name: 'x-empty', value: '' },
        { name: 'x-quoted', value: '"a: b" \\ ü' },
      ]);
      expect(one?.content.response_headers).to.deep.equal([
        { name: 'Set-Cookie', value: 'a' },
        { name: 'Set-Cookie', value: 'b' },
      ]);
      const jwt = (jti: string) => ({ header: { alg: 'none' }, claims: { jti } });
      expect(one?.content.decoded).to.deep.equal([
        { name: 'token', in: 'parameters', jwt: jwt('asked') },
        { name: 'access_token', in: 'answer', jwt: jwt('answered') },
      ]);
      expect(introspection?.flow, 'introspection names the token that was answered').to.equal(one?.id);
    });

    it('can be read with the event of their request as soon as that is recorded', async () => {
      add(newExchange({ path: '/with-event' }));
      await under().audit.record(event('token_request'));
      expect(await paths()).to.deep.equal(['/with-event']);
    });

    it('join the flow of a key that they name, the one begun first of several', async () => {
      add(newExchange({ path: '/1', keys: { named: ['transaction:a'], made: ['code:b'] } }));
      add(newExchange({ path: '/2', keys: { named: [], made: ['jti:c'] } }));
      add(newExchange({ path: '/3', keys: { named: ['code:b'], made: ['grant:d'] } }));
      add(newExchange({ path: '/4', keys: { named: ['jti:c', 'grant:d'], made: [] } }));
      const { exchanges: all } = await exchanges().list({}, 10);
      const [first, second] = all;
      expect(all.map(({ flow }) => flow)).to.deep.equal([first?.id, second?.id, first?.id, first?.id]);
      const flows = await exchanges().flows(undefined, 10);
      expect(flows.map((steps) => steps.map(({ id }) => id))).to.deep.equal([
        [second?.id],
        all.filter(({ flow }) => flow === first?.id).map(({ id }) => id),
      ]);
    });

    it('are one flow in whichever order they are recorded, and as many as there are where a fault answers what is another’s', async () => {
      // The code at /token, the page of the login, and last the login between the two.
      add(newExchange({ path: '/token', at: at(3), keys: { named: ['code:c'], made: ['jti:t'] } }));
      add(newExchange({ path: '/userinfo', at: at(4), keys: { named: ['jti:t'], made: [] } }));
      await exchanges().list({}, 10);
      add(newExchange({ path: '/page', at: at(1), keys: { named: [], made: ['transaction:a'] } }));
      add(newExchange({ path: '/login', at: at(2), keys: { named: ['transaction:a'], made: ['code:c'] } }));
      add(newExchange({ path: '/page again', at: at(5), keys: { named: ['transaction:a'], made: [] } }));
      const flows = async () => {
        const { exchanges: all } = await exchanges().list({}, 10);
        const pathOf = new Map(all.map(({ id, path }) => [id, path]));
        return (await exchanges().flows(undefined, 10)).map((steps) => steps.map(({ id }) => pathOf.get(id)));
      };
      const one = ['/token', '/userinfo', '/page', '/login', '/page again'];
      expect(await flows()).to.deep.equal([one]);
      expect(
        (await exchanges().list({ flow: (await exchanges().list({}, 10)).exchanges[0]?.id }, 10)).exchanges,
      ).to.have.length(5);

      add(newExchange({ path: '/injected', at: at(6), fault: 'code_injected', keys: { named: [], made: ['code:c'] } }));
      expect(await flows()).to.deep.equal([['/injected'], one]);
    });

    it('of two workers that each began a flow are the older one, for all that came meanwhile', async () => {
      add(newExchange({ path: '/page', keys: { named: [], made: ['transaction:a'] } }));
      add(newExchange({ path: '/token', keys: { named: ['code:c'], made: ['jti:t'] } }));
      add(newExchange({ path: '/login', keys: { named: ['transaction:a'], made: ['code:c'] } }));
      add(newExchange({ path: '/userinfo', keys: { named: ['jti:t'], made: [] } }));
      const { exchanges: all } = await exchanges().list({}, 10);
      expect(all.map(({ flow }) => flow)).to.deep.equal([1, 2, 3, 4].map(() => all[0]?.id));
    });

    it('that name nothing join the newest flow of their address begun in the last 10 s', async () => {
      add(newExchange({ path: '/token', at: at(0) }));
      add(newExchange({ path: '/jwks', endpoint: 'jwks', at: at(9), repeatKey: 'jwks' }));
      add(
        newExchange({ path: '/elsewhere', endpoint: 'jwks', at: at(9), address: '10.0.0.1', repeatKey: 'of another' }),
      );
      add(newExchange({ path: '/late', endpoint: 'discovery', at: at(10), repeatKey: 'discovery' }));
      const { exchanges: all } = await exchanges().list({}, 10);
      const [token, , elsewhere, late] = all;
      expect(all.map(({ flow }) => flow)).to.deep.equal([token?.id, token?.id, elsewhere?.id, late?.id]);
    });

    it('that are equal and within a second are one, whether written meanwhile or not', async () => {
      const one = (milliseconds: number) => newExchange({ at: instant(at(0) + milliseconds), repeatKey: 'key' });
      add(one(0), one(100));
      await exchanges().written();
      add(one(999), one(1000), one(1500));
      const { exchanges: all } = await exchanges().list({}, 10);
      expect(all.map(({ repeated }) => repeated)).to.deep.equal([3, 2]);
      expect([await exchanges().count({}), await exchanges().count({ upTo: all[0]?.id })]).to.deep.equal([5, 3]);
      expect(await exchanges().count({ endpoint: 'device' })).to.equal(0);
    });

    it('that repeat one on its way are counted without being read', async () => {
      const repeats = (milliseconds: number) => exchanges().repeats('key', instant(at(0) + milliseconds));
      expect(repeats(0)).to.equal(false);
      add(newExchange({ at: at(0), repeatKey: 'key' }));
      expect([repeats(10), repeats(500), repeats(999), repeats(1000)]).to.deep.equal([true, true, true, false]);
      await exchanges().written();
      // What is written is added to by the next one, which then counts for those that follow.
      expect(repeats(20)).to.equal(false);
      add(newExchange({ at: instant(at(0) + 20), repeatKey: 'key' }));
      expect([repeats(30), exchanges().repeats('another', at(0))]).to.deep.equal([true, false]);
      const { exchanges: all } = await exchanges().list({}, 10);
      expect(all.map(({ repeated }) => repeated)).to.deep.equal([6]);
    });

    it('that could not be made are counted as lost, and cost the others nothing', async () => {
      for (let times = 0; times < 3; times += 1) exchanges().lose();
      expect(await exchanges().isWhole()).to.equal(false);
      add(newExchange({ path: '/after' }));
      await under().audit.record(event('token_request'));
      expect(await paths()).to.deep.equal(['/after']);
      expect(await exchanges().state()).to.deep.include({ kept: 1, lost: 3 });
      expect(await exchanges().isWhole()).to.equal(false);
    });

    verifies('REC-11', 'go at the bound, the oldest first, and are counted', async function () {
      this.timeout(60_000);
      const { entries } = recorderBounds.home;
      // So many that some are beyond the bound before anybody reads.
      const surplus = 1503;
      for (let number = 1; number <= entries + surplus; number += 1) {
        add(newExchange({ path: `/${number}`, keys: { named: [`transaction:${number}`], made: [] } }));
        if (number % 250 === 0) await exchanges().written();
      }
      expect(await exchanges().state()).to.deep.equal({ kept: entries, bound: 10_000, dropped: surplus, lost: 0 });
      expect(await exchanges().isWhole()).to.equal(false);
      const { exchanges: last } = await exchanges().list({}, 2);
      expect(last.map(({ path }) => path)).to.deep.equal([`/${entries + surplus - 1}`, `/${entries + surplus}`]);
      add(newExchange({ path: '/again', keys: { named: ['transaction:1'], made: [] } }));
      const { exchanges: newest } = await exchanges().list({}, 1);
      expect(newest[0]?.flow, 'the key went with its exchange').to.equal(newest[0]?.id);
    });

    verifies('REC-14', 'are removed, and no number comes again', async () => {
      add(newExchange(), newExchange());
      const { cursor } = await exchanges().list({}, 10);
      expect(await exchanges().clear()).to.equal(2);
      expect(await exchanges().state()).to.deep.include({ kept: 0, dropped: 0 });
      add(newExchange());
      const after = await exchanges().list({ after: cursor }, 10);
      expect(after.exchanges.map(({ id }) => id > cursor)).to.deep.equal([true]);
    });

    it('are whole until some are removed, from then on never again', async () => {
      expect(await exchanges().clear(), 'of nothing, nothing is missing').to.equal(0);
      add(newExchange({ keys: { named: ['transaction:1'], made: [] } }));
      expect(await exchanges().isWhole()).to.equal(true);
      expect(await exchanges().clear()).to.equal(1);
      expect(await exchanges().isWhole()).to.equal(false);
      expect(await exchanges().clear()).to.equal(0);
      add(newExchange({ keys: { named: ['transaction:1'], made: [] } }));
      expect(await exchanges().isWhole()).to.equal(false);
    });

    it('are never whole where others went with a reset before', async () => {
      expect(await exchanges().isWhole()).to.equal(true);
      for (let times = 0; times < 2; times += 1) await exchanges().noteReset();
      add(newExchange());
      expect(await exchanges().isWhole()).to.equal(false);
      expect(await exchanges().clear()).to.equal(1);
      expect(await exchanges().isWhole()).to.equal(false);
      const { sandboxes, namespaces } = under();
      const [box, next] = [aSandbox('one'), 'two'];
      await sandboxes.create(box, undefined, at(1), event('sandbox_created'), () => event('sandbox_deleted'));
      const of = (instanceId: string) => namespaces.of({ name: box.name, instanceId }).store.exchanges;
      expect(await of(box.instanceId).isWhole()).to.equal(true);
      await sandboxes.reset(box.name, next, at(1), () => event('sandbox_reset'));
      expect(await of(next).isWhole()).to.equal(false);
      expect(await of(next).list({}, 10)).to.deep.equal({ exchanges: [], cursor: 0 });
    });

    it('keep secrets for who asks for them, where they were kept', async () => {
      add(newExchange({ secrets: { 'fp:1': 'whole' } }), newExchange());
      const { exchanges: all } = await exchanges().list({}, 10);
      const of = (index: number) => exchanges().secrets(all[index]?.id ?? 0);
      expect([await of(0), await of(1)]).to.deep.equal([{ 'fp:1': 'whole' }, undefined]);
    });

    it('are indexed as they are listed, and read by their ids without those that are gone', async () => {
      for (let count = 0; count < 5; count += 1) add(newExchange({ path: `/${count}`, at: at(count) }));
      const filter = { endpoint: 'token' } as const;
      const { exchanges: listed, cursor } = await exchanges().list(filter, 3);
      const index = await exchanges().index(filter, 3);
      expect(index).to.deep.equal({ entries: listed.map(({ id, at: moment }) => ({ id, at: moment })), cursor });
      const ids = index.entries.map(({ id }) => id);
      expect(await exchanges().ofIndex(ids)).to.deep.equal(listed);
      expect(await exchanges().ofIndex([...ids.toReversed(), cursor + 100])).to.deep.equal(listed.toReversed());
      await exchanges().clear();
      expect(await exchanges().ofIndex(ids)).to.deep.equal([]);
    });

    it('are told apart by those that came after a cursor, with what counts them', async () => {
      add(newExchange());
      const before = await exchanges().newest();
      expect(before).to.equal((await exchanges().list({}, 1)).cursor);
      expect(await exchanges().arrivals(before)).to.deep.equal([]);
      add(newExchange({ username: 'alice', status: 400 }));
      const known = { endpoint: 'token', clientId: 'web', grantType: 'client_credentials', repeated: 1 };
      const id = (await exchanges().list({}, 1)).cursor;
      expect(await exchanges().arrivals(before)).to.deep.equal([{ ...known, id, username: 'alice', status: 400 }]);
    });

    it('are waited for by so many at a time, in each namespace', async () => {
      const [first, second, third] = [
        await exchanges().takeWait(at(10), 2),
        await exchanges().takeWait(at(10), 2),
        await exchanges().takeWait(at(10), 2),
      ];
      expect([typeof first, typeof second, third]).to.deep.equal(['string', 'string', undefined]);
      const { sandboxes, namespaces } = under();
      const box = aSandbox('waiting');
      await sandboxes.create(box, undefined, at(1), event('sandbox_created'), () => event('sandbox_deleted'));
      const ofBox = namespaces.of({ name: box.name, instanceId: box.instanceId }).store.exchanges;
      expect(await ofBox.takeWait(at(10), 1)).to.be.a('string');
      expect(await ofBox.takeWait(at(10), 1)).to.equal(undefined);
      await exchanges().giveWait(first ?? '');
      expect(await exchanges().takeWait(at(10), 2)).to.be.a('string');
    });

    it('are switched by hand, and as the settings say again', async () => {
      const { recorderSwitch } = under().store;
      expect(recorderSwitch.state()).to.equal(undefined);
      await recorderSwitch.set(false);
      expect(recorderSwitch.state()).to.equal(false);
      await recorderSwitch.set(undefined);
      expect(recorderSwitch.state()).to.equal(undefined);
    });
  });
}
