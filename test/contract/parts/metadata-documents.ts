// Cached metadata documents: bounded, never evicted while a live transaction or code needs them.
import { expect } from 'chai';
import { clientEntryModel } from '#shared/model/configuration/client-entry.ts';
import type { MetadataDocument } from '#shared/model/domain/metadata-document.ts';
import { at, code, type StoreUnderTest, transaction } from '../store-under-test.ts';

function document(number: number, fetchedAt = 0): MetadataDocument {
  const client_id = `https://client.example/${number}`;
  const entry = clientEntryModel.parse({ client_id, token_endpoint_auth_method: 'none' });
  return { client_id, entry, fetchedAt: at(fetchedAt), freshUntil: at(fetchedAt + 3600) };
}

export function describeMetadataDocuments(under: () => StoreUnderTest): void {
  const first = document(0).client_id;

  describe('metadata documents', () => {
    it('are served while they are fresh', async () => {
      const { metadataDocuments } = under().store;
      expect(await metadataDocuments.save(document(0), at(0))).to.equal('kept');
      expect(await metadataDocuments.findFresh(first, at(3599))).to.deep.equal(document(0));
      expect(await metadataDocuments.list(at(3599))).to.deep.equal([document(0)]);
      expect(await metadataDocuments.find(first, at(3600))).to.equal(undefined);
      expect(await metadataDocuments.list(at(3600))).to.deep.equal([]);
    });

    it('stay known, though not fresh, while a live code holds them', async () => {
      const { metadataDocuments, codes } = under().store;
      await metadataDocuments.save(document(0), at(0));
      await codes.issue(code('c1', { clientId: first, issuedAt: at(3500) }), at(3500), { holdDocument: true });
      expect(await metadataDocuments.find(first, at(4000))).to.deep.equal(document(0));
      expect(await metadataDocuments.findFresh(first, at(4000))).to.equal(undefined);
      expect(await metadataDocuments.find(first, at(4100))).to.equal(undefined);
    });

    it('are needed for a code that must hold one', async () => {
      const { codes, transactions } = under().store;
      const held = { holdDocument: true };
      expect(await codes.issue(code('c1', { clientId: first }), at(0), held)).to.equal('client_not_held');
      await transactions.begin(transaction('t1', { clientId: first }), at(0));
      const completion = transactions.complete('t1', 'browser-1', code('c1', { clientId: first }), at(0), held);
      expect(await completion).to.equal('client_not_held');
    });

    it('are 100 at most: the oldest fetched that nobody holds goes first, and none is left to go when all are held', async () => {
      const { metadataDocuments, transactions } = under().store;
      for (let number = 0; number < 100; number += 1) await metadataDocuments.save(document(number, number), at(100));
      await transactions.begin(transaction('t0', { clientId: first, createdAt: at(100) }), at(100));
      expect(await metadataDocuments.save(document(100, 100), at(100))).to.equal('kept');
      expect(await metadataDocuments.find(document(1).client_id, at(100))).to.equal(undefined);
      expect(await metadataDocuments.find(first, at(100))).to.not.equal(undefined);
      for (let number = 2; number <= 100; number += 1) {
        const clientId = document(number).client_id;
        await transactions.begin(transaction(`t${number}`, { clientId, createdAt: at(100) }), at(100));
      }
      expect(await metadataDocuments.save(document(101, 101), at(101))).to.equal('full');
      expect(await metadataDocuments.save(document(100, 101), at(101))).to.equal('kept');
      // What waits for a clock that went back holds none.
      expect(await metadataDocuments.save(document(101, 50), at(50))).to.equal('kept');
    });

    it('are forgotten with their codes, while transactions stay for the answer of AUT-46', async () => {
      const { metadataDocuments, transactions, codes } = under().store;
      await metadataDocuments.save(document(0), at(0));
      await codes.issue(code('c1', { clientId: first }), at(0), { holdDocument: true });
      await codes.issue(code('c2'), at(0));
      await transactions.begin(transaction('t1', { clientId: first }), at(0));
      expect(await metadataDocuments.remove(first, at(1))).to.equal(true);
      expect(await metadataDocuments.remove(first, at(1))).to.equal(false);
      expect(await codes.find('c1', at(1))).to.equal(undefined);
      expect(await codes.find('c2', at(1))).to.not.equal(undefined);
      expect(await transactions.find('t1', 'browser-1', at(1))).to.not.equal(undefined);
    });

    it('may be fetched 30 times in any minute', async () => {
      const { metadataDocuments } = under().store;
      const taken = await Promise.all(Array.from({ length: 31 }, (_, n) => metadataDocuments.admitFetch(at(n / 10))));
      expect(taken.filter(Boolean)).to.have.length(30);
      expect(await metadataDocuments.admitFetch(at(59.9))).to.equal(false);
      expect(await metadataDocuments.admitFetch(at(60))).to.equal(true);
    });
  });
}
