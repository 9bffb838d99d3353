// Single Logout at /saml/slo: who may request it, which sessions end, the order of notifications, and hostile messages.

import { createPublicKey, verify, X509Certificate } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inflateRawSync } from 'node:zlib';
import type { Element } from '@xmldom/xmldom';
import { expect } from 'chai';
import { encryptedData } from '#services/saml/encryption/encrypt-element.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { saml2 } from '#shared/protocol/saml/vocabulary.ts';
import { writeDocument } from '#shared/protocol/saml/xml/write-xml.ts';
import { declaring } from '#shared/protocol/saml/xml-element.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { authorizePath, codeOf, loggedIn, newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient, Page } from '#test/support/browser-client.ts';
import { basic, postForm } from '#test/support/http.ts';
import { encryptedInContext } from '#test/support/saml/encrypted-id.ts';
import {
  all,
  authnRequest,
  delivered,
  encodePost,
  nameIdIn,
  namespaces,
  newId,
  only,
  redirectQuery,
  rootOf,
  signedQuery,
  signedXml,
  statusOf,
} from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { startXmlHost } from '#test/support/saml/xml-host.ts';
import { until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers } from '#test/support/worlds.ts';

const [one, two, three] = ['https://one.example', 'https://two.example', 'https://three.example'] as const;
const md = 'urn:oasis:names:tc:SAML:2.0:metadata';

interface Sent {
  readonly parameter: 'SAMLRequest' | 'SAMLResponse';
  readonly address: string;
  readonly root: Element;
  readonly xml: string;
  readonly relayState: string | null;
  readonly by: 'HTTP-Redirect' | 'HTTP-POST';
}

interface LogoutParts {
  readonly nameId?: string;
  readonly format?: string;
  readonly qualifiers?: string;
  readonly indexes?: readonly string[];
  readonly attributes?: string;
  readonly destination?: string | undefined;
  readonly issuer?: string | undefined;
  readonly version?: string;
  readonly subject?: string;
  readonly id?: string;
}

