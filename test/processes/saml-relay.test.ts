// SAML through the relay: each response compared with the same front end started alone on the same files and keys, and
// requests while the front end is down.
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { bodyBytesReadMax } from '#shared/web/pipeline/incoming-request.ts';
import { rawRequest, rawText } from '#test/support/http.ts';
import { slowForm } from '#test/support/slow-request.ts';
import { killWorker, until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { demoSettings } from '#test/support/worlds.ts';

interface Exchange {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly from?: string;
}

interface Answer {
  readonly status: string;
  /** Names and values in order, without those of the connection and the time. */
  readonly headers: readonly string[];
  readonly cookies: readonly string[];
  readonly body: string;
}

const momentary = /^(?:date|connection|keep-alive|transfer-encoding|content-length|set-cookie)$/i;

function ask(baseUrl: string, { method = 'GET', path, headers = {}, body, from }: Exchange): Promise<Answer> {
  const { hostname, port } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const outgoing = request({
      hostname,
      port,
      path,
      method,
      headers: { Host: 'idp.example:8443', ...headers },
      agent: false,
      ...(from === undefined ? {} : { localAddress: from }),
    });
    outgoing.once('error', reject);
    outgoing.once('response', (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.once('error', reject);
      incoming.once('end', () => {
        const pairs = incoming.rawHeaders.flatMap((name, index, all) =>
          index % 2 === 0 ? [[name, all[index + 1]]] : [],
        );
        resolve({
          status: `${incoming.statusCode} ${incoming.statusMessage}`,
          headers: pairs.filter(([name]) => !momentary.test(name ?? '')).map((pair) => pair.join(': ')),
          cookies: incoming.headers['set-cookie'] ?? [],
          body: Buffer.concat(chunks).toString('utf8'),
        });
      });
    });
    outgoing.end(body);
  });
}

const soapQuery = `<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body>
<samlp:AttributeQuery xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"
  ID="_q1" Version="2.0" IssueInstant="2026-01-01T00:00:00Z"><saml:Issuer>https://sp.example</saml:Issuer>
<saml:Subject><saml:NameID>alice@example.org</saml:NameID></saml:Subject></samlp:AttributeQuery></soap:Body></soap:Envelope>`;

const authnRequest = Buffer.from(
  `<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"
  ID="_r1" Version="2.0" IssueInstant="2026-01-01T00:00:00Z" AssertionConsumerServiceURL="https://sp.example/acs">
<saml:Issuer>https://sp.example</saml:Issuer></samlp:AuthnRequest>`,
).toString('base64');

const form = (fields: Record<string, string>): Pick<Exchange, 'method' | 'headers' | 'body'> => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

