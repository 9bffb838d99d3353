// Registered service providers at /saml/sso and /saml/attribute-query: their addresses, their keys and the content of their
// responses.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { BrowserClient, Page } from '#test/support/browser-client.ts';
import { attributeQuery, enveloped } from '#test/support/saml/attribute-query.ts';
import {
  all,
  attributesIn,
  authnRequest,
  delivered,
  encodePost,
  nameIdIn,
  nameIdPolicy,
  namespaces,
  only,
  type RequestParts,
  redirectQuery,
  rootOf,
  signedQuery,
  signedXml,
  statusOf,
} from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { spMetadata } from '#test/support/saml/sp-metadata.ts';
import { verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { startXmlHost } from '#test/support/saml/xml-host.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers } from '#test/support/worlds.ts';

const registered = 'https://registered.example';
const acs = `${registered}/acs`;

describe('/saml/sso: registered service providers', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  let sp: SigningKey;
  let stranger: SigningKey;
  before(async () => {
    [sp, stranger] = [await signingKey('sp'), await signingKey('stranger')];
    idp = await startIdp({ world: saml });
    writeFileSync(join(idp.configDirectory, 'stranger.pem'), stranger.certificatePem);
    alice = await loggedIn(idp);
  });
  after(() => idp.stop());

  const configure = (entry: object, further: object = {}, users: object = samlUsers) =>
    idp.configure({
      settings: { saml: { service_providers: [{ entity_id: registered, acs, ...entry }], ...further } },
      users,
    });
  const ask = (parts: RequestParts = {}, browser = alice) =>
    browser.get(`/saml/sso?${redirectQuery(authnRequest({ issuer: registered, acs: undefined, ...parts }))}`);
  const answered = async (page: Promise<Page>) => {
    const { root, status, acs: address, xml } = delivered(await page);
    return { root, status: status.join('/'), address, xml };
  };
  const refused = async (action: () => Promise<Page>) => {
    const events = await idp.audited(async () => {
      const page = await action();
      expect(page.status, page.text).to.equal(400);
      expect(page.body).to.not.contain('SAMLResponse');
    });
    return events.map(({ event_type, status, details }) => [event_type, status, details.refusal]);
  };
  const attributesOf = async (parts: RequestParts = {}) => attributesIn((await answered(ask(parts))).root);

  verifies('SPM-08', 'accepts an unregistered issuer, or rejects it with a page', async () => {
    await configure({});
    expect(
      (await answered(ask({ issuer: 'https://other.example', acs: 'https://other.example/acs' }))).status,
    ).to.equal('Success');
    await configure({}, { unregistered: 'refuse' });
    expect((await answered(ask())).status).to.equal('Success');
    for (const issuer of ['https://other.example', undefined, `${registered}/`]) {
      expect(await refused(() => ask({ issuer, acs: 'https://other.example/acs' }))).to.deep.equal([
        ['saml_request', 'failed', 'service_provider_not_registered'],
      ]);
    }
    const query = await fetch(`${idp.baseUrl}/saml/attribute-query`, {
      method: 'POST',
      headers: { 'Content-Type': 'text/xml' },
      body: enveloped(attributeQuery()),
    });
    expect(query.status).to.equal(400);
  });

  verifies('SPM-09', 'selects one of the registered addresses by URL, by index or by default', async () => {
    const second = `${registered}/second`;
    await configure({
      acs: [
        { url: acs, index: 3 },
        { url: second, index: 9, default: true },
      ],
    });
    const address = async (attributes: string, url?: string) => (await answered(ask({ attributes, acs: url }))).address;
    expect(await address('')).to.equal(second);
    expect(await address('', acs)).to.equal(acs);
    expect(await address('AssertionConsumerServiceIndex="3"')).to.equal(acs);
    expect(await address('AssertionConsumerServiceIndex="9"')).to.equal(second);
    // The index is a number (xs:unsignedShort).
    expect(await address('AssertionConsumerServiceIndex=" 009 "')).to.equal(second);
    const refusals = [
      [{ acs: `${acs}/` }, 'acs_not_registered'],
      [{ acs: acs.toUpperCase() }, 'acs_not_registered'],
      ...['4', '3.0', '-3', '65539', '0x3'].map(
        (index) => [{ attributes: `AssertionConsumerServiceIndex="${index}"` }, 'acs_index_unknown'] as const,
      ),
      [{ acs, attributes: 'AssertionConsumerServiceIndex="3"' }, 'acs_by_url_and_index'],
    ] as const;
    for (const [parts, code] of refusals) {
      expect(await refused(() => ask(parts)), code).to.deep.equal([['saml_request', 'failed', code]]);
    }
    await configure({ acs: [{ url: acs }, { url: second }] });
    expect(await address('')).to.equal(acs);
    // Without a default, the first address that is not marked as non-default applies (SAML metadata §2.2.3).
    await configure({ acs: [{ url: acs, index: 1, default: false }, { url: second }] });
    expect(await address('')).to.equal(second);
    await configure({ acs: [acs, second].map((url, index) => ({ url, index, default: false })) });
    expect(await address('')).to.equal(acs);
    await configure({ acs: [] }, { default_acs_url: 'https://default.example/acs' });
    expect(await refused(() => ask())).to.deep.equal([['saml_request', 'failed', 'acs_not_declared']]);
    await configure({
      acs: [
        { url: acs, index: 1, binding: 'HTTP-Artifact' },
        { url: second, index: 2 },
      ],
    });
    expect(await address('')).to.equal(second);
    expect(await refused(() => ask({ attributes: 'AssertionConsumerServiceIndex="1"' }))).to.have.length(1);
  });

  verifies('SPM-10', 'verifies signed requests only with the certificates of their own provider', async () => {
    const signedBy = (key: SigningKey, issuer = registered) =>
      alice.get(`/saml/sso?${signedQuery(authnRequest({ issuer, acs: undefined }), key)}`);
    const postedBy = (key: SigningKey) =>
      alice.post('/saml/sso', {
        SAMLRequest: encodePost(signedXml(authnRequest({ issuer: registered, acs: undefined }), key)),
      });
    const other = { entity_id: 'https://other.example', acs, certificates: [stranger.certificatePem] };
    for (const [entry, further] of [
      [{ want_signed_requests: true }, {}],
      [{}, { want_authn_requests_signed: true }],
    ] as const) {
      await idp.configure({
        settings: {
          saml: {
            service_providers: [{ entity_id: registered, acs, certificates: [sp.certificatePem], ...entry }, other],
            sp_certificates: ['stranger.pem'],
            ...further,
          },
        },
      });
      expect((await answered(signedBy(sp))).status).to.equal('Success');
      expect((await answered(postedBy(sp))).status).to.equal('Success');
      for (const action of [() => ask(), () => signedBy(stranger), () => postedBy(stranger)]) {
        expect((await refused(action)).map(([, status]) => status)).to.deep.equal(['failed']);
      }
    }
    // Signed by one provider, sent in the name of the other.
    expect(await refused(() => signedBy(sp, 'https://other.example'))).to.have.length(1);
    await configure({ certificates: [sp.certificatePem] });
    expect((await answered(signedBy(stranger))).status).to.equal('Success');
  });

  verifies('SPM-11', 'signs Assertion, Response, both or nothing, and xmlsec1 verifies each in place', async () => {
    const certificate = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
    const parents = (xml: string) =>
      all(rootOf(xml), namespaces.signature, 'Signature').map((each) => each.parentNode?.nodeName);
    const cases = [
      ['assertion', ['saml2:Assertion']],
      ['response', ['saml2p:Response']],
      ['both', ['saml2p:Response', 'saml2:Assertion']],
      ['none', []],
      [undefined, ['saml2p:Response', 'saml2:Assertion']],
    ] as const;
    for (const c14n_algorithm of ['exc_c14n', 'c14n']) {
      for (const [sign, signed] of cases) {
        await configure(sign === undefined ? {} : { sign }, { c14n_algorithm });
        const { xml } = await answered(ask());
        expect(parents(xml), sign).to.deep.equal([...signed]);
        for (const [index] of signed.entries()) await verifyWithXmlsec(xml, certificate, index + 1);
        const failed = await answered(ask({ attributes: 'IsPassive="true" ForceAuthn="true"' }));
        expect(parents(failed.xml)).to.deep.equal(sign === 'none' ? [] : ['saml2p:Response']);
      }
    }
    await configure({ sign: 'both' }, { sign_responses: false });
    expect(parents((await answered(ask())).xml)).to.deep.equal([]);
  });

  verifies('SPM-12', 'uses format and value of the NameID from the entry if the request leaves them open', async () => {
    const nameId = async (format?: string) =>
      nameIdIn((await answered(ask({ children: format === undefined ? '' : nameIdPolicy(format) }))).root);
    const unspecified = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
    const email = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
    await configure({ name_id_format: 'persistent' });
    for (const format of [undefined, unspecified]) {
      expect((await nameId(format)).attributes.Format).to.match(/persistent$/);
    }
    expect((await nameId(email)).attributes.Format).to.equal(email);
    await configure({ name_id_from: 'username' });
    expect((await nameId()).value).to.equal('alice');
    expect((await nameId(email)).value).to.equal('alice');
    await configure({ name_id_from: 'attributes.department', name_id_format: 'emailAddress' });
    expect(await nameId()).to.deep.equal({ value: 'Sales, EMEA', attributes: { Format: email } });
    for (const name_id_from of ['roles', 'attributes.none', 'attributes.missing']) {
      await configure({ name_id_from });
      const { status, root } = await answered(ask());
      expect(status).to.equal('Requester/InvalidNameIDPolicy');
      expect(all(root, namespaces.assertion, 'Assertion')).to.have.length(0);
      // Another format does not use that source.
      expect((await nameId('urn:oasis:names:tc:SAML:2.0:nameid-format:persistent')).value).to.match(/^_/);
    }
  });

  verifies(['SPM-12', 'SAM-63'], 'resolves a name from a configured source back to its user', async () => {
    const twin = { password: 'x', attributes: { staff: 'S2' } };
    const users = {
      ...samlUsers,
      alice: { ...samlUsers.alice, attributes: { staff: 'bob' } },
      ...{ twin1: twin, twin2: twin },
    };
    const entry = { entity_id: registered, acs, name_id_from: 'attributes.staff' };
    await idp.configure({ settings: { saml: { service_providers: [entry] } }, users });
    const runtime = { username: 'runa', password: 'x', email: 'runa@example.com', attributes: { staff: 'S7' } };
    expect((await idp.api('POST', '/api/runtime/users', runtime)).status).to.equal(201);
    /** The email address in the response, or its error status. */
    const queried = async (name: string, issuer = registered) => {
      const query = await fetch(`${idp.baseUrl}/saml/attribute-query`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/xml' },
        body: enveloped(attributeQuery({ issuer, nameId: `<a:NameID>${name}</a:NameID>` })),
      });
      const root = only(rootOf(await query.text()), namespaces.protocol, 'Response');
      const [, email] = attributesIn(root).find(([name]) => name === 'email') ?? [];
      return email?.[0] ?? statusOf(root)[1];
    };
    const { email: emailOfAlice } = samlUsers.alice;
    // This provider received "bob" as the NameID of alice, so "bob" means alice for it.
    expect(nameIdIn((await answered(ask())).root).value).to.equal('bob');
    expect(await queried('bob')).to.equal(emailOfAlice);
    expect(await queried('bob', 'https://other.example')).to.not.equal(emailOfAlice);
    expect(await queried('S7')).to.equal('runa@example.com');
    expect(await queried('alice')).to.equal(emailOfAlice);
    for (const nobody of ['S2', 'S9']) expect(await queried(nobody), nobody).to.equal('UnknownPrincipal');
    // The Subject of a request is resolved in the same way.
    const children = '<saml:Subject><saml:NameID>bob</saml:NameID></saml:Subject>';
    expect((await answered(ask({ children }))).status).to.equal('Success');
    await idp.api('DELETE', '/api/runtime');
  });

  verifies(['SPM-14', 'SPM-15'], 'names and formats attributes according to the entry', async () => {
    await configure({
      attributes: [
        { name: 'urn:oid:0.9.2342.19200300.100.1.3', name_format: 'uri', friendly_name: 'mail', from: 'email' },
        { name: 'roles', name_format: 'basic', from: 'roles' },
        { name: 'all', name_format: 'unspecified', from: 'roles', as: 'text' },
        { name: 'own', name_format: 'https://formats.example/own', from: 'attributes.list' },
        { name: 'fixed', values: ['b', 'a', 'b'] },
        { name: 'nothing', from: 'attributes.none' },
        { name: 'emptied', from: 'attributes.none', as: 'always' },
        { name: 'given', from: 'username', as: 'always' },
      ],
    });
    const { root } = await answered(ask());
    expect(
      all(root, namespaces.assertion, 'Attribute').map((attribute) => [
        attribute.getAttribute('Name'),
        attribute.getAttribute('NameFormat'),
        attribute.getAttribute('FriendlyName'),
        all(attribute, namespaces.assertion, 'AttributeValue').map((value) => value.textContent),
      ]),
    ).to.deep.equal([
      [
        'urn:oid:0.9.2342.19200300.100.1.3',
        'urn:oasis:names:tc:SAML:2.0:attrname-format:uri',
        'mail',
        ['alice@example.com'],
      ],
      ['roles', 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic', null, ['USER', 'ADMIN']],
      ['all', 'urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified', null, ['USER ADMIN']],
      ['own', 'https://formats.example/own', null, ['x', '2']],
      ['fixed', null, null, ['b', 'a']],
      ['emptied', null, null, ['']],
      ['given', null, null, ['alice']],
    ]);
  });

  verifies(['SPM-13', 'PCL-30'], 'replaces the usual attributes by its own, in SSO and attribute query', async () => {
    const alice = {
      ...samlUsers.alice,
      claims: { given_name: 'Alice', cost_centres: ['1', '2'] },
    };
    const sources = [
      ...['username', 'email', 'tenant', 'identity_class', 'entitlements', 'source_acl', 'roles', 'groups'],
      ...['claims.given_name', 'claims.cost_centres', 'attributes.department'],
    ];
    const attributes = sources.map((from) => ({ name: from, from }));
    await configure({ attributes: [...attributes, { name: 'fixed', values: ['x'] }] }, {}, { ...samlUsers, alice });
    const expected = [
      ['username', ['alice']],
      ['email', ['alice@example.com']],
      ['tenant', ['secret-tenant']],
      ['identity_class', ['INTERNAL']],
      ['entitlements', ['E1', 'E,2']],
      ['source_acl', ['ACL1']],
      ['roles', ['USER', 'ADMIN']],
      ['groups', ['staff', 'ADMIN']],
      ['claims.given_name', ['Alice']],
      ['claims.cost_centres', ['1', '2']],
      ['attributes.department', ['Sales, EMEA']],
      ['fixed', ['x']],
    ];
    expect(await attributesOf()).to.deep.equal(expected);
    const ask = async (issuer: string) => {
      const answer = await fetch(`${idp.baseUrl}/saml/attribute-query`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/xml' },
        body: enveloped(attributeQuery({ issuer })),
      });
      return attributesIn(rootOf(await answer.text()));
    };
    expect(await ask(registered)).to.deep.equal(expected);
    expect((await ask('https://other.example')).map(([name]) => name))
      .to.include('source_acl')
      .and.not.include('fixed');
    const settings = {
      saml: { service_providers: [{ entity_id: 'a', attributes: [{ name: 'x', from: 'password' }] }] },
    };
    const refusal = await idp.configure({ settings }).then(
      () => 'accepted',
      (error: unknown) => String(error),
    );
    expect(refusal).to.contain('saml.service_providers[0].attributes[0].from');
  });

  verifies('SPM-17', 'returns the selection of an AttributeConsumingServiceIndex', async () => {
    const attributes = ['a', 'b', 'c'].map((name) => ({ name, values: [name] }));
    const names = async (parts: RequestParts = {}) => (await attributesOf(parts)).map(([name]) => name);
    const index = (value: number) => ({ attributes: `AttributeConsumingServiceIndex="${value}"` });
    const services = [
      { index: 1, attributes: ['a', 'missing'] },
      { index: 2, attributes: ['c', 'b'] },
    ];
    await configure({ attributes, attribute_services: services });
    expect(await names()).to.deep.equal(['a', 'b', 'c']);
    expect(await names(index(1))).to.deep.equal(['a']);
    expect(await names(index(2))).to.deep.equal(['b', 'c']);
    expect(await names({ attributes: 'AttributeConsumingServiceIndex="02"' })).to.deep.equal(['b', 'c']);
    const { status, root } = await answered(ask(index(3)));
    expect(status).to.equal('Requester/RequestUnsupported');
    expect(all(root, namespaces.assertion, 'Assertion')).to.have.length(0);
    await configure({
      attributes,
      attribute_services: services.map((each) => ({ ...each, default: each.index === 1 })),
    });
    expect(await names()).to.deep.equal(['a']);
  });

  verifies('SPM-22', 'ignores Scoping, Conditions and Extensions, and rejects the artifact binding', async () => {
    await configure({});
    const children =
      '<samlp:Extensions><x xmlns="urn:x"/></samlp:Extensions>' +
      '<saml:Conditions NotBefore="2001-01-01T00:00:00Z" NotOnOrAfter="2001-01-02T00:00:00Z"/>' +
      '<samlp:Scoping ProxyCount="0"><samlp:IDPList><samlp:IDPEntry ProviderID="urn:elsewhere"/></samlp:IDPList></samlp:Scoping>';
    expect((await answered(ask({ children }))).status).to.equal('Success');
    const artifact = 'ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Artifact"';
    expect((await answered(ask({ attributes: artifact }))).status).to.equal('Requester/UnsupportedBinding');
  });

  verifies('SPM-04', 'applies a changed metadata file on the next reload', async () => {
    const write = (path: string) =>
      writeFileSync(
        join(idp.configDirectory, 'sp.xml'),
        spMetadata({ entityId: registered }).replace('https://sp.example/acs', `${registered}${path}`),
      );
    write('/one');
    const settings = { saml: { service_providers: [{ metadata_file: 'sp.xml' }] } };
    await idp.configure({ settings });
    expect((await answered(ask())).address).to.equal(`${registered}/one`);
    write('/two');
    expect((await answered(ask())).address).to.equal(`${registered}/one`);
    await idp.api('POST', '/api/config/reload');
    expect((await answered(ask())).address).to.equal(`${registered}/two`);
  });

  verifies('SPM-24', 'lists all with their effective values and nothing private', async () => {
    await configure({
      title: 'Registered',
      certificates: [sp.certificatePem],
      sign: 'both',
      acs: [{ url: acs, index: 1 }],
    });
    const { status, body } = await idp.api('GET', '/api/service-providers');
    expect([status, body.count]).to.deep.equal([200, 1]);
    const [listed] = body.service_providers;
    expect(listed).to.deep.include({
      entity_id: registered,
      title: 'Registered',
      origin: 'declared',
      acs: [{ url: acs, index: 1 }],
      want_signed_requests: false,
      sign: 'both',
      attributes: null,
      encryption: { content: 'aes256-gcm', key: 'rsa-oaep-mgf1p', digest: 'sha1', mgf: 'sha256', key_place: 'inside' },
      encryption_certificate: null,
      idp_initiated: true,
    });
    expect(listed.certificates).to.have.length(1);
    expect(listed.certificates[0].subject).to.equal('CN=test-idp');
    expect(listed.certificates[0].fingerprint).to.match(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect(Date.parse(listed.certificates[0].valid_to)).to.be.above(Date.now());
    expect(JSON.stringify(body)).to.not.contain('BEGIN ');
  });

  verifies('SPM-25', 'validates metadata without a change, from text or an address', async () => {
    const check = (body: object) => idp.api('POST', '/api/service-providers/check', body);
    const metadata = spMetadata({ entityId: 'urn:new', signing: sp.certificatePem });
    const before = await idp.api('GET', '/api/service-providers');
    const right = await check({ metadata });
    expect([right.status, right.body.valid, right.body.findings]).to.deep.equal([200, true, []]);
    expect(right.body.entry).to.deep.include({ entity_id: 'urn:new' });
    // The returned entry is valid in settings.yaml.
    await idp.configure({ settings: { saml: { service_providers: [right.body.entry] } } });
    const listed = (await idp.api('GET', '/api/service-providers')).body.service_providers[0];
    expect([listed.entity_id, listed.acs[0].url, listed.certificates.length]).to.deep.equal([
      ...['urn:new', 'https://sp.example/acs', 1],
    ]);
    await configure({
      title: 'Registered',
      certificates: [sp.certificatePem],
      sign: 'both',
      acs: [{ url: acs, index: 1 }],
    });
    // Of several defaults the first usable one applies. An entry has only one (SPM-02).
    const bindings = ['HTTP-Artifact', 'HTTP-POST', 'HTTP-POST'];
    const consumers = bindings.map(
      (binding, index) =>
        `<md:AssertionConsumerService Binding="urn:oasis:names:tc:SAML:2.0:bindings:${binding}" index="${index}" isDefault="true" Location="https://sp.example/${index}"/>`,
    );
    const services = [1, 2].map(
      (index) => `<md:AttributeConsumingService index="${index}" isDefault="true"></md:AttributeConsumingService>`,
    );
    const twice = { entityId: 'urn:twice', consumers: consumers.join(''), services: services.join('') };
    const { entry } = (await check({ metadata: spMetadata(twice) })).body;
    const defaults = (all: { index: number; default?: boolean }[]) => all.map((each) => [each.index, each.default]);
    expect(defaults(entry.acs)).to.deep.equal([
      [0, undefined],
      [1, true],
      [2, undefined],
    ]);
    expect(defaults(entry.attribute_services)).to.deep.equal([
      [1, true],
      [2, undefined],
    ]);
    expect((await idp.api('POST', '/api/runtime/service-providers', entry)).status).to.equal(201);
    expect((await idp.api('DELETE', '/api/runtime/service-providers/urn:twice')).status).to.be.below(300);
    const wrong = await check({ metadata: metadata.replace(' index="0"', '') });
    expect([wrong.body.valid, wrong.body.entry]).to.deep.equal([false, null]);
    expect(wrong.body.findings).to.deep.equal([
      { level: 'error', line: 5, column: 5, message: 'index must be a whole number from 0 to 65535' },
    ]);
    const hostile = [
      '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
      '<!DOCTYPE a [<!ENTITY x "xxxxxxxxxx">]><a>&x;&x;</a>',
      `<a>${'x'.repeat(1000 * 1000)}</a>`,
      '',
    ];
    for (const text of hostile) {
      const { status, body } = await check({ metadata: text });
      expect([status, body.valid], text.slice(0, 40)).to.deep.equal([200, false]);
      expect(JSON.stringify(body)).to.not.contain('root:');
    }
    expect((await idp.api('GET', '/api/service-providers')).body).to.deep.equal(before.body);

    const fetched = await check({ url: `${idp.baseUrl}/saml/metadata` });
    expect(fetched.body.findings[0].message).to.contain('an SPSSODescriptor for SAML 2.0 is missing');
    for (const url of ['https://elsewhere.example/metadata', 'file:///etc/passwd', `${idp.baseUrl}/nothing`, 'x']) {
      const refused = await check({ url });
      expect([refused.status, refused.body.kind], url).to.deep.equal([400, 'not_fetched']);
    }
    for (const body of [{}, { metadata: 1 }, { metadata, url: 'x' }]) {
      expect((await check(body)).status).to.equal(400);
    }
  });

  verifies('SPM-26', 'fetches an address within limits, from loopback or an allowed host', async () => {
    const metadata = spMetadata({ entityId: 'urn:published', signing: sp.certificatePem });
    const host = await startXmlHost((request, response) => {
      const to = new URL(request.url ?? '', 'http://ignored').searchParams.get('to');
      if (to !== null) response.writeHead(302, { Location: to }).end();
      else if (request.url === '/large') response.end(`${metadata}${' '.repeat(1024 * 1024)}`);
      else if (request.url === '/slow') response.write(metadata);
      else if (request.url === '/broken') response.writeHead(500).end(metadata);
      else response.end(metadata);
    });
    const check = async (url: string) => {
      const asked = host.requests.length;
      const { status, body } = await idp.api('POST', '/api/service-providers/check', { url });
      return { status, body, asked: host.requests.length - asked };
    };
    const refused = async (url: string, because: string, requests: number) => {
      const { status, body, asked } = await check(url);
      expect([status, body.kind, asked], url).to.deep.equal([400, 'not_fetched', requests]);
      expect(JSON.stringify(body), url).to.include(because).and.not.include('urn:published');
    };
    const elsewhere = `http://0.0.0.0:${host.port}/metadata`;
    try {
      const found = await check(`${host.address}/metadata`);
      expect([found.status, found.body.entry.entity_id, found.asked]).to.deep.equal([200, 'urn:published', 1]);
      const moved = await check(`${host.address}/?to=/metadata`);
      expect([moved.body.entry.entity_id, moved.asked]).to.deep.equal(['urn:published', 2]);
      await refused(`${host.address}/?to=${encodeURIComponent(elsewhere)}`, 'another host', 1);
      await refused(`${host.address}/?to=http://localhost:${host.port}/metadata`, 'another host', 1);
      await refused(`${host.address}/large`, 'larger than', 1);
      await refused(`${host.address}/broken`, 'returned 500', 1);
      await refused(`${host.address}/slow`, 'no response within', 1);
      await refused(elsewhere, 'oauth.client_fetch', 0);
      await idp.configure({ settings: { oauth: { client_fetch: { allowed_hosts: [`0.0.0.0:${host.port}`] } } } });
      await refused(elsewhere, 'not globally routable', 0);
    } finally {
      await host.close();
    }
  });

  verifies('SPM-29', 'publishes signed metadata that verify and have the same content', async () => {
    await configure({}, { metadata_valid_hours: 2 });
    const get = async (query: string) => (await fetch(`${idp.baseUrl}/saml/metadata${query}`)).text();
    const [plain, signed] = [await get(''), await get('?signed=1')];
    expect(all(rootOf(plain), namespaces.signature, 'Signature')).to.have.length(0);
    expect(rootOf(plain).hasAttribute('ID')).to.equal(false);
    const root = rootOf(signed);
    const signature = only(root, namespaces.signature, 'Signature');
    expect(only(root, namespaces.signature, 'Reference').getAttribute('URI')).to.equal(`#${root.getAttribute('ID')}`);
    expect([...root.childNodes].find(({ nodeType }) => nodeType === 1)).to.equal(signature);
    await verifyWithXmlsec(signed, await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text());
    const bare = signed
      .replace(/<ds:Signature>[\s\S]*<\/ds:Signature>/, '')
      .replace(/ ID="[^"]+"/, '')
      .replace(/validUntil="[^"]+"/, '');
    expect(bare).to.equal(plain.replace(/validUntil="[^"]+"/, ''));
  });

  verifies('SPM-30', 'takes validUntil from the test clock', async () => {
    const attributes = async () => {
      const root = rootOf(await (await fetch(`${idp.baseUrl}/saml/metadata`)).text());
      return [root.getAttribute('validUntil'), root.getAttribute('cacheDuration')];
    };
    await configure({});
    expect(await attributes()).to.deep.equal([null, null]);
    await idp.api('PUT', '/api/clock', { at: '2030-01-01T10:00:00Z', frozen: true });
    await configure({}, { metadata_valid_hours: 24, metadata_cache_minutes: 90 });
    expect(await attributes()).to.deep.equal(['2030-01-02T10:00:00Z', 'PT90M']);
    await idp.api('DELETE', '/api/clock');
  });

  const signingCertificates = async (base = idp.baseUrl) => {
    const root = rootOf(await (await fetch(`${base}/saml/metadata`)).text());
    return all(root, 'urn:oasis:names:tc:SAML:2.0:metadata', 'KeyDescriptor')
      .filter((descriptor) => descriptor.getAttribute('use') === 'signing')
      .map((descriptor) => only(descriptor, namespaces.signature, 'X509Certificate').textContent ?? '');
  };

  verifies('SPM-31', 'lists the next signing key in advance, and its signatures verify after a rotation', async () => {
    await configure({});
    const [alone, ...others] = await signingCertificates();
    expect(others).to.deep.equal([]);
    await configure({}, { metadata_next_key: true });
    const [active, next, ...previous] = await signingCertificates();
    expect([active, previous]).to.deep.equal([alone, []]);
    expect(next).to.be.a('string').and.not.equal(active);
    const { status } = await idp.api('POST', '/api/keys/rotate');
    expect(status).to.equal(200);
    const after = await signingCertificates();
    expect([after[0], after[2], after.length]).to.deep.equal([next, active, 3]);
    const pem = `-----BEGIN CERTIFICATE-----\n${next}\n-----END CERTIFICATE-----\n`;
    await verifyWithXmlsec(await (await fetch(`${idp.baseUrl}/saml/metadata?signed=1`)).text(), pem);
    await configure({});
    expect(await signingCertificates()).to.deep.equal([next]);
  });

  verifies('SPM-31', 'lists in a sandbox the key that its own next rotation activates', async () => {
    await configure({});
    const settings = { saml: { metadata_next_key: true } };
    for (const keys of ['shared', 'own']) {
      const name = `next-${keys}`;
      expect((await idp.api('POST', '/api/sandboxes', { name, keys, settings })).status).to.equal(201);
      const listed = () => signingCertificates(`${idp.baseUrl}/s/${name}`);
      const [active, next] = await listed();
      expect(next).to.be.a('string').and.not.equal(active);
      expect(await listed()).to.deep.equal(await listed());
      const rotate = () => idp.api('POST', `/s/${name}/api/keys/rotate`);
      expect((await rotate()).status).to.equal(200);
      const [now, afterNext, ...before] = await listed();
      expect([now, before[0]], name).to.deep.equal([next, active]);
      // Two simultaneous rotations, each with another key: the second finds the announced key already used.
      const rotated = await Promise.all([rotate(), rotate()]);
      expect(new Set(rotated.map(({ body }) => body.new_kid)).size).to.equal(2);
      expect(await listed()).to.include(afterNext);
    }
    expect(await signingCertificates()).to.have.length(1);
    await idp.api('DELETE', '/api/sandboxes');
  });
});
