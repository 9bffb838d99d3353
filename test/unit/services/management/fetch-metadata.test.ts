// Metadata of service providers from an address: which hosts are called, and what is handed on of what they answer.
import { expect } from 'chai';
import { fetchMetadata } from '#services/management/service-providers/fetch-metadata.ts';
import { systemStopwatch } from '#shared/base/clock.ts';
import { snapshotOf } from '#test/support/configuration-snapshot.ts';
import { startXmlHost, type XmlHost } from '#test/support/saml/xml-host.ts';
import { verifies } from '#test/support/verifies.ts';

const metadata = '<EntityDescriptor entityID="urn:sp"/>';

describe('metadata from an address', () => {
  let host: XmlHost;
  let answered: string;
  before(async () => {
    host = await startXmlHost((_request, response) => response.end(answered));
  });
  beforeEach(() => {
    answered = metadata;
    host.requests.length = 0;
  });
  after(() => host.close());

  const fetchedBoundTo = (boundHost: string, address: string, ...addresses: string[]) => {
    const settings = { oauth: { client_fetch: { allowed_hosts: [`sp.example:${host.port}`] } } };
    return fetchMetadata(
      address,
      { snapshot: snapshotOf({ settings }), stopwatch: systemStopwatch, boundHost },
      async () => addresses,
    );
  };

  const fetched = (address: string, ...addresses: string[]) => fetchedBoundTo('127.0.0.1', address, ...addresses);

  verifies('SPM-26', 'are not read from loopback by a server that others reach', async () => {
    for (const boundHost of ['0.0.0.0', '::', '192.168.0.7']) {
      for (const address of [`${host.address}/metadata`, `http://localhost:${host.port}/`]) {
        expect(await fetchedBoundTo(boundHost, address, '127.0.0.1'), boundHost).to.deep.equal({
          reason: 'it must be an http or https URL at a host of oauth.client_fetch.allowed_hosts',
        });
      }
      expect(await fetchedBoundTo(boundHost, `http://sp.example:${host.port}/`, '127.0.0.1')).to.deep.equal({
        reason: 'its host has the address 127.0.0.1, which is not globally routable',
      });
    }
    expect(host.requests).to.have.length(0);
  });

  verifies('SPM-26', 'are read from a host that is allowed, where its name led when it was judged', async () => {
    const address = `http://sp.example:${host.port}/metadata`;
    expect(await fetched(address, '127.0.0.1')).to.deep.equal({ text: metadata });
    expect(host.requests.map(({ url }) => url)).to.deep.equal(['/metadata']);
    for (const inside of ['10.0.0.1', '169.254.169.254', '0.0.0.0', '::ffff:127.0.0.1']) {
      expect(await fetched(address, '127.0.0.1', inside), inside).to.deep.equal({
        reason: `its host has the address ${inside}, which is not globally routable`,
      });
    }
    expect(await fetched(address)).to.deep.equal({ reason: 'its host name has no address' });
    for (const other of [
      `http://other.example:${host.port}/`,
      'http://sp.example/',
      'ftp://127.0.0.1/',
      'metadata.xml',
    ]) {
      expect(await fetched(other, '127.0.0.1'), other).to.deep.equal({
        reason: 'it must be an http or https URL on loopback or at a host of oauth.client_fetch.allowed_hosts',
      });
    }
    expect(host.requests).to.have.length(1);
  });

  verifies('SPM-26', 'are handed on, and nothing else that the host says', async () => {
    answered = '<html><body>the secret page of this machine</body></html>';
    const found = await fetched(`${host.address}/`);
    expect(found).to.deep.equal({ reason: 'the response is not SAML metadata' });
  });
});