/** IDs and times that are new in every response. */
const withoutMoments = (body: string) =>
  body
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'INSTANT')
    .replaceAll(/\b_[0-9A-Za-z_-]{16,}/g, 'ID')
    .replaceAll(/(?<=\/flows\?request=)[^"&]+/g, 'REQUEST')
    .replaceAll(/<ds:Signature[ >].*?<\/ds:Signature>/gs, 'SIGNATURE');

describe('a SAML request through the relay', function () {
  this.timeout(60_000);
  let stack: RunningIdp;
  let alone: RunningIdp;
  before(async () => {
    stack = await startIdp();
    alone = await startIdp({ command: 'saml', root: stack.root });
  });
  after(async () => {
    await alone.stop();
    await stack.stop();
  });

  const exchanges: readonly [string, Exchange][] = [
    ['metadata', { path: '/saml/metadata' }],
    ['metadata for another origin', { path: '/saml/metadata', headers: { Origin: 'https://app.example' } }],
    ['metadata by HEAD', { path: '/saml/metadata', method: 'HEAD' }],
    ['certificate', { path: '/saml/cert.pem' }],
    [
      'a preflight',
      {
        path: '/saml/sso',
        method: 'OPTIONS',
        headers: { Origin: 'https://a.example', 'Access-Control-Request-Method': 'POST' },
      },
    ],
    ['an unknown path', { path: '/saml/nothing' }],
    ['the bare prefix', { path: '/saml' }],
    ['the whole address, as a forward proxy would send it', { path: 'http://idp.example:8443/saml/metadata?x=1' }],
    ['a path that only begins alike', { path: '/samlmetadata' }],
    ['a wrong method', { path: '/saml/metadata', method: 'DELETE' }],
    ['a request without parameters', { path: '/saml/sso' }],
    ['a broken request', { path: '/saml/sso?SAMLRequest=%00broken' }],
    ['a login page', { path: '/saml/sso', ...form({ SAMLRequest: authnRequest, RelayState: 'ünïcode & more' }) }],
    [
      'a query',
      { path: '/saml/attribute-query', method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: soapQuery },
    ],
    [
      'a query in chunks',
      { path: '/saml/attribute-query', method: 'POST', headers: { 'Transfer-Encoding': 'chunked' }, body: soapQuery },
    ],
    ['a body too large', { path: '/saml/attribute-query', method: 'POST', body: Buffer.alloc(1024 * 1024 + 1, 'x') }],
  ];
  for (const [what, exchange] of exchanges) {
    verifies('SUP-02', `gets the same response as without it: ${what}`, async () => {
      const [relayed, direct] = await Promise.all([ask(stack.baseUrl, exchange), ask(alone.baseUrl, exchange)]);
      expect(relayed.status, stack.log().slice(-1000)).to.equal(direct.status);
      expect(relayed.headers).to.deep.equal(direct.headers);
      const attributes = ({ cookies }: Answer) => cookies.map((cookie) => cookie.replace(/=[^;]*/, ''));
      expect(attributes(relayed)).to.deep.equal(attributes(direct));
      expect(withoutMoments(relayed.body)).to.equal(withoutMoments(direct.body));
    });
  }

  verifies('SUP-02', 'gets the same response as without it: HTTP/1.0 without a Host', async () => {
    const asked = 'GET /saml/cert.pem HTTP/1.0\r\n\r\n';
    const [relayed, direct] = await Promise.all([rawText(stack.baseUrl, asked), rawText(alone.baseUrl, asked)]);
    const withoutDate = (answer: string) => answer.replace(/^Date: .*$/m, '');
    expect(relayed).to.match(/^HTTP\/1\.1 200 /);
    expect(withoutDate(relayed)).to.equal(withoutDate(direct));
  });

  for (const path of ['/saml/sso', '/saml/attribute-query']) {
    verifies(
      ['SUP-02', 'HDR-17'],
      `gets 413 for a body beyond the limit at ${path}, and the connection ends`,
      async () => {
        const { hostname, port } = new URL(stack.baseUrl);
        const headers = { Host: 'idp.example:8443', 'Content-Length': String(64 * 1024 * 1024) };
        const outgoing = request({ hostname, port, path, method: 'POST', headers, agent: false });
        // One byte above the limit but fewer than announced, so that the client is not cut off while it still sends.
        outgoing.write(Buffer.alloc(bodyBytesReadMax + 1, 'x'));
        const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
        expect([answer.statusCode, answer.headers.connection]).to.deep.equal([413, 'close']);
        outgoing.on('error', () => {}).destroy();
      },
    );
  }

  verifies('SUP-02', 'takes its issuer from the Host and logs in with cookies', async () => {
    const metadata = await ask(stack.baseUrl, { path: '/saml/metadata' });
    expect(metadata.body).to.include('entityID="http://idp.example:8443/saml"');
    const { cookies } = await ask(stack.baseUrl, { path: '/saml/sso', ...form({ SAMLRequest: authnRequest }) });
    expect(cookies[0]).to.match(/^test_idp_session_8443=/);
  });

  verifies('SUP-02', 'appears in the audit with the caller’s address, which cannot be forged', async () => {
    const query = { path: '/saml/attribute-query', method: 'POST', body: soapQuery };
    await ask(stack.baseUrl, { ...query, from: '127.0.0.7' });
    await ask(stack.baseUrl, { ...query, from: '127.0.0.8', headers: { 'X-Test-Idp-Peer': '10.9.8.7' } });
    await ask(stack.baseUrl, { ...query, from: '127.0.0.9', headers: { 'X-Forwarded-For': '10.9.8.7' } });
    const { entries } = await (await fetch(`${stack.baseUrl}/api/audit?limit=3`)).json();
    const addresses = entries.map(({ ip_address: address }: { ip_address: string }) => address);
    expect(addresses).to.deep.equal(['127.0.0.7', '127.0.0.8', '127.0.0.9']);
  });

  verifies('SUP-02', 'follows the forwarded headers of a trusted proxy like a direct one', async () => {
    const settings = { oauth: { ...demoSettings.oauth, issuer_from_proxy_headers: true } };
    const proxied = await startIdp({ settings });
    try {
      const headers = {
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-Host': 'public.example',
        'X-Forwarded-For': '192.0.2.9',
      };
      const metadata = await ask(proxied.baseUrl, { path: '/saml/metadata', headers });
      expect(metadata.body).to.include('entityID="https://public.example/saml"');
      await ask(proxied.baseUrl, { path: '/saml/attribute-query', method: 'POST', body: soapQuery, headers });
      const { entries } = await (await fetch(`${proxied.baseUrl}/api/audit?limit=1`)).json();
      expect(entries[0].ip_address).to.equal('192.0.2.9');
    } finally {
      await proxied.stop();
    }
  });
});

describe('while the SAML front end is down', function () {
  this.timeout(60_000);
  let idp: RunningIdp;
  let directory: string;
  let slowBoot: string;
  before(async () => {
    directory = mkdtempSync(join(tmpdir(), 'test-idp-relay-'));
    slowBoot = join(directory, 'boot-slowly');
    // A SAML worker that starts while the file exists takes 7 s longer.
    const code = `import{existsSync}from'node:fs';
      if(process.env.TEST_IDP_WORKER==='saml'&&existsSync('${slowBoot}'))await new Promise(r=>setTimeout(r,7000))`;
    idp = await startIdp({ env: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` } });
  });
  after(async () => {
    await idp.stop();
    rmSync(directory, { recursive: true });
  });

  const answersAgain = () =>
    until('SAML answers again', async () => (await rawRequest(`${idp.baseUrl}/saml/metadata`)).status === 200);

  verifies('SUP-03', 'requests wait for its replacement', async () => {
    const round = async () => {
      // The worker must be dead, because a request that still reached it would correctly get 502.
      await killWorker(idp, 'saml');
      const start = performance.now();
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => rawRequest(`${idp.baseUrl}/saml/metadata`).then(({ status }) => status)),
      );
      return { answers, milliseconds: performance.now() - start };
    };
    let repeats = 1;
    for (let rounds = 0; rounds < 2; rounds += 1) {
      let { answers, milliseconds } = await round();
      // A replacement that takes longer than 5 s is not waited for (see the test below). A busy machine may need that once.
      // More deaths within a minute would end the stack (SUP-07).
      if (repeats > 0 && answers.every((status) => status === 503) && milliseconds >= 4_900) {
        repeats -= 1;
        await answersAgain();
        ({ answers, milliseconds } = await round());
      }
      expect(answers, `after ${milliseconds} ms`).to.deep.equal([200, 200, 200, 200, 200]);
    }
  });

  verifies('SUP-03', 'a request in flight when it dies gets 502', async () => {
    const slow = slowForm(`${idp.baseUrl}/saml/sso`, { SAMLRequest: authnRequest });
    await slow.arrived;
    // The relay works in order, so this response shows that the first request has reached the SAML front end.
    expect((await rawRequest(`${idp.baseUrl}/saml/metadata`)).status).to.equal(200);
    await killWorker(idp, 'saml');
    const { status, body } = await slow.answer;
    expect(status).to.equal(502);
    expect(JSON.parse(body).error).to.equal('saml_frontend_failed');
  });

  verifies('SUP-03', 'requests get 503 after 5 s, and everything else works as usual', async () => {
    writeFileSync(slowBoot, '');
    await killWorker(idp, 'saml');
    const start = performance.now();
    const waiting = rawRequest(`${idp.baseUrl}/saml/metadata`);
    expect((await rawRequest(`${idp.baseUrl}/.well-known/jwks.json`)).status).to.equal(200);
    expect(performance.now() - start, 'no other request waits').to.be.below(4_500);
    const { status, headers, body } = await waiting;
    expect(performance.now() - start).to.be.within(4_900, 9_000);
    expect(status).to.equal(503);
    expect(headers['retry-after']).to.equal('1');
    expect(JSON.parse(body).error).to.equal('saml_frontend_unavailable');
    rmSync(slowBoot);
    await answersAgain();
  });
});
