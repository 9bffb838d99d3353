// Requests of an attacker who knows the list of routes: every route with any method and body, malformed HTTP and XML, and
// signatures wrapped around other content. Also bodies in one-byte pieces, pipelined requests on half-closed connections,
// and unread responses. No response is a server error, no process dies, and no wrapped content is accepted. SEED repeats a
// run. HOSTILE_INPUTS sets the number of inputs of each kind (600; 250000 make a million in a night). Kinds that need
// several requests get a tenth, or fewer where they say so.
import { connect } from 'node:net';
import { expect } from 'chai';
import { oidcRoutes } from '#services/oidc/app.ts';
import { samlFrontendRoutes } from '#services/saml/app.ts';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import {
  answersIn,
  connectTo,
  converse,
  requestText,
  requestWithKnownAnswer,
} from '#test/support/hostile/raw-connection.ts';
import { rawRequest } from '#test/support/http.ts';
import { sendOneByteChunks } from '#test/support/one-byte-chunks.ts';
import { attributeQuery, enveloped as soapEnvelope } from '#test/support/saml/attribute-query.ts';
import {
  authnRequest,
  delivered,
  encodePost,
  encodeRedirect,
  namespaces,
  signedXml,
} from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { seededRandom } from '#test/support/seeded-random.ts';
import { workersOf } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml } from '#test/support/worlds.ts';

const inputs = Number(process.env.HOSTILE_INPUTS ?? 600);
const atOnce = 8;
const random = seededRandom();
const chosen = <Value>(values: readonly Value[]): Value => values[random.integer(0, values.length - 1)] as Value;

const pieces = [
  ...['', ' ', '\0', '\r\n', '\r\n\r\n', '%', '%zz', '%00', '../', '//', '\u{1F600}', '\ud800', '<', '&', ']]>', '"'],
  ...['{', '[', 'null', '-1', '1e999', '9'.repeat(400), 'a'.repeat(9000), '__proto__', 'constructor', 'é'],
];

/** The text with some pieces removed, doubled, swapped or replaced. */
function spoilt(text: string): string {
  let result = text;
  for (let change = random.integer(1, 5); change > 0; change -= 1) {
    const from = random.integer(0, result.length);
    const to = Math.min(result.length, from + random.integer(0, 30));
    const middle = chosen([() => '', () => result.slice(from, to).repeat(2), () => chosen(pieces), otherByte])();
    result = result.slice(0, from) + middle + result.slice(to);
  }
  return result;
}

/** Without lone surrogates, which no URL can contain. */
const wellFormed = (text: string) => Buffer.from(text).toString();

/** A SOAP fault has status 500 (SOAP 1.1 §6.2). */
const isSoapFault = (path: string, body: string) => path === '/saml/attribute-query' && body.includes('Fault>');

const otherByte = () => String.fromCharCode(random.integer(0, 255));

async function inBatches(send: () => Promise<void>, count = inputs): Promise<void> {
  for (let sent = 0; sent < count; sent += atOnce) await Promise.all(Array.from({ length: atOnce }, send));
}

/** The text in pieces that end anywhere, even within a line. */
function inPieces(text: string): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = random.integer(1, text.length);
    pieces.push(text.slice(at, at + length));
    at += length;
  }
  return pieces;
}

