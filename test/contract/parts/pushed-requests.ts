// Pushed authorization requests: kept for a minute, for the browser that brings them first, answered once (RFC 9126).
import { expect } from 'chai';
import type { PushedRequest, PushedRequestBearer } from '#shared/model/domain/pushed-request.ts';
import { at, type StoreUnderTest } from '../store-under-test.ts';

export function pushedRequest(name: string, changes: Partial<PushedRequest> = {}): PushedRequest {
  return {
    request_uri: `urn:ietf:params:oauth:request_uri:${name}`,
    client_id: 'web',
    clientInstance: undefined,
    parameters: [
      ['client_id', 'web'],
      ['state', 'a&b="c"'],
      ['resource', 'https://one.example/'],
      ['resource', 'https://two.example/'],
    ],
    expiresAt: at(60),
    browser: undefined,
    usedBy: undefined,
    ...changes,
  };
}

const bearer: PushedRequestBearer = { client_id: 'web', clientInstance: undefined, browser: 'browser-1' };

export function describePushedRequests(under: () => StoreUnderTest): void {
  describe('pushed requests', () => {
    const one = pushedRequest('one');
    const uri = one.request_uri;
    const pushed = async (request = one) => {
      const { pushedRequests } = under().store;
      expect(await pushedRequests.push(request, at(0))).to.equal('pushed');
      return pushedRequests;
    };

    it('are found as they were pushed, until their time is over', async () => {
      const requests = await pushed();
      expect(await requests.find(uri, at(59))).to.deep.equal(one);
      expect(await requests.find(uri, at(60))).to.equal(undefined);
      expect(await requests.find(`${uri}x`, at(0))).to.equal(undefined);
      expect(await requests.redeem(uri, bearer, at(60))).to.equal('unknown');
      expect(await requests.use(uri, 't1', at(60))).to.equal(false);
    });

    it('are had by the browser that brings them first, for as long as a login may take', async () => {
      const requests = await pushed();
      expect(await requests.redeem(uri, { ...bearer, client_id: 'spa' }, at(1))).to.equal('of_another_client');
      const taken = await requests.redeem(uri, bearer, at(59));
      expect(taken).to.deep.equal({ ...one, browser: 'browser-1', expiresAt: at(659) });
      expect(await requests.redeem(uri, { ...bearer, browser: 'browser-2' }, at(59))).to.equal('of_another_browser');
      expect(await requests.redeem(uri, bearer, at(658))).to.deep.equal(taken);
      expect(await requests.redeem(uri, bearer, at(659))).to.equal('unknown');
    });

    it('are had by one browser, however many bring them at the same moment', async () => {
      const requests = await pushed();
      const all = ['browser-1', 'browser-2', 'browser-3'].map((browser) =>
        requests.redeem(uri, { ...bearer, browser }, at(1)),
      );
      const taken = (await Promise.all(all)).flatMap((each) => (typeof each === 'string' ? [] : each.browser));
      expect(taken).to.have.length(1);
      expect((await requests.find(uri, at(1)))?.browser).to.equal(taken[0]);
    });

    it('of a runtime client are not its namesake’s', async () => {
      const requests = await pushed({ ...one, clientInstance: 'i1' });
      expect(await requests.redeem(uri, { ...bearer, clientInstance: 'i2' }, at(1))).to.equal('of_another_client');
      expect(await requests.redeem(uri, { ...bearer, clientInstance: 'i1' }, at(1))).to.be.an('object');
    });

    it('are answered once, by who asked first, and say nothing afterwards', async () => {
      const requests = await pushed();
      await requests.redeem(uri, bearer, at(1));
      const outcomes = await Promise.all(['t1', 't2', 't3'].map((each) => requests.use(uri, each, at(1))));
      expect(outcomes.filter(Boolean)).to.have.length(1);
      const winner = `t${outcomes.indexOf(true) + 1}`;
      expect(await requests.use(uri, winner, at(2))).to.equal(true);
      expect(await requests.redeem(uri, bearer, at(2))).to.equal('used');
      const used = await requests.find(uri, at(2));
      expect([used?.usedBy, used?.parameters]).to.deep.equal([winner, []]);
    });

    it('are 1000 at most that wait; one that is used or over gives its place up', async () => {
      const { pushedRequests } = under().store;
      const requests = Array.from({ length: 1000 }, (_, index) => pushedRequest(`r${index}`));
      for (const request of requests) await pushedRequests.push(request, at(0));
      expect(await pushedRequests.push(pushedRequest('more'), at(1))).to.equal('full');
      expect(await pushedRequests.use(pushedRequest('r7').request_uri, 't', at(1))).to.equal(true);
      expect(await pushedRequests.push(pushedRequest('more'), at(1))).to.equal('pushed');
      expect(await pushedRequests.push(pushedRequest('still'), at(1))).to.equal('full');
      expect(await pushedRequests.push(pushedRequest('later', { expiresAt: at(120) }), at(60))).to.equal('pushed');
    });
  });
}
