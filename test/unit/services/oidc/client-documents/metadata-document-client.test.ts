// Turns an https client_id into a client, with a real host, a real store and the test's own resolver.
import { expect } from 'chai';
import {
  type DocumentSource,
  resolveMetadataDocumentClient,
} from '#services/oidc/client-documents/metadata-document-client.ts';
import { RefusedError } from '#shared/model/refusals/refusal.ts';
import { type EndpointContext, openEndpointContext } from '#test/support/endpoint-context.ts';
import { type MetadataHost, serveJson, startMetadataHost } from '#test/support/metadata-host.ts';
import { createTestAuthority, type TestAuthority } from '#test/support/test-authority.ts';
import { verifies } from '#test/support/verifies.ts';

const callback = 'https://app.example/cb';

describe('a client with a metadata document', () => {
  let authority: TestAuthority;
  let host: MetadataHost;
  let opened: EndpointContext;
  let clientId: string;
  let source: DocumentSource;

  before(async () => {
    authority = await createTestAuthority();
    host = await startMetadataHost(authority);
    source = { resolve: async () => ['127.0.0.1'], certificateAuthorities: authority.certificatePem };
  });
  after(() => host.close());
  beforeEach(async () => {
    host.requests.length = 0;
    host.connections = 0;
    clientId = `https://client.example:${host.port}/doc`;
    host.answer = (request, response) =>
      serveJson({ client_id: `https://client.example:${host.port}${request.url}`, redirect_uris: [callback] })(
        request,
        response,
      );
    opened = await openEndpointContext({ settings: settings({}) });
  });
  afterEach(() => opened.close());

  const settings = (changes: object) => ({
    oauth: {
      client_id_metadata_documents: {
        enabled: true,
        allow_loopback: true,
        allowed_hosts: [`client.example:${host.port}`, `127.0.0.1:${host.port}`],
        ...changes,
      },
    },
  });
  const found = (id = clientId, context = opened.context, from = source) =>
    resolveMetadataDocumentClient(id, context, from);
  const resolve = async (id = clientId, context = opened.context, from = source) => {
    const client = await found(id, context, from);
    return client instanceof RefusedError ? undefined : client;
  };
  const reopen = async (changes: object, given = {}) => {
    await opened.close();
    opened = await openEndpointContext({ settings: settings(changes) }, given);
  };
  const reasons = () => JSON.stringify(opened.warnings);

  it('declares whether its tokens must be bound to a key (RFC 9449 §5.2)', async () => {
    const bound = async (member: object) => {
      await reopen({});
      host.answer = serveJson({ client_id: clientId, redirect_uris: [callback], ...member });
      return (await resolve())?.dpop_bound_access_tokens;
    };
    expect(await bound({})).to.equal(false);
    expect(await bound({ dpop_bound_access_tokens: true })).to.equal(true);
    expect(await bound({ dpop_bound_access_tokens: 'true' })).to.equal(false);
  });

  async function expectRefused(document: unknown, reason: string) {
    host.answer = serveJson(document);
    opened.clock.advance(10_000);
    expect(await resolve(), JSON.stringify(document)).to.equal(undefined);
    expect(reasons()).to.contain(reason);
    opened.warnings.length = 0;
  }

  verifies(
    ['CMD-11', 'CMD-12', 'CMD-17'],
    'is public and has the metadata of the document, parsed as in a registration',
    async () => {
      host.answer = serveJson({
        client_id: clientId,
        client_name: 'An app',
        redirect_uris: [callback, 'com.example.app:/cb'],
        scope: 'email admin openid',
        grant_types: ['implicit'],
        client_secret: 'ignored',
        allowed_resources: ['ignored'],
        token_endpoint_auth_method: 'none',
        jwks_uri: 'https://ignored/',
      });
      const client = await resolve();
      expect(client).to.deep.include({
        client_id: clientId,
        token_endpoint_auth_method: 'none',
        description: 'An app',
        redirect_uris: [callback, 'com.example.app:/cb'],
        scopes: ['email', 'openid'],
        allowed_resources: [],
      });
      expect(client?.client_secret).to.equal(undefined);
    },
  );

  verifies(
    'CMD-11',
    'needs a document that contains its address, is public and lists usable redirect URIs',
    async () => {
      const good = { client_id: clientId, redirect_uris: [callback] };
      for (const document of [[], [good], 'null', '1', '', '{', '\ufeff{']) {
        host.answer = serveJson(document);
        expect(await resolve(), String(document)).to.equal(undefined);
      }
      for (const wrong of [
        undefined,
        '',
        clientId.toUpperCase(),
        `${clientId}/`,
        `${clientId}#`,
        clientId.replace(':', '%3A'),
        1,
        [clientId],
      ]) {
        await expectRefused({ ...good, client_id: wrong }, 'client_id');
      }
      for (const method of ['client_secret_basic', 'client_secret_post', 'private_key_jwt', '', 1, ['none']]) {
        await expectRefused({ ...good, token_endpoint_auth_method: method }, 'token_endpoint_auth_method');
      }
      for (const uris of [
        undefined,
        [],
        callback,
        [''],
        ['/cb'],
        ['https://a/#'],
        ['javascript:alert(1)'],
        [callback, 1],
        null,
      ]) {
        await expectRefused({ ...good, redirect_uris: uris }, 'redirect_uris');
      }
      host.answer = serveJson(good);
      expect((await resolve())?.client_id).to.equal(clientId);
    },
  );

  verifies(['CMD-11', 'RDU-02'], 'may have a redirect URI with a scheme without a period only under dev', async () => {
    const uris = ['cursor://host/path', callback];
    host.answer = serveJson({ client_id: clientId, redirect_uris: uris });
    expect((await resolve())?.redirect_uris).to.deep.equal(uris);
    await opened.close();
    opened = await openEndpointContext({ settings: { ...settings({}), security_profile: 'stricter-dev' } });
    await expectRefused({ client_id: clientId, redirect_uris: uris }, 'redirect_uris');
  });

  verifies('CMD-12', 'is rejected if its scope names nothing supported or its name is not a string', async () => {
    const good = { client_id: clientId, redirect_uris: [callback] };
    for (const scope of ['admin', 1, ['openid']]) await expectRefused({ ...good, scope }, 'scope');
    for (const name of [1, {}]) await expectRefused({ ...good, client_name: name }, 'client_name');
    // null counts as absent, as RFC 7592 §2.2 defines for the same members.
    host.answer = serveJson({ ...good, scope: null, client_name: null, token_endpoint_auth_method: null });
    expect((await resolve())?.client_id).to.equal(clientId);
    host.answer = serveJson({ ...good, scope: ' ' });
    expect((await resolve())?.scopes).to.deep.equal(['openid', 'profile', 'email', 'offline_access']);
  });

  verifies('CMD-02', 'is rejected with a reason that appears only in the log', async () => {
    host.answer = (_request, response) => response.writeHead(302, { Location: '/elsewhere' }).end();
    expect(await resolve()).to.equal(undefined);
    expect(reasons()).to.contain('its host returned status 302 instead of 200');
    expect(reasons()).to.contain(clientId);
    expect(opened.events).to.deep.equal([]);
    await reopen({ enabled: false });
    expect(await resolve()).to.equal(undefined);
    expect(reasons()).to.contain('not enabled');
    expect(host.requests).to.have.length(1);
  });

  verifies(['CMD-03', 'CMD-04'], 'with another host, port or form is rejected without a connection', async () => {
    const { port } = host;
    await reopen({ allow_loopback: false });
    for (const id of [
      `https://127.0.0.1:${port + 1}/doc`,
      `https://other.example:${port}/doc`,
      'https://client.example/doc',
      `https://client.example:${port + 1}/doc`,
      `https://sub.client.example:${port}/doc`,
      `https://client.example:${port}`,
      `https://client.example:${port}/a/../doc`,
      `https://client.example:${port}/%2e%2e/doc`,
      `https://client.example:${port}/doc#x`,
      `https://u@client.example:${port}/doc`,
      `https://client.example:${port}/d oc`,
      `https://client.example:${port}/dö`,
    ]) {
      expect(await resolve(id), id).to.equal(undefined);
    }
    await reopen({ allowed_hosts: [] });
    expect(await resolve()).to.equal(undefined);
    expect(host.connections).to.equal(0);
    await reopen({ allowed_hosts: [`CLIENT.example:${port}`] });
    expect(await resolve()).not.to.equal(undefined);
    host.answer = serveJson({ client_id: `https://Client.Example.:${port}/doc`, redirect_uris: [callback] });
    expect(await resolve(`https://Client.Example.:${port}/doc`)).not.to.equal(undefined);
  });

  verifies('CMD-05', 'whose host has an address that is not globally routable is rejected', async () => {
    await reopen({ allow_loopback: false });
    for (const addresses of [
      ['127.0.0.1'],
      ['93.184.216.34', '127.0.0.1'],
      ['::ffff:127.0.0.1'],
      ['64:ff9b::7f00:1'],
      ['169.254.169.254'],
      ['10.1.2.3', '93.184.216.34'],
    ]) {
      const from = { ...source, resolve: async () => addresses };
      expect(await resolve(clientId, opened.context, from), addresses.join()).to.equal(undefined);
      expect(reasons()).to.contain('not globally routable');
      opened.warnings.length = 0;
    }
    expect(await resolve(`https://127.0.0.1:${host.port}/doc`)).to.equal(undefined);
    expect(host.connections).to.equal(0);
  });

  verifies(
    'CMD-06',
    'on loopback is fetched only with allow_loopback and by a server that is bound to loopback itself',
    async () => {
      for (const [allow, boundHost, fetched] of [
        [true, '127.0.0.1', true],
        [true, '::1', true],
        [true, 'localhost', true],
        [true, '0.0.0.0', false],
        [true, '::', false],
        [true, '192.168.1.5', false],
        [true, undefined, false],
        [false, '127.0.0.1', false],
      ] as const) {
        await reopen({ allow_loopback: allow }, { boundHost });
        expect((await resolve()) !== undefined, `${allow} ${boundHost}`).to.equal(fetched);
      }
      await reopen({});
      const privateAddress = { ...source, resolve: async () => ['10.0.0.1'] };
      expect(await resolve(clientId, opened.context, privateAddress)).to.equal(undefined);
    },
  );

  verifies(['CMD-07', 'CMD-08', 'CMD-09', 'CMD-13'], 'is rejected for an unusable response of its host', async () => {
    const good = { client_id: clientId, redirect_uris: [callback] };
    const answers: [string, Parameters<typeof serveJson>[1], unknown][] = [
      ['media type', { 'Content-Type': 'text/html' }, good],
      ['forbids caching', { 'Cache-Control': 'no-store' }, good],
      ['forbids caching', { 'Cache-Control': 'private, no-cache' }, good],
      ['compressed', { 'Content-Encoding': 'gzip' }, good],
      ['larger than 5 KiB', {}, { ...good, pad: 'x'.repeat(5200) }],
    ];
    for (const [reason, headers, document] of answers) {
      host.answer = serveJson(document, headers);
      expect(await resolve(), reason).to.equal(undefined);
      expect(reasons()).to.contain(reason);
      opened.warnings.length = 0;
    }
    const untrusted = { resolve: source.resolve } as DocumentSource;
    expect(await resolve(clientId, opened.context, untrusted)).to.equal(undefined);
    expect(reasons()).to.contain('could not be fetched');
  });

  verifies(
    'CMD-10',
    'is not fetched after 30 fetches in the last minute, and rejections before a fetch do not count',
    async () => {
      for (let count = 0; count < 40; count += 1) {
        expect(await resolve(`https://other.example/${count}`)).to.equal(undefined);
        expect(await resolve(`https://client.example:${host.port}/../${count}`)).to.equal(undefined);
        expect(await resolve('https://10.0.0.1/doc')).to.equal(undefined);
        const inside = { ...source, resolve: async () => ['10.0.0.1'] };
        expect(await resolve(clientId, opened.context, inside)).to.equal(undefined);
        const nowhere = { ...source, resolve: () => Promise.reject(new Error('no such host')) };
        expect(await resolve(clientId, opened.context, nowhere)).to.equal(undefined);
      }
      for (let count = 0; count < 30; count += 1) expect(await resolve(`${clientId}/${count}`)).not.to.equal(undefined);
      expect(await resolve(`${clientId}/31`)).to.equal(undefined);
      expect(reasons()).to.contain('the limit of 30 fetches a minute is reached');
      expect((await resolve(`${clientId}/7`))?.client_id).to.equal(`${clientId}/7`);
      expect(host.requests).to.have.length(30);
      opened.clock.advance(60_001);
      expect(await resolve(`${clientId}/31`)).not.to.equal(undefined);
    },
  );

  verifies('CMD-10', 'counts a failed fetch', async () => {
    host.answer = (_request, response) => response.writeHead(500).end();
    for (let count = 0; count < 30; count += 1) await resolve();
    host.answer = serveJson({ client_id: clientId, redirect_uris: [callback] });
    expect(await resolve()).to.equal(undefined);
    expect(host.requests).to.have.length(30);
  });

  verifies(
    'CMD-14',
    'is cached for its max-age between a minute and a day, but a rejection is not cached',
    async () => {
      const document = { client_id: clientId, redirect_uris: [callback] };
      for (const [header, seconds] of [
        ['max-age=120', 120],
        ['max-age=0', 60],
        ['max-age=999999', 86_400],
        ['public', 3600],
      ] as const) {
        await reopen({});
        host.requests.length = 0;
        host.answer = serveJson(document, { 'Cache-Control': header });
        await resolve();
        opened.clock.advance(seconds * 1000 - 1);
        await resolve();
        expect(host.requests, header).to.have.length(1);
        opened.clock.advance(2);
        await resolve();
        expect(host.requests, header).to.have.length(2);
      }
      await reopen({});
      host.answer = (_request, response) => response.writeHead(404).end();
      expect(await resolve()).to.equal(undefined);
      host.answer = serveJson(document);
      expect(await resolve()).not.to.equal(undefined);
    },
  );

  verifies('CMD-15', 'replaces the document that was fetched first once 100 are cached', async () => {
    for (let count = 0; count <= 100; count += 1) {
      if (count % 30 === 0) opened.clock.advance(61_000);
      opened.clock.advance(1);
      expect(await resolve(`${clientId}/${count}`)).not.to.equal(undefined);
    }
    const now = opened.clock.now();
    expect(await opened.store.metadataDocuments.list(now)).to.have.length(100);
    expect(await opened.store.metadataDocuments.find(`${clientId}/0`, now)).to.equal(undefined);
    expect(await opened.store.metadataDocuments.find(`${clientId}/1`, now)).not.to.equal(undefined);
  });
});