describe('/saml/slo', () => {
  let idp: RunningIdp;
  let key: SigningKey;
  let stranger: SigningKey;
  let certificate: string;
  before(async () => {
    [key, stranger] = [await signingKey('sp'), await signingKey('stranger')];
    idp = await startIdp({ world: saml });
    certificate = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
  });
  after(() => idp.stop());
  beforeEach(() => configure());
  afterEach(() => idp.api('DELETE', '/api/sessions'));

  const provider = (entity_id: string, slo: object[], more: object = {}) => ({
    ...{ entity_id, acs: `${entity_id}/acs`, certificates: [key.certificatePem], slo },
    ...more,
  });
  const redirect = (sp: string) => [{ url: `${sp}/slo`, response_url: `${sp}/answers`, binding: 'HTTP-Redirect' }];
  const post = (sp: string) => [{ url: `${sp}/slo`, binding: 'HTTP-POST' }];
  const configure = (
    providers?: object[],
    further: object = {},
    login: object = { session: 'on' },
    users: object = samlUsers,
  ) =>
    idp.configure({
      settings: {
        login,
        saml: {
          single_logout: true,
          service_providers: providers ?? [
            provider(one, redirect(one)),
            provider(two, post(two)),
            provider(three, redirect(three)),
          ],
          ...further,
        },
      },
      users,
    });
  const slo = () => `${idp.baseUrl}/saml/slo`;
  const logIn = async (browser: BrowserClient, issuer: string, children = '') => {
    const page = await browser.get(`/saml/sso?${redirectQuery(authnRequest({ issuer, acs: undefined, children }))}`);
    const { root } = delivered(page);
    const index = only(root, namespaces.assertion, 'AuthnStatement').getAttribute('SessionIndex') ?? '';
    return { ...nameIdIn(root), index };
  };
  const logoutRequest = (issuer: string, parts: LogoutParts = {}) => {
    const { destination, issuer: named, version = '2.0', indexes = [] } = { destination: slo(), issuer, ...parts };
    const { nameId = 'alice@example.com', format, qualifiers = '', attributes = '', id = newId() } = parts;
    const name = `<saml:NameID${format === undefined ? '' : ` Format="${format}"`} ${qualifiers}>${nameId}</saml:NameID>`;
    return (
      `<samlp:LogoutRequest xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}" ID="${id}"` +
      ` Version="${version}" IssueInstant="2026-01-01T00:00:00Z" ${attributes}` +
      `${destination === undefined ? '' : ` Destination="${destination}"`}>` +
      `${named === undefined ? '' : `<saml:Issuer>${named}</saml:Issuer>`}${parts.subject ?? name}` +
      `${indexes.map((index) => `<samlp:SessionIndex>${index}</samlp:SessionIndex>`).join('')}</samlp:LogoutRequest>`
    );
  };
  const logoutResponse = (issuer: string, inResponseTo: string, status = 'Success') =>
    `<samlp:LogoutResponse xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}" ID="${newId()}"` +
    ` Version="2.0" IssueInstant="2026-01-01T00:00:00Z" Destination="${slo()}" InResponseTo="${inResponseTo}">` +
    `<saml:Issuer>${issuer}</saml:Issuer><samlp:Status><samlp:StatusCode` +
    ` Value="urn:oasis:names:tc:SAML:2.0:status:${status}"/></samlp:Status></samlp:LogoutResponse>`;
  const begin = (
    browser: BrowserClient,
    issuer: string,
    parts: LogoutParts = {},
    relayState: string | undefined = 'state &1',
  ) =>
    browser.get(
      `/saml/slo?${signedQuery(logoutRequest(issuer, parts), key, relayState === undefined ? {} : { relayState })}`,
    );
  const answer = (browser: BrowserClient, issuer: string, inResponseTo: string, status?: string, by = key) =>
    browser.post('/saml/slo', {
      SAMLResponse: encodePost(signedXml(logoutResponse(issuer, inResponseTo, status), by)),
    });
  const sent = (page: Page): Sent => {
    const parameters = ['SAMLRequest', 'SAMLResponse'] as const;
    if (page.location !== null) {
      const { searchParams, origin, pathname } = new URL(page.location);
      const parameter = parameters.find((name) => searchParams.has(name)) ?? expect.fail(page.location);
      const xml = inflateRawSync(Buffer.from(searchParams.get(parameter) ?? '', 'base64')).toString();
      const relayState = searchParams.get('RelayState');
      return { parameter, address: origin + pathname, xml, root: rootOf(xml), relayState, by: 'HTTP-Redirect' };
    }
    const form = page.forms.find(({ fields }) => fields.some(([name]) => name.startsWith('SAMLRe')));
    if (form === undefined) throw new Error(`${page.status}: nothing is sent on:\n${page.text}`);
    const fields = new Map(form.fields);
    const parameter = parameters.find((name) => fields.has(name)) ?? expect.fail('no message');
    const xml = Buffer.from(fields.get(parameter) ?? '', 'base64').toString();
    const relayState = fields.get('RelayState') ?? null;
    return { parameter, address: form.action, xml, root: rootOf(xml), relayState, by: 'HTTP-POST' };
  };
  const idOf = ({ root }: Sent) => root.getAttribute('ID') ?? '';
  const sessions = async (): Promise<{ sid: string }[]> => (await idp.api('GET', '/api/sessions')).body.sessions;
  const isLoggedIn = async (browser: BrowserClient) => {
    const passive = authnRequest({ issuer: one, acs: undefined, attributes: 'IsPassive="true"' });
    return delivered(await browser.get(`/saml/sso?${redirectQuery(passive)}`)).status[0] === 'Success';
  };

  /** A service provider's SOAP endpoint, which responds in the name of any requested provider. */
  const soapHost = async () => {
    const host = await startXmlHost((_request, response, body) => {
      const request = only(rootOf(body), namespaces.protocol, 'LogoutRequest');
      const sp = new URL(request.getAttribute('Destination') ?? '').searchParams.get('sp') ?? two;
      const answer = answering.answerOf(sp, request.getAttribute('ID') ?? '');
      response.end(answering.envelopeOf(answer));
    });
    const answering = {
      ...host,
      status: 'Success',
      envelopeOf: (answer: string) =>
        `<s:Envelope xmlns:s="${namespaces.soap}"><s:Body>${answer}</s:Body></s:Envelope>`,
      answerOf: (sp: string, id: string) => signedXml(logoutResponse(sp, id, answering.status), key),
      soapOf: (sp: string) => ({ url: `${host.address}/soap?${new URLSearchParams({ sp })}`, binding: 'SOAP' }),
    };
    return answering;
  };

  verifies(['SLO-01', 'SLO-02'], 'exists only if enabled, and then appears in the metadata', async () => {
    const services = async () => {
      const text = await (await fetch(`${idp.baseUrl}/saml/metadata`)).text();
      const role = only(rootOf(text), md, 'IDPSSODescriptor');
      const order = all(role, md, '*').map(({ localName }) => localName);
      const places = all(role, md, 'SingleLogoutService').map((each) => [
        each.getAttribute('Binding')?.split(':').at(-1),
        each.getAttribute('Location'),
      ]);
      return { order, places };
    };
    const { order, places } = await services();
    expect(places).to.deep.equal([
      ['HTTP-POST', slo()],
      ['HTTP-Redirect', slo()],
    ]);
    expect(order.indexOf('SingleLogoutService')).to.be.greaterThan(order.indexOf('KeyDescriptor'));
    expect(order.indexOf('SingleLogoutService')).to.be.lessThan(order.indexOf('NameIDFormat'));
    await configure(undefined, { single_logout: false });
    expect((await services()).places).to.deep.equal([]);
    expect((await newBrowser(idp).get('/saml/slo')).status).to.equal(404);
    let refusal = '';
    try {
      await configure(undefined, {}, { session: 'off' });
    } catch (error) {
      refusal = String(error);
    }
    expect(refusal).to.not.equal('');
  });

  verifies(
    ['SLO-05', 'SLO-12', 'SLO-13', 'SLO-11'],
    'ends the session for a signed request and responds by its binding',
    async () => {
      const alice = await loggedIn(idp);
      const { value, index } = await logIn(alice, one);
      const page = await begin(alice, one, { nameId: value, indexes: [index], id: '_request' });
      const response = sent(page);
      expect([response.parameter, response.by, response.address]).to.deep.equal([
        'SAMLResponse',
        'HTTP-Redirect',
        `${one}/answers`,
      ]);
      expect(statusOf(response.root)).to.deep.equal(['Success']);
      expect(response.root.getAttribute('InResponseTo')).to.equal('_request');
      expect(response.root.getAttribute('Destination')).to.equal(`${one}/answers`);
      expect(response.relayState).to.equal('state &1');
      expect(all(response.root, namespaces.signature, 'Signature')).to.deep.equal([]);
      const query = new URL(page.location ?? '').search.slice(1);
      const [signedPart = '', signature = ''] = query.split('&Signature=');
      const isGenuine = verify(
        'sha256',
        Buffer.from(signedPart),
        createPublicKey(certificate),
        Buffer.from(decodeURIComponent(signature), 'base64'),
      );
      expect(isGenuine).to.equal(true);
      expect(await sessions()).to.deep.equal([]);
      expect(await isLoggedIn(alice)).to.equal(false);

      const again = await loggedIn(idp);
      await logIn(again, two);
      const posted = await again.post('/saml/slo', { SAMLRequest: encodePost(signedXml(logoutRequest(two), key)) });
      const other = sent(posted);
      expect([other.by, other.address, other.relayState]).to.deep.equal(['HTTP-POST', `${two}/slo`, null]);
      await verifyWithXmlsec(other.xml, certificate);
      // A provider without HTTP-POST receives the response by its other binding.
      const third = await loggedIn(idp);
      await logIn(third, one);
      const byPost = await third.post('/saml/slo', { SAMLRequest: encodePost(signedXml(logoutRequest(one), key)) });
      expect(sent(byPost).by).to.equal('HTTP-Redirect');
      // The message of the form comes first, then that of the query (SAM-12).
      const fourth = await loggedIn(idp);
      await logIn(fourth, two);
      const inQuery = new URLSearchParams({
        SAMLRequest: encodePost(signedXml(logoutRequest(two), key)),
        RelayState: 'in the query',
      });
      const fromQuery = sent(await fourth.post(`/saml/slo?${inQuery}`, {}));
      expect([fromQuery.by, fromQuery.relayState, ...statusOf(fromQuery.root)]).to.deep.equal([
        ...['HTTP-POST', 'in the query', 'Success'],
      ]);
    },
  );

  verifies('SLO-05', 'repeats a message from another site from its own site first', async () => {
    const alice = await loggedIn(idp);
    await logIn(alice, two);
    const cross = { 'Sec-Fetch-Site': 'cross-site', Origin: two };
    const message = { SAMLRequest: encodePost(signedXml(logoutRequest(two), key)), RelayState: ' r\r\n' };
    const page = await newBrowser(idp).post('/saml/slo', message, cross);
    expect(page.headers.get('set-cookie')).to.equal(null);
    expect(await sessions()).to.have.length(1);
    const again = await alice.submit(page, {}, { 'Sec-Fetch-Site': 'same-origin', Origin: idp.baseUrl });
    expect([statusOf(sent(again).root), sent(again).relayState]).to.deep.equal([['Success'], ' r\r\n']);
  });

  const byRedirect = (alice: BrowserClient, xml: string, by = key) => alice.get(`/saml/slo?${signedQuery(xml, by)}`);
  const byForm = (alice: BrowserClient, xml: string) => alice.post('/saml/slo', { SAMLRequest: encodePost(xml) });
  const invalidRequests: Readonly<Record<string, (alice: BrowserClient) => Promise<Page>>> = {
    'an unsigned redirect': (alice) => alice.get(`/saml/slo?${redirectQuery(logoutRequest(one))}`),
    'a redirect signed by a stranger': (alice) => byRedirect(alice, logoutRequest(one), stranger),
    'an unregistered issuer': (alice) => byRedirect(alice, logoutRequest('https://nobody.example')),
    'a missing Issuer': (alice) => byRedirect(alice, logoutRequest(one, { issuer: undefined })),
    'an unsigned form': (alice) => byForm(alice, logoutRequest(one)),
    'a form changed after its signature': (alice) =>
      byForm(alice, signedXml(logoutRequest(one), key).replace('alice@', 'mallory@')),
    'a signed request wrapped in another one': (alice) =>
      byForm(
        alice,
        `<samlp:LogoutRequest xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}" ID="_w" Version="2.0" IssueInstant="2026-01-01T00:00:00Z" Destination="${slo()}"><saml:Issuer>${one}</saml:Issuer><samlp:Extensions>${signedXml(logoutRequest(one), key)}</samlp:Extensions><saml:NameID>alice@example.com</saml:NameID></samlp:LogoutRequest>`,
      ),
    'a DOCTYPE with an external entity': (alice) =>
      byForm(alice, `<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]>${logoutRequest(one)}`),
    'a missing Destination': (alice) => byRedirect(alice, logoutRequest(one, { destination: undefined })),
    'another Destination': (alice) => byRedirect(alice, logoutRequest(one, { destination: `${slo()}/` })),
    'another Version': (alice) => byRedirect(alice, logoutRequest(one, { version: '1.1' })),
    'a missing subject': (alice) => byRedirect(alice, logoutRequest(one, { subject: '' })),
    'two subjects': (alice) =>
      byRedirect(alice, logoutRequest(one, { subject: '<saml:NameID>a</saml:NameID><saml:NameID>b</saml:NameID>' })),
    'an AuthnRequest': (alice) =>
      byRedirect(alice, authnRequest({ issuer: one, attributes: `Destination="${slo()}"` })),
    'an empty ID': (alice) => byRedirect(alice, logoutRequest(one, { id: '' })),
    'an unreadable message': (alice) => alice.get('/saml/slo?SAMLRequest=%3C'),
    'no message': (alice) => alice.get('/saml/slo'),
  };
  for (const [name, send] of Object.entries(invalidRequests)) {
    verifies(['SLO-06', 'SLO-07'], `shows a page and ends nothing for ${name}`, async () => {
      const alice = await loggedIn(idp);
      await logIn(alice, one);
      const events = await idp.audited(async () => {
        const page = await send(alice);
        expect(page.status, page.text).to.equal(400);
        expect(page.body).to.not.contain('SAMLResponse');
      });
      expect(events.map(({ event_type, status }) => [event_type, status])).to.deep.equal([['saml_logout', 'failed']]);
      expect(await sessions()).to.have.length(1);
      expect(await isLoggedIn(alice)).to.equal(true);
    });
  }

  verifies('SLO-08', 'rejects a request after its NotOnOrAfter, and accepts one far in the future', async () => {
    const alice = await loggedIn(idp);
    await logIn(alice, one);
    const late = sent(await begin(alice, one, { attributes: 'NotOnOrAfter="2026-01-01T00:05:00Z"' }));
    expect(statusOf(late.root)).to.deep.equal(['Requester', 'RequestDenied']);
    expect(await sessions()).to.have.length(1);
    const future = sent(await begin(alice, one, { attributes: 'NotOnOrAfter="2999-01-01T00:05:00Z"' }));
    expect(statusOf(future.root)).to.deep.equal(['Success']);
  });

  verifies(['SLO-09', 'SLO-10'], 'selects sessions by name and index', async () => {
    const [alice, elsewhere, bob] = [await loggedIn(idp), await loggedIn(idp), await loggedIn(idp, 'bob', 'builder')];
    const mine = await logIn(alice, one);
    const other = await logIn(elsewhere, one);
    await logIn(bob, one);
    const unknown = ['Requester', 'UnknownPrincipal'];
    for (const parts of [
      { nameId: 'nobody' },
      { nameId: mine.value, indexes: ['_other'] },
      { format: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent' },
      { qualifiers: 'NameQualifier="https://other.example"' },
      { qualifiers: 'SPNameQualifier="https://other.example"' },
    ]) {
      expect(statusOf(sent(await begin(alice, one, parts)).root), JSON.stringify(parts)).to.deep.equal(unknown);
    }
    const four = 'https://four.example';
    await configure([one, four].map((sp) => provider(sp, redirect(sp))));
    expect(statusOf(sent(await begin(alice, four)).root)).to.deep.equal(unknown);
    expect(await sessions()).to.have.length(3);
    const ours = `${idp.baseUrl}/saml`;
    const whole = { indexes: [other.index], qualifiers: `NameQualifier="${ours}" SPNameQualifier="${one}"` };
    expect(statusOf(sent(await begin(alice, one, whole)).root)).to.deep.equal(['Success']);
    expect([await isLoggedIn(alice), await isLoggedIn(elsewhere)]).to.deep.equal([true, false]);
    await loggedIn(idp).then((third) => logIn(third, one));
    expect(statusOf(sent(await begin(alice, one)).root)).to.deep.equal(['Success']);
    expect(await isLoggedIn(bob)).to.equal(true);
    expect(await sessions()).to.have.length(1);
  });

  verifies('SLO-04', 'recognizes an ended session for ten minutes, however it ended', async () => {
    const transient = '<samlp:NameIDPolicy Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient"/>';
    const unknown = ['Requester', 'UnknownPrincipal'];
    const moved = async (offset_seconds: number) => {
      expect((await idp.api('PUT', '/api/clock', { offset_seconds })).status).to.equal(200);
    };
    /** The status for each of two assertions of the session, with its SessionIndex and without. */
    const answered = async (given: readonly { value: string; index: string }[]) => {
      const seen: string[][] = [];
      for (const { value: nameId, index } of given) {
        const format = transient.match(/"(.*)"/)?.[1] ?? '';
        for (const indexes of [[index], []]) {
          seen.push([...statusOf(sent(await begin(newBrowser(idp), one, { nameId, format, indexes })).root)]);
        }
      }
      return seen;
    };
    const all = (status: string[]) => [status, status, status, status];
    const configureIdle = (users?: object) =>
      configure(undefined, {}, { session: 'on', session_idle_minutes: 60 }, users);
    await configureIdle();
    const ways: Readonly<Record<string, (browser: BrowserClient) => Promise<unknown>>> = {
      'by the API': () => idp.api('DELETE', '/api/sessions'),
      'with its user': () => configureIdle({ bob: samlUsers.bob }),
      'by itself': () => moved(3600),
      'by itself, before another login': async (browser) => {
        await moved(3600);
        await browser.submit(await browser.get('/login'), { username: 'alice', password: 'wonderland' });
      },
      'by a logout that asks nobody': async (browser) =>
        browser.submit(await browser.get('/logout'), { confirm: 'yes' }),
    };
    for (const [way, go] of Object.entries(ways)) {
      const alice = await loggedIn(idp);
      const given = [await logIn(alice, one, transient), await logIn(alice, one, transient)];
      await go(alice);
      const began = (await idp.api('GET', '/api/clock')).body.offset_seconds ?? 0;
      expect(await answered(given), way).to.deep.equal(all(['Success']));
      await moved(began + 590);
      expect(await answered(given), way).to.deep.equal(all(['Success']));
      await moved(began + 601);
      expect(await answered(given), way).to.deep.equal(all(unknown));
      await idp.api('DELETE', '/api/clock');
      await idp.api('DELETE', '/api/sessions');
      await configureIdle();
    }
  });

  verifies(
    ['SLO-04', 'SLO-14', 'SLO-16'],
    'notifies other participants in the order of their first assertion, and the initiator last',
    async () => {
      const alice = await loggedIn(idp);
      const policy = '<samlp:NameIDPolicy Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient"/>';
      const first = await logIn(alice, two, policy);
      await logIn(alice, one);
      await logIn(alice, three);
      const second = await logIn(alice, two, policy);
      const events = await idp.audited(async () => {
        const toTwo = sent(await begin(alice, one));
        expect([toTwo.parameter, toTwo.by, toTwo.address]).to.deep.equal(['SAMLRequest', 'HTTP-POST', `${two}/slo`]);
        await verifyWithXmlsec(toTwo.xml, certificate);
        expect(only(toTwo.root, namespaces.assertion, 'NameID').textContent).to.equal(second.value);
        const indexes = all(toTwo.root, namespaces.protocol, 'SessionIndex').map(({ textContent }) => textContent);
        expect(indexes).to.deep.equal([first.index, second.index]);
        const issued = Date.parse(toTwo.root.getAttribute('IssueInstant') ?? '');
        expect(Date.parse(toTwo.root.getAttribute('NotOnOrAfter') ?? '') - issued).to.equal(300_000);
        expect(await sessions()).to.deep.equal([]);

        // The server rejects a response of another provider, to another request or with a wrong key.
        expect((await answer(alice, three, idOf(toTwo))).status).to.equal(400);
        expect((await answer(alice, two, '_other')).status).to.equal(400);
        expect((await answer(alice, two, idOf(toTwo), 'Success', stranger)).status).to.equal(400);
        expect((await answer(newBrowser(idp), two, idOf(toTwo))).status).to.equal(400);
        const toThree = sent(await answer(alice, two, idOf(toTwo)));
        expect([toThree.parameter, toThree.by, toThree.address]).to.deep.equal([
          'SAMLRequest',
          'HTTP-Redirect',
          `${three}/slo`,
        ]);
        expect((await answer(alice, two, idOf(toTwo))).status).to.equal(400);
        const last = sent(await answer(alice, three, idOf(toThree)));
        expect([last.parameter, last.address, ...statusOf(last.root)]).to.deep.equal([
          'SAMLResponse',
          `${one}/answers`,
          'Success',
        ]);
      });
      const logoutEvents = events.filter(
        ({ event_type, status }) => event_type === 'saml_logout' && status === 'success',
      );
      expect(logoutEvents.map(({ details }) => details.sp ?? details.sp_issuer ?? details.participants)).to.deep.equal([
        one,
        two,
        three,
        [two, three],
      ]);
      expect(logoutEvents.at(-1)?.details).to.include({ initiator: one, failed: 0 });
      expect(logoutEvents[1]?.details).to.deep.include({ binding: 'HTTP-POST', outcome: 'told' });
    },
  );

  verifies(
    ['SLO-17', 'SLO-18', 'SLO-03'],
    'returns a partial logout if a participant fails, does not respond or has no address',
    async () => {
      await configure([provider(one, redirect(one)), provider(two, post(two)), provider(three, [])]);
      const partial = ['Success', 'PartialLogout'];
      const begun = async () => {
        const alice = await loggedIn(idp);
        for (const sp of [one, two, three]) await logIn(alice, sp);
        return { alice, toTwo: sent(await begin(alice, one)) };
      };
      const confirmed = await begun();
      expect(statusOf(sent(await answer(confirmed.alice, two, idOf(confirmed.toTwo))).root)).to.deep.equal(partial);
      await configure([provider(one, redirect(one)), provider(two, post(two))]);
      const denied = await begun();
      expect(statusOf(sent(await answer(denied.alice, two, idOf(denied.toTwo), 'Responder')).root)).to.deep.equal(
        partial,
      );
      const silent = await begun();
      expect(statusOf(sent(await silent.alice.get('/saml/slo')).root)).to.deep.equal(partial);
      expect((await silent.alice.get('/saml/slo')).status).to.equal(400);
      const left = await begun();
      await idp.api('PUT', '/api/clock', { offset_seconds: 601 });
      try {
        expect((await left.alice.get('/saml/slo')).status).to.equal(400);
      } finally {
        await idp.api('DELETE', '/api/clock');
      }
    },
  );

  verifies('SRE-09', 'names the cause in every LogoutResponse that reports no plain success', async () => {
    const message = ({ root }: Sent) =>
      all(root, namespaces.protocol, 'StatusMessage').map(({ textContent }) => textContent);
    await configure([provider(one, redirect(one)), provider(two, [])]);
    const alice = await loggedIn(idp);
    for (const sp of [one, two]) await logIn(alice, sp);
    const expired = sent(await begin(alice, one, { attributes: 'NotOnOrAfter="2020-01-01T00:00:00Z"' }));
    expect(message(expired)).to.deep.equal(['The LogoutRequest has expired (NotOnOrAfter).']);
    const unknown = sent(await begin(alice, one, { nameId: 'nobody' }));
    expect(message(unknown)).to.deep.equal(['No session matches the NameID and SessionIndex of the request.']);
    const partial = sent(await begin(alice, one));
    expect(message(partial)).to.deep.equal([
      'The session has ended, but not every other application confirmed the logout.',
    ]);
    await configure([provider(one, redirect(one))]);
    const again = await loggedIn(idp);
    await logIn(again, one);
    expect(message(sent(await begin(again, one)))).to.deep.equal([]);
  });

  verifies(
    ['SLO-15', 'SLO-24'],
    'notifies a provider with SOAP only directly, as the flow of the session shows',
    async () => {
      const host = await soapHost();
      try {
        await configure([provider(one, redirect(one)), provider(two, [host.soapOf(two)])]);
        const alice = await loggedIn(idp);
        for (const sp of [one, two]) await logIn(alice, sp);
        const last = sent(await begin(alice, one));
        expect([last.parameter, ...statusOf(last.root)]).to.deep.equal(['SAMLResponse', 'Success']);
        expect(host.requests).to.have.length(1);
        expect(host.requests[0]?.body).to.contain('alice@example.com');
        expect(host.requests[0]?.soapAction).to.contain('security');
        const { exchanges } = (await idp.api('GET', '/api/exchanges?endpoint=saml_logout')).body;
        const asked = exchanges.at(-1);
        expect(asked).to.include({ method: 'POST', status: 200, decision: 'accepted' });
        const [request, answered] = asked.decoded.map(({ saml }: { saml: { message: string } }) => saml.message);
        expect([request, answered]).to.deep.equal(['LogoutRequest', 'LogoutResponse']);
        const flow = (await idp.api('GET', `/api/flows/${asked.flow}`)).body;
        const steps = flow.exchanges.map(({ endpoint }: { endpoint: string }) => endpoint);
        expect(steps).to.deep.equal(['login', 'saml_slo', 'saml_logout']);
      } finally {
        await host.close();
      }
      const again = await loggedIn(idp);
      for (const sp of [one, two]) await logIn(again, sp);
      expect(statusOf(sent(await begin(again, one)).root)).to.deep.equal(['Success', 'PartialLogout']);
    },
  );

  verifies(
    'SLO-20',
    'notifies only SOAP providers without a browser, and reports that the others need one',
    async () => {
      const host = await soapHost();
      const both = [...redirect(three), host.soapOf(three)];
      const quiet = 'https://quiet.example';
      try {
        await configure([
          provider(one, redirect(one)),
          provider(two, [host.soapOf(two)]),
          provider(three, both),
          provider(quiet, []),
        ]);
        const begun = async () => {
          const alice = await loggedIn(idp);
          for (const sp of [one, two, three, quiet]) await logIn(alice, sp);
          return (await sessions())[0]?.sid ?? '';
        };
        const sid = await begun();
        const events = await idp.audited(async () => {
          const { status, body } = await idp.api('DELETE', `/api/sessions/${sid}`);
          expect(status).to.equal(200);
          const notification = { channel: 'soap', delivered: true, http_status: 200, reason: null };
          expect(body.notified).to.have.deep.members([
            {
              ...{ entity_id: one, channel: 'frontchannel', delivered: false },
              ...{ http_status: null, reason: 'needs_a_browser' },
            },
            { entity_id: two, ...notification },
            { entity_id: three, ...notification },
          ]);
        });
        const asked = host.requests.map(({ body }) => only(rootOf(body), namespaces.protocol, 'LogoutRequest'));
        expect(asked).to.have.length(2);
        for (const request of asked) {
          expect(only(request, namespaces.assertion, 'Issuer').textContent).to.equal(`${idp.baseUrl}/saml`);
          expect(only(request, namespaces.assertion, 'NameID').textContent).to.equal('alice@example.com');
          expect(all(request, namespaces.protocol, 'SessionIndex')).to.have.length(1);
          expect(all(request, namespaces.signature, 'Signature')).to.have.length(1);
        }
        const noted = events.filter(({ event_type }) => event_type === 'saml_logout');
        expect(
          noted.map(({ status, details }) => [status, details.sp, details.binding, details.outcome]),
        ).to.have.deep.members([
          ['success', two, 'SOAP', 'told'],
          ['success', three, 'SOAP', 'told'],
        ]);

        host.status = 'Responder';
        await begun();
        const { notified } = (await idp.api('DELETE', '/api/sessions')).body;
        expect(notified.map(({ delivered, reason }: Record<string, unknown>) => [delivered, reason])).to.deep.include([
          false,
          'it returned that the logout failed',
        ]);

        // The user was deleted. The next check of the session notifies the provider.
        host.status = 'Success';
        await begun();
        const before = host.requests.length;
        await idp.configure({
          settings: {
            login: { session: 'on' },
            saml: { single_logout: true, service_providers: [provider(two, [host.soapOf(two)])] },
          },
          users: Object.fromEntries(Object.entries(samlUsers).filter(([name]) => name !== 'alice')),
        });
        await until('the service provider was notified', async () => host.requests.length > before || undefined);
      } finally {
        await host.close();
      }
    },
  );

  verifies(
    ['SLO-15', 'SLO-16'],
    'accepts a SOAP response only if its participant signed it for this request',
    async () => {
      const host = await soapHost();
      const notItsOwn = 'its LogoutResponse cannot be read, or its signature is invalid';
      const somethingElse = 'its LogoutResponse belongs to another request';
      const changed = (xml: string) => xml.replace('status:Success', 'status:Succeeded');
      const answers: [(sp: string, id: string) => string, string][] = [
        [(sp, id) => logoutResponse(sp, id, 'Success'), notItsOwn],
        [(sp, id) => signedXml(logoutResponse(sp, id, 'Success'), stranger), notItsOwn],
        [(sp, id) => changed(signedXml(logoutResponse(sp, id, 'Success'), key)), notItsOwn],
        [(sp) => signedXml(logoutResponse(sp, '_another', 'Success'), key), somethingElse],
        [(_sp, id) => signedXml(logoutResponse(three, id, 'Success'), key), somethingElse],
        [() => '<nothing/>', 'it did not return a LogoutResponse'],
      ];
      try {
        await configure([provider(two, [host.soapOf(two)])]);
        for (const [answerOf, reason] of answers) {
          host.answerOf = answerOf;
          await logIn(await loggedIn(idp), two);
          const { notified } = (await idp.api('DELETE', '/api/sessions')).body;
          expect(notified).to.deep.equal([
            { entity_id: two, channel: 'soap', delivered: false, http_status: 200, reason },
          ]);
        }
      } finally {
        await host.close();
      }
    },
  );

  verifies(['SLO-15', 'SLO-17'], 'accepts a SOAP response whose namespaces are declared on its Envelope', async () => {
    const host = await soapHost();
    const declarations = ` xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}"`;
    const oneEnvelope = host.envelopeOf;
    host.envelopeOf = (answer) => {
      expect(answer).to.contain(`<samlp:LogoutResponse${declarations}`);
      // In exclusive canonical form, the signature is the same wherever they are declared.
      return oneEnvelope(answer.replace(declarations, '')).replace('<s:Envelope', `<s:Envelope${declarations}`);
    };
    try {
      await configure([provider(two, [host.soapOf(two)])]);
      await logIn(await loggedIn(idp), two);
      const { notified } = (await idp.api('DELETE', '/api/sessions')).body;
      const notification = { entity_id: two, channel: 'soap', delivered: true, http_status: 200, reason: null };
      expect(notified).to.deep.equal([notification]);
    } finally {
      await host.close();
    }
  });

  verifies('SLO-23', 'ends the session once for repeated and simultaneous requests, and answers each', async () => {
    const alice = await loggedIn(idp);
    await logIn(alice, one);
    const third = await logIn(alice, three);
    const events = await idp.audited(async () => {
      const pages = await Promise.all([begin(alice, one), begin(alice, one), begin(alice, three)]);
      for (const page of pages) expect(page.status).to.be.below(400);
      const repeated = sent(await begin(alice, three, { nameId: third.value, indexes: [third.index] }));
      expect(repeated.parameter).to.equal('SAMLResponse');
      expect(statusOf(repeated.root)).to.deep.equal(['Success']);
    });
    expect(events.filter(({ event_type }) => event_type === 'session_ended')).to.have.length(1);
  });

  verifies('SLO-22', 'decrypts an EncryptedID, and treats an undecryptable one as an unknown user', async () => {
    await configure(undefined, { encryption_key: true });
    const alice = await loggedIn(idp);
    await logIn(alice, one);
    const metadata = rootOf(await (await fetch(`${idp.baseUrl}/saml/metadata`)).text());
    const descriptor = all(metadata, md, 'KeyDescriptor').find((each) => each.getAttribute('use') === 'encryption');
    const base64 = descriptor && only(descriptor, namespaces.signature, 'X509Certificate').textContent;
    const ours = new X509Certificate(Buffer.from(base64 ?? '', 'base64')).toString();
    const scope = new Map([['saml2', namespaces.assertion]]);
    const methods = {
      content: 'aes256-gcm',
      key: 'rsa-oaep',
      digest: 'sha256',
      mgf: 'sha1',
      key_place: 'inside',
    } as const;
    const subject = (certificatePem: string) => {
      const name = saml2('NameID', {}, ['alice@example.com']);
      const data = encryptedData(name, scope, { certificatePem, methods, recipient: '' }, systemRandomness);
      return writeDocument(declaring(saml2('EncryptedID', {}, data), [...scope]));
    };
    const strange = sent(await begin(alice, one, { subject: subject(key.certificatePem) }));
    expect(statusOf(strange.root)).to.deep.equal(['Requester', 'UnknownPrincipal']);
    expect(await sessions()).to.have.length(1);
    const good = sent(await begin(alice, one, { subject: subject(ours) }));
    expect(statusOf(good.root)).to.deep.equal(['Success']);
    expect(await sessions()).to.deep.equal([]);

    const bob = await loggedIn(idp);
    await logIn(bob, one);
    const inContext = sent(await begin(bob, one, { subject: encryptedInContext('alice@example.com', ours) }));
    expect(statusOf(inContext.root)).to.deep.equal(['Success']);
    expect(await sessions()).to.deep.equal([]);
  });

  verifies(
    'SLO-21',
    "also starts at /logout, notifies each provider and ends on a page or at the client's address",
    async () => {
      const alice = await loggedIn(idp);
      for (const sp of [two, three]) await logIn(alice, sp);
      const question = await alice.get('/logout');
      expect(question.text).to.contain('Log out?');
      expect(await sessions()).to.have.length(1);
      const begun = await alice.submit(question, { confirm: 'yes' });
      expect(new URL(begun.location ?? '', idp.baseUrl).pathname).to.equal('/saml/slo');
      expect(await sessions()).to.deep.equal([]);
      const toTwo = sent(await alice.get('/saml/slo'));
      expect(toTwo.address).to.equal(`${two}/slo`);
      const toThree = sent(await answer(alice, two, idOf(toTwo)));
      const page = await answer(alice, three, idOf(toThree), 'Responder');
      expect(page.status).to.equal(200);
      expect(page.text.replaceAll(' :', ':')).to.contain(`${two}: logged out`).and.contain(`${three}: did not confirm`);

      const [unlisted, again] = ['http://127.0.0.1:9/other', await loggedIn(idp)];
      await logIn(again, two);
      const wanted = new URLSearchParams({ client_id: 'app', post_logout_redirect_uri: unlisted });
      await again.submit(await again.get(`/logout?${wanted}`), { confirm: 'yes' });
      const last = await answer(again, two, idOf(sent(await again.get('/saml/slo'))));
      expect(last.text).to.contain('No redirect to').and.contain(unlisted);
    },
  );

  verifies(
    ['SLO-19', 'SLO-21', 'LGO-24'],
    'notifies clients of the session too, and an OpenID Connect logout notifies the providers',
    async () => {
      const [goodbye, callback] = ['http://127.0.0.1:9/bye', 'http://127.0.0.1:9/callback'];
      const tokens: string[] = [];
      const receiver = createServer((request, response) => {
        request.on('data', (part) => tokens.push(String(part))).on('end', () => response.end());
      });
      await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
      const logoutAddress = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/told`;
      const client = { client_id: 'app', client_secret: 's', redirect_uris: [callback] };
      const addresses = {
        post_logout_redirect_uris: [goodbye],
        frontchannel_logout_uri: 'http://front.example/out',
        backchannel_logout_uri: logoutAddress,
      };
      const withClient = async () => {
        const browser = await loggedIn(idp);
        for (const sp of [one, two]) await logIn(browser, sp);
        const path = authorizePath({ client_id: 'app', redirect_uri: callback, scope: 'openid' });
        const grant = {
          grant_type: 'authorization_code',
          code: codeOf(await browser.get(path)),
          redirect_uri: callback,
        };
        const answered = await postForm(`${idp.baseUrl}/token`, grant, { Authorization: basic('app', 's') });
        const { id_token } = (await answered.json()) as { id_token: string };
        return { browser, id_token };
      };
      const frames = ({ body }: Page) => [...body.matchAll(/<iframe src="([^"]*)"/g)].map(([, src]) => src);
      const wayOn = ({ body }: Page) => /<a [^>]*href="([^"]*)"[^>]*data-go-on/.exec(body)?.[1] ?? '';
      try {
        await idp.api('POST', '/api/runtime/clients', { ...client, ...addresses });
        // A service provider starts: the back channel at once, then a page with frames, then the other providers, then the
        // response.
        const first = await withClient();
        const framed = await begin(first.browser, one, { id: '_begun' });
        expect(tokens).to.have.length(1);
        expect(frames(framed)).to.deep.equal(['http://front.example/out']);
        expect(framed.headers.get('content-security-policy')).to.contain('frame-src http://front.example');
        const toTwo = sent(await first.browser.get(wayOn(framed)));
        expect(toTwo.address).to.equal(`${two}/slo`);
        const response = sent(await answer(first.browser, two, idOf(toTwo)));
        expect([response.address, statusOf(response.root)]).to.deep.equal([`${one}/answers`, ['Success']]);
        expect(response.root.getAttribute('InResponseTo')).to.equal('_begun');

        // A client starts: its own redirect comes last.
        const second = await withClient();
        const query = { id_token_hint: second.id_token, post_logout_redirect_uri: goodbye, state: 's' };
        const begun = await second.browser.get(`/logout?${new URLSearchParams(query)}`);
        expect(tokens).to.have.length(2);
        expect(frames(begun)).to.deep.equal(['http://front.example/out']);
        const toOne = sent(await second.browser.get(wayOn(begun)));
        expect(toOne.address).to.equal(`${one}/slo`);
        const next = sent(await answer(second.browser, one, idOf(toOne)));
        expect(next.address).to.equal(`${two}/slo`);
        expect((await answer(second.browser, two, idOf(next))).location).to.equal(`${goodbye}?state=s`);
        expect(await sessions()).to.deep.equal([]);

        // No application waits for a response, so the last page names all of them.
        await configure([provider(one, redirect(one), { title: 'The first' }), provider(two, redirect(two))]);
        const third = await withClient();
        const question = await third.browser.submit(await third.browser.get('/logout'), { confirm: 'yes' });
        const asked = sent(await third.browser.get(wayOn(question)));
        const last = sent(await answer(third.browser, one, idOf(asked)));
        const { text } = await answer(third.browser, two, idOf(last), 'Responder');
        expect(text.replaceAll(' :', ':'))
          .to.contain('The first: logged out')
          .and.contain(`${two}: did not confirm the logout`)
          .and.contain('app: logged out');
      } finally {
        await idp.api('DELETE', '/api/runtime');
        receiver.close();
      }
    },
  );

  verifies(
    ['FLS-04', 'FLS-05', 'FLS-06'],
    'applies a fault to one LogoutRequest, and signs the faulty form',
    async () => {
      const parts = ({ root }: Sent) => ({
        indexes: all(root, namespaces.protocol, 'SessionIndex').length,
        nameId: only(root, namespaces.assertion, 'NameID').textContent,
        lives: Date.parse(root.getAttribute('NotOnOrAfter') ?? '') > Date.now(),
      });
      const right = { indexes: 1, nameId: 'alice@example.com', lives: true };
      const cases = [
        ['saml_logout_session_index_missing', {}, { ...right, indexes: 0 }],
        ['saml_logout_foreign_name_id', {}, { ...right, nameId: 'admin@example.org' }],
        ['saml_logout_foreign_name_id', { name_id: 'bob@example.com' }, { ...right, nameId: 'bob@example.com' }],
        ['saml_logout_expired', {}, { ...right, lives: false }],
      ] as const;
      for (const [fault, parameters, expected] of cases) {
        const { status } = await idp.api('POST', '/api/faults', { fault, parameters });
        expect(status).to.equal(201);
        const alice = await loggedIn(idp);
        for (const sp of [one, two, three]) await logIn(alice, sp);
        const wrong = await begin(alice, one);
        expect(wrong.headers.get('x-test-idp-fault'), fault).to.equal(fault);
        const message = sent(wrong);
        expect([message.address, parts(message)]).to.deep.equal([`${two}/slo`, expected]);
        await verifyWithXmlsec(message.xml, certificate);
        // The fault fires once, so the next request is correct.
        const next = await answer(alice, two, idOf(message));
        expect([next.headers.get('x-test-idp-fault'), parts(sent(next))]).to.deep.equal([null, right]);
        await idp.api('DELETE', '/api/faults');
      }
      // A name that the service provider already received does not count as foreign.
      const parameters = { name_id: right.nameId };
      const { body } = await idp.api('POST', '/api/faults', { fault: 'saml_logout_foreign_name_id', parameters });
      const alice = await loggedIn(idp);
      for (const sp of [one, two, three]) await logIn(alice, sp);
      expect((await begin(alice, one)).headers.get('x-test-idp-fault')).to.equal(null);
      expect((await idp.api('GET', `/api/faults/${body.id}`)).body.hits).to.equal(0);
      await idp.api('DELETE', '/api/faults');
      const elsewhere = await idp.api('POST', '/api/faults', { fault: 'saml_logout_expired', at: 'saml_sso' });
      expect([elsewhere.status, elsewhere.body.kind]).to.deep.equal([400, 'invalid']);
      const { faults, count, further } = (await idp.api('GET', '/api/faults/catalogue')).body;
      expect([faults.length, count, further.map(({ name }: { name: string }) => name)]).to.deep.equal([
        203,
        203,
        [
          ...['saml_encryption_wrong_key', 'saml_encryption_wrong_algorithm', 'saml_encryption_tampered'],
          ...['saml_logout_session_index_missing', 'saml_logout_foreign_name_id', 'saml_logout_expired'],
          ...['logout_token_nonce', 'logout_token_events_missing', 'logout_token_alg_none'],
          ...['logout_token_audience_wrong', 'logout_token_issuer_wrong'],
          ...['pushed_request_refused', 'pushed_request_unavailable', 'pushed_request_uri_missing'],
          ...['pushed_request_over', 'pushed_request_status_200'],
        ],
      ]);
    },
  );
});
