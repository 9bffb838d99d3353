// The outbound fetch from a real HTTPS host. A rejected document causes an error with a reason, within the time limit.
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { DocumentRefusedError } from '#services/oidc/client-documents/document-refused.ts';
import { type FetchOptions, fetchMetadataDocument } from '#services/oidc/client-documents/fetch-metadata-document.ts';
import { parseClientIdUrl } from '#shared/protocol/oauth2/client-id-url.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { type MetadataHost, serveJson, startMetadataHost } from '#test/support/metadata-host.ts';
import { createTestAuthority, type TestAuthority } from '#test/support/test-authority.ts';
import { verifies } from '#test/support/verifies.ts';

describe('fetching a metadata document', () => {
  let authority: TestAuthority;
  let host: MetadataHost;

  before(async () => {
    authority = await createTestAuthority();
    host = await startMetadataHost(authority);
  });
  after(() => host.close());
  beforeEach(() => {
    host.requests.length = 0;
    host.connections = 0;
    host.answer = serveJson({ fine: true });
  });

  function fetchFrom(path = '/doc', options: Partial<FetchOptions> = {}, name = 'client.example') {
    const url = parseClientIdUrl(`https://${name}:${host.port}${path}`);
    if (typeof url === 'string') throw new Error(url);
    return fetchMetadataDocument(url, {
      allowLoopback: true,
      resolve: async () => ['127.0.0.1'],
      certificateAuthorities: authority.certificatePem,
      ...options,
    });
  }

  async function reasonOf(work: Promise<unknown>): Promise<string> {
    try {
      await work;
    } catch (error) {
      if (error instanceof DocumentRefusedError) return error.message;
      throw error;
    }
    throw new Error('the document was fetched');
  }

  it("is counted only after the address was checked, and passes on the store's error", async () => {
    let asked = 0;
    const takeFetch = async () => {
      asked += 1;
      return false;
    };
    await reasonOf(fetchFrom('/doc', { takeFetch, resolve: async () => ['10.0.0.1'] }));
    expect(asked).to.equal(0);
    expect(await reasonOf(fetchFrom('/doc', { takeFetch }))).to.contain('30 fetches a minute');
    expect(asked).to.equal(1);
    const unavailable = new RuntimeStoreUnavailableError();
    const error = await fetchFrom('/doc', { takeFetch: () => Promise.reject(unavailable) }).catch((thrown) => thrown);
    expect(error).to.equal(unavailable);
    expect(host.connections).to.equal(0);
  });

  it('returns the body and requests the supported media type, in one request', async () => {
    const document = await fetchFrom('/a/b?x=%20y');
    expect(document.body.toString()).to.equal('{"fine":true}');
    expect(document.lifetimeSeconds).to.equal(3600);
    expect(host.requests).to.deep.equal([
      {
        url: '/a/b?x=%20y',
        headers: { host: `client.example:${host.port}`, accept: 'application/json', connection: 'close' },
      },
    ]);
    expect(host.connections).to.equal(1);
  });

  verifies('CMD-08', 'accepts only application/json and +json, with parameters and in any case', async () => {
    for (const type of ['application/json', 'Application/JSON; charset=utf-8', 'application/oauth-client+json']) {
      host.answer = serveJson({}, { 'Content-Type': type });
      expect((await fetchFrom()).body.toString()).to.equal('{}');
    }
    for (const type of ['text/html', 'text/json', 'application/jsonp', 'application/json-seq', '+json/x', '']) {
      host.answer = serveJson({}, { 'Content-Type': type });
      expect(await reasonOf(fetchFrom())).to.contain('media type');
    }
    host.answer = (_request, response) => response.writeHead(200).end('{}');
    expect(await reasonOf(fetchFrom())).to.contain('media type');
  });

  verifies('CMD-07', 'follows no redirect and accepts only status 200', async () => {
    for (const status of [201, 204, 301, 302, 307, 308, 304, 404, 500, 503]) {
      host.answer = (_request, response) =>
        response
          .writeHead(status, { Location: '/other', 'Content-Type': 'application/json', 'Retry-After': '0' })
          .end();
      host.requests.length = 0;
      expect(await reasonOf(fetchFrom())).to.equal(`its host returned status ${status} instead of 200`);
      expect(host.requests.map(({ url }) => url)).to.deep.equal(['/doc']);
    }
  });

  verifies(
    'CMD-09',
    'accepts 5 KiB and rejects one byte more, with or without Content-Length, without reading on',
    async () => {
      const full = JSON.stringify({ pad: 'x'.repeat(5120 - 10) });
      expect(full.length).to.equal(5120);
      host.answer = serveJson(full);
      expect((await fetchFrom()).body.length).to.equal(5120);
      host.answer = serveJson(`${full} `);
      expect(await reasonOf(fetchFrom())).to.equal('it is larger than 5 KiB');
      let written = 0;
      host.answer = (_request, response) => {
        response.writeHead(200, { 'Content-Type': 'application/json' });
        const push = () => {
          while (!response.destroyed && written < 50_000_000) {
            written += 65_536;
            if (!response.write('x'.repeat(65_536))) return void response.once('drain', push);
          }
        };
        push();
      };
      expect(await reasonOf(fetchFrom())).to.equal('it is larger than 5 KiB');
      expect(written).to.be.lessThan(20_000_000);
    },
  );

  it('rejects a compressed body, even a gzip bomb, without decompressing it', async () => {
    const bomb = gzipSync(Buffer.alloc(4_000_000));
    for (const encoding of ['gzip', 'br', 'deflate', 'x-unknown', 'gzip, identity']) {
      host.answer = (_request, response) =>
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': encoding }).end(bomb);
      expect(await reasonOf(fetchFrom())).to.equal('its body is compressed');
    }
  });

  verifies('CMD-13', 'rejects a response that must not be stored', async () => {
    for (const header of ['no-store', 'no-cache', 'max-age=60, No-Store']) {
      host.answer = serveJson({}, { 'Cache-Control': header });
      expect(await reasonOf(fetchFrom())).to.contain('forbids caching');
    }
    host.answer = serveJson({}, { 'Cache-Control': 'max-age=120' });
    expect((await fetchFrom()).lifetimeSeconds).to.equal(120);
  });

  verifies('CMD-07', 'gives up when the whole fetch takes too long, at any of its steps', async () => {
    const budget = { budgetMilliseconds: 250 };
    const slow = 'the fetch took longer than 5 seconds';
    host.answer = () => {};
    expect(await reasonOf(fetchFrom('/silent', budget))).to.equal(slow);
    const timers: NodeJS.Timeout[] = [];
    host.answer = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      timers.push(setInterval(() => response.write(' '), 20));
    };
    expect(await reasonOf(fetchFrom('/drip', budget))).to.equal(slow);
    for (const timer of timers) clearInterval(timer);
    const never = () => new Promise<never>(() => {});
    expect(await reasonOf(fetchFrom('/dns', { ...budget, resolve: never }))).to.equal(slow);
  });

  it('rejects a body that ends early', async () => {
    host.answer = (_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '100' });
      response.write('{');
      setImmediate(() => response.destroy());
    };
    expect(await reasonOf(fetchFrom())).to.equal('it could not be fetched');
  });

  verifies('CMD-07', 'verifies the certificate: its authority, its name and its time', async () => {
    const stranger = await createTestAuthority('somebody else');
    expect(await reasonOf(fetchFrom('/', { certificateAuthorities: stranger.certificatePem }))).to.equal(
      'it could not be fetched',
    );
    expect(await reasonOf(fetchFrom('/', {}, 'other.example'))).to.equal('it could not be fetched');
    const expired = await startMetadataHost(authority, ['client.example'], { expired: true });
    try {
      const url = parseClientIdUrl(`https://client.example:${expired.port}/`);
      if (typeof url === 'string') throw new Error(url);
      const options = {
        allowLoopback: true,
        resolve: async () => ['127.0.0.1'],
        certificateAuthorities: authority.certificatePem,
      };
      expect(await reasonOf(fetchMetadataDocument(url, options))).to.equal('it could not be fetched');
    } finally {
      await expired.close();
    }
    expect(host.requests).to.deep.equal([]);
  });

  verifies('CMD-05', 'opens no connection if one of several addresses is not allowed', async () => {
    const lists = [
      ['127.0.0.1'],
      ['93.184.216.34', '127.0.0.1'],
      ['93.184.216.34', '10.0.0.1'],
      ['2606:4700::1111', '::ffff:127.0.0.1'],
      ['64:ff9b::7f00:1'],
      ['169.254.169.254'],
    ];
    for (const addresses of lists) {
      const options = { allowLoopback: false, resolve: async () => addresses };
      expect(await reasonOf(fetchFrom('/', options))).to.contain('not globally routable');
    }
    const mapped = { allowLoopback: true, resolve: async () => ['::ffff:127.0.0.1'] };
    expect(await reasonOf(fetchFrom('/', mapped))).to.contain('not globally routable');
    expect(await reasonOf(fetchFrom('/', { resolve: async () => [] }))).to.equal('its host name has no address');
    expect(host.connections).to.equal(0);
  });

  verifies('CMD-05', 'resolves the name once and connects to the address that was checked', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']];
    let asked = 0;
    const resolve = async () => answers[asked++] ?? ['10.0.0.1'];
    await fetchFrom('/', { resolve });
    expect(asked).to.equal(1);
    expect(host.connections).to.equal(1);
  });

  it('makes one attempt, so a refused connection is not retried with another address', async () => {
    const options = { resolve: async () => ['127.0.0.2', '127.0.0.1'] };
    expect(await reasonOf(fetchFrom('/', options))).to.equal('it could not be fetched');
    expect(host.connections).to.equal(0);
  });

  it('accepts an IP address as host, which the certificate must name', async () => {
    expect((await fetchFrom('/', {}, '127.0.0.1')).body.toString()).to.equal('{"fine":true}');
    expect(await reasonOf(fetchFrom('/', { allowLoopback: false }, '127.0.0.1'))).to.contain('not globally routable');
  });
});