describe(`hostile bytes (SEED=${random.seed})`, function () {
  this.timeout(60_000 + inputs * 100);
  let idp: RunningIdp;
  let workers: readonly number[];
  let alice: BrowserClient;
  before(async () => {
    const sp = await signingKey('sp');
    idp = await startIdp({
      world: saml,
      command: 'start',
      settings: { saml: { sp_certificates: ['../sp.pem'] }, oauth: { dynamic_registration: { enabled: true } } },
      files: { 'sp.pem': sp.certificatePem },
    });
    alice = await loggedIn(idp);
    workers = pids();
  });
  after(() => idp.stop());
  afterEach(() => {
    expect(idp.log()).not.to.contain('unexpected error');
    expect(pids(), 'every worker is alive').to.deep.equal(workers);
  });
  const pids = () =>
    workersOf(idp.pid)
      .map(({ pid }) => pid)
      .sort((one, other) => one - other);

  function expectDesigned(status: number, what: () => string): void {
    if (status >= 500) throw new Error(`${status} for ${what().slice(0, 3000)}`);
  }

  verifies(
    ['HDR-17', 'HDR-18', 'HDR-20'],
    'get a valid response at every route for any method, parameter and body',
    async () => {
      const paths = [...oidcRoutes, ...samlFrontendRoutes].map(({ path }) => path);
      // Routes that end the session or replace the keys would disturb the other tests.
      const safe = paths.filter((path) => !/rotate|regenerate$|\/keys\/|settings$|reload/.test(path));
      await inBatches(async () => {
        const path = chosen(safe).replaceAll(/[:*]\w+/g, () =>
          encodeURIComponent(wellFormed(chosen(['alice', 'x', ...pieces]))),
        );
        const type = chosen([
          'application/json',
          'application/x-www-form-urlencoded',
          'text/xml',
          'multipart/form-data',
        ]);
        const method = chosen(['GET', 'GET', 'POST', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']);
        const text = spoilt(
          chosen(['{"username":"x","exp_minutes":5}', 'a=1&username=alice&password=x', '<a/>', '[[]]']),
        );
        const body = method === 'GET' || method === 'HEAD' ? undefined : text;
        const query = encodeURI(wellFormed(spoilt('a=1&limit=2'))).slice(0, 4000);
        const url = `${idp.baseUrl}${path.slice(0, 4000)}?${query}`;
        const headers: Record<string, string> = { 'Content-Type': type, Accept: chosen(['*/*', 'text/html', 'a']) };
        const answer = await rawRequest(url, { method, headers, ...(body === undefined ? {} : { body }) });
        if (isSoapFault(path, answer.body)) return;
        expectDesigned(answer.status, () => JSON.stringify({ method, url, type, body }));
      });
    },
  );

  verifies('HDR-17', 'that are not HTTP end only their own connection', async () => {
    const { hostname, port } = new URL(idp.baseUrl);
    const good = (method: string, path: string, body: string) =>
      `${method} ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n` +
      `Content-Type: application/x-www-form-urlencoded\r\n\r\n${body}`;
    await inBatches(async () => {
      const path = chosen(['/token', '/', '/authorize?client_id=web', '/saml/sso', '/api/users', '/health']);
      const bytes = Buffer.from(spoilt(good(chosen(['GET', 'POST']), path, 'grant_type=password')), 'latin1');
      const answer = await answerTo(bytes, hostname, Number(port));
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
      // 505 is the response to an unsupported HTTP version.
      if (status !== 505) expectDesigned(status, () => JSON.stringify(bytes.toString('latin1')));
    });
    expect((await rawRequest(`${idp.baseUrl}/health`)).status).to.equal(200);
  });

  it('are read in up to 16,384 one-byte pieces of a body, and rejected beyond that', async () => {
    const paths = [
      '/token',
      '/saml/sso',
      '/saml/attribute-query',
      '/api/runtime/users',
      '/authorize',
      '/device',
      '/login',
    ];
    await inBatches(async () => {
      const isTooMany = random.next() < 0.5;
      const sent = {
        path: chosen(paths),
        // Pieces that arrive together may count as one, so no body comes near the limit.
        count: isTooMany ? random.integer(17_000, 40_000) : random.integer(1, 16_384),
        headers: { 'Content-Type': chosen(['application/json', 'application/x-www-form-urlencoded', 'text/xml']) },
      };
      const { status, text } = await sendOneByteChunks(idp.baseUrl, sent);
      const isRejected = text.includes('payload_in_small_pieces');
      expect([JSON.stringify(sent), isRejected]).to.deep.equal([JSON.stringify(sent), isTooMany]);
      if (isTooMany) expect(status).to.equal(400);
      else if (!isSoapFault(sent.path, text)) expectDesigned(status, () => JSON.stringify(sent));
    }, inputs / 20);
  });

  verifies(
    'HDR-17',
    'that pipeline requests get all responses in order, even on a half-closed connection',
    async () => {
      await inBatches(async () => {
        const sent = Array.from({ length: random.integer(1, 8) }, () => requestWithKnownAnswer(chosen));
        const halfCloses = random.next() < 0.5;
        const bytes = sent.map((request, index) =>
          requestText({ ...request, closes: !halfCloses && index === sent.length - 1 }),
        );
        const pieces = random.next() < 0.5 ? [bytes.join('')] : inPieces(bytes.join(''));
        const text = await converse(idp.baseUrl, pieces, { halfCloses });
        const answers = answersIn(
          text,
          sent.map(({ method }) => method),
        );
        const what = JSON.stringify({ sent, halfCloses, pieces: pieces.length });
        expect([what, answers.map(({ status }) => status)]).to.deep.equal([what, sent.map(({ status }) => status)]);
        for (const [index, { body }] of answers.entries()) expect(body, what).to.match(sent[index]?.says ?? /^$/);
      }, inputs / 4);
    },
  );

  it('of unread responses delay no other client, and arrive completely once they are read', async () => {
    // Each connection requests more than the socket buffers hold. Resources that grow with the run are requested once.
    const large = ['/openapi.json', '/openapi.json', '/api/exchanges?limit=200', '/api/audit?limit=200'];
    const whole = ['/audit/export/json', '/audit/export/csv', '/api/audit?limit=-1'];
    for (let round = 0; round < Math.ceil(inputs / 300); round += 1) {
      const unread = Array.from({ length: 10 }, () => {
        const methods = Array.from({ length: random.integer(10, 80) }, () => 'GET');
        const socket = connectTo(idp.baseUrl).pause();
        const bytes = methods.map((method, index) =>
          requestText({ method, path: chosen(index === 0 ? whole : large), closes: index === methods.length - 1 }),
        );
        socket.on('error', () => {}).write(bytes.join(''), 'latin1');
        return { socket, methods };
      });
      await inBatches(async () => {
        const request = requestWithKnownAnswer(chosen);
        const text = await converse(idp.baseUrl, [requestText({ ...request, closes: true })], { halfCloses: false });
        const [answer] = answersIn(text, [request.method]);
        expect([request.path, answer?.status]).to.deep.equal([request.path, request.status]);
      }, 40);
      for (const { socket, methods } of unread) {
        if (random.next() < 0.3) {
          socket.destroy();
          continue;
        }
        let text = '';
        for await (const piece of socket) text += piece;
        const answers = answersIn(text, methods);
        expect(answers, text.slice(-300)).to.have.length(methods.length);
        for (const { status, head } of answers) {
          // The number of simultaneous large responses is limited. Beyond it the client gets 503 with Retry-After.
          if (status === 503) expect(head).to.match(/^retry-after: \d+$/im);
          else expect(status).to.equal(200);
        }
      }
    }
  });

  verifies('SAM-66', 'in any XML shape get a response from each binding', async () => {
    const entity = '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d SYSTEM "file:///etc/passwd">]>';
    await inBatches(async () => {
      const original = chosen([
        authnRequest(),
        attributeQuery(),
        soapEnvelope(attributeQuery()),
        entity + authnRequest(),
      ]);
      const deep = '<a>'.repeat(random.integer(1, 3000));
      const xml = chosen([() => spoilt(original), () => original.replace('<', `${entity}<`), () => deep])();
      const type = 'application/x-www-form-urlencoded';
      const inForm = `SAMLRequest=${encodeURIComponent(chosen([encodePost, encodeRedirect])(xml))}`;
      const [path, init] = chosen([
        ['/saml/sso', { method: 'POST', headers: { 'Content-Type': type }, body: inForm }],
        [`/saml/sso?${inForm.slice(0, 14_000)}`, {}],
        ['/saml/attribute-query', { method: 'POST', headers: { 'Content-Type': 'text/xml' }, body: wellFormed(xml) }],
      ] as const);
      const { status, body } = await rawRequest(idp.baseUrl + path, init);
      if (!isSoapFault(path, body)) expectDesigned(status, () => xml);
      expect(body).not.to.contain('root:');
    });
  });

  verifies(['SAM-25', 'SAM-26'], 'outside a signature are never answered, however they are wrapped', async () => {
    const sp = await signingKey('sp');
    await idp.configure({
      settings: { saml: { want_authn_requests_signed: true, sp_certificates: ['../sp.pem'] } },
    });
    const signed = signedXml(authnRequest({ id: '_signed' }), sp);
    const signature = /<ds:Signature[\s\S]*<\/ds:Signature>/.exec(signed)?.[0] ?? '';
    const evil = (id: string, children = '') => authnRequest({ id, acs: 'https://evil.example/acs', children });
    const extensions = (inner: string) =>
      `<samlp:Extensions xmlns:samlp="${namespaces.protocol}">${inner}</samlp:Extensions>`;
    const object = `<ds:Object>${signed}</ds:Object></ds:Signature>`;
    const wrappings = [
      () => evil('_evil', signature),
      () => evil('_signed', signature),
      () => evil('_evil', signature + extensions(signed)),
      () => evil('_signed', extensions(signed) + signature),
      () => evil('_evil', extensions(signed)),
      () => evil('_evil', signature.replace('</ds:Signature>', object)),
      () => evil('_signed', signature.replace('</ds:Signature>', object)),
      () => evil('_evil', signature.replace('URI="#_signed"', 'URI=""')),
      () => evil('_evil', signature.replace('URI="#_signed"', 'URI="#_evil"')),
      () => signed.replace('https://sp.example/acs', 'https://evil.example/acs'),
      () => signed.replace('</samlp:AuthnRequest>', `${evil('_second')}</samlp:AuthnRequest>`),
      () => `<samlp:Extensions xmlns:samlp="${namespaces.protocol}">${signed}${evil('_evil')}</samlp:Extensions>`,
      () => spoilt(signed),
    ];
    let accepted = 0;
    await inBatches(async () => {
      const xml = chosen(wrappings)();
      const page = await alice.post('/saml/sso', { SAMLRequest: encodePost(xml) });
      expectDesigned(page.status, () => xml);
      expect(page.body).not.to.contain('evil.example/acs"');
      if (!page.body.includes('SAMLResponse')) return;
      // An accepted response must refer to the signed request, so nothing outside it had an effect.
      accepted += 1;
      expect(delivered(page).root.getAttribute('InResponseTo'), xml).to.equal('_signed');
    });
    const page = await alice.post('/saml/sso', { SAMLRequest: encodePost(signed) });
    expect(delivered(page).status, `${accepted} changed ones were accepted as signed`).to.deep.equal(['Success']);
  });
});

/** What arrived until the other side closed, or stopped sending because it waits for more. */
function answerTo(bytes: Buffer, host: string, port: number): Promise<string> {
  return new Promise((resolve) => {
    let answer = '';
    const socket = connect(port, host).setEncoding('latin1');
    const done = () => {
      socket.destroy();
      resolve(answer);
    };
    socket.on('data', (text: string) => {
      answer += text;
    });
    socket.on('error', done).on('close', done).on('end', done);
    socket.end(bytes);
  });
}
