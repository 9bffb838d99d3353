// The form of SAML messages as settings and entries define it: algorithms, validity, audiences and signed parts.
import { constants, verify, X509Certificate } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { Element } from '@xmldom/xmldom';
import { expect } from 'chai';
import { serviceProviderEntryModel } from '#shared/model/configuration/service-provider-entry.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { attributeQuery, enveloped } from '#test/support/saml/attribute-query.ts';
import {
  all,
  authnRequest,
  delivered,
  namespaces,
  newId,
  only,
  type RequestParts,
  redirectQuery,
  rootOf,
  signedQuery,
} from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { verifyWithXmlCrypto, verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { until } from '#test/support/stack.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers } from '#test/support/worlds.ts';

const registered = 'https://registered.example';
const other = 'https://other.example';
const acs = `${registered}/acs`;

const algorithms = [
  ['rsa-sha1', 'http://www.w3.org/2000/09/xmldsig#rsa-sha1', 'sha1'],
  ['rsa-sha256', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', 'sha256'],
  ['rsa-sha384', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', 'sha384'],
  ['rsa-sha512', 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', 'sha512'],
  ['rsa-pss-sha256', 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1', 'sha256'],
  ['rsa-pss-sha384', 'http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1', 'sha384'],
  ['rsa-pss-sha512', 'http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1', 'sha512'],
] as const;

const digests: Readonly<Record<string, string>> = {
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
};

describe('the form of SAML messages', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  let certificate: string;
  let sp: SigningKey;
  before(async () => {
    sp = await signingKey('sp');
    idp = await startIdp({ world: saml });
    certificate = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
    alice = await loggedIn(idp);
  });
  after(() => idp.stop());

  const configure = (entry: object = {}, further: object = {}, settings: object = {}) =>
    idp.configure({
      settings: { ...settings, saml: { service_providers: [{ entity_id: registered, acs, ...entry }], ...further } },
      users: samlUsers,
    });
  const ask = async (parts: RequestParts = {}, browser = alice) =>
    delivered(
      await browser.get(`/saml/sso?${redirectQuery(authnRequest({ issuer: registered, acs: undefined, ...parts }))}`),
    );
  const unregistered = { issuer: other, acs: `${other}/acs` };
  /** The algorithms of the first signature. */
  const used = (xml: string) => {
    const [method] = all(rootOf(xml), namespaces.signature, 'SignatureMethod');
    const [digest] = all(rootOf(xml), namespaces.signature, 'DigestMethod');
    return [method?.getAttribute('Algorithm'), digest?.getAttribute('Algorithm')];
  };
  /** xmlsec1 1.2 has no RSA-PSS, so node:crypto verifies that, below xml-crypto's canonicalization. */
  const verified = async (xml: string, certificatePem: string, which = 1) => {
    if (!xml.includes('-rsa-MGF1')) return verifyWithXmlsec(xml, certificatePem, which);
    expect(verifyWithXmlCrypto(xml, certificatePem)).to.not.deep.equal([]);
  };
  const logOut = async (browser: BrowserClient, index: string, issuer = registered) => {
    const request =
      `<samlp:LogoutRequest xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}" ID="${newId()}"` +
      ` Version="2.0" IssueInstant="2026-01-01T00:00:00Z" Destination="${idp.baseUrl}/saml/slo">` +
      `<saml:Issuer>${issuer}</saml:Issuer><saml:NameID>alice@example.com</saml:NameID>` +
      `<samlp:SessionIndex>${index}</samlp:SessionIndex></samlp:LogoutRequest>`;
    return browser.get(`/saml/slo?${signedQuery(request, sp)}`);
  };
  const query = async (issuer: string) => {
    const body = enveloped(attributeQuery({ issuer, nameId: '<a:NameID>alice@example.com</a:NameID>' }));
    const headers = { 'Content-Type': 'text/xml' };
    return (await fetch(`${idp.baseUrl}/saml/attribute-query`, { method: 'POST', headers, body })).text();
  };

  const signedElements = (xml: string) =>
    all(rootOf(xml), namespaces.signature, 'Signature').map((each) => each.parentNode?.nodeName);
  const both = ['saml2p:Response', 'saml2:Assertion'];
  verifies(['SRE-01', 'SRE-02', 'SRE-K01'], 'signs the Assertion and then the Response by default', async () => {
    for (const c14n_algorithm of ['exc_c14n', 'c14n', 'c14n11']) {
      await configure({}, { c14n_algorithm });
      for (const { xml, root } of [await ask(unregistered), await ask()]) {
        expect(signedElements(xml)).to.deep.equal(both);
        for (const which of [1, 2]) await verifyWithXmlsec(xml, certificate, which);
        expect(verifyWithXmlCrypto(xml, certificate)).to.have.length(2);
        // The signature of the Response covers that of the Assertion, which was made first.
        const [outer] = all(root, namespaces.signature, 'Reference');
        expect(outer?.getAttribute('URI')).to.equal(`#${root.getAttribute('ID')}`);
      }
    }
    for (const entry of [{ certificates: [sp.certificatePem] }, { name_id_format: 'persistent' }]) {
      await configure(entry);
      expect(signedElements((await ask()).xml)).to.deep.equal(both);
    }
  });

  verifies(['SRE-02', 'SRE-K01'], 'signs one part, or nothing, where settings or entry say so', async () => {
    for (const [sign, expected] of [
      ['both', both],
      ['response', ['saml2p:Response']],
      ['assertion', ['saml2:Assertion']],
    ] as const) {
      await configure({}, { sign });
      for (const { xml } of [await ask(), await ask(unregistered)]) {
        expect(signedElements(xml), sign).to.deep.equal([...expected]);
        await verifyWithXmlsec(xml, certificate);
      }
      await configure({ sign });
      expect(signedElements((await ask()).xml)).to.deep.equal([...expected]);
      expect(signedElements((await ask(unregistered)).xml)).to.deep.equal(both);
      const { body } = await idp.api('GET', '/api/service-providers');
      expect(body.service_providers[0].sign).to.equal(sign);
    }
    await configure({ sign: 'none' });
    expect(signedElements((await ask()).xml)).to.deep.equal([]);
    await configure({}, { sign_responses: false });
    for (const { xml } of [await ask(), await ask(unregistered)]) expect(signedElements(xml)).to.deep.equal([]);
    const error = await configure({}, { sign: 'none' }).then(
      () => 'loaded',
      (reason: Error) => reason.message,
    );
    expect(error).to.contain('422').and.to.contain('sign');
    await configure();
    expect((await idp.api('GET', '/api/config')).body.saml.sign).to.equal('both');
  });

  for (const [signature_algorithm, uri, hash] of algorithms) {
    verifies(
      ['SRE-04', 'SRE-K02', 'SRE-K03'],
      `signs with ${signature_algorithm}, and an independent verifier agrees`,
      async () => {
        const expected = [uri, digests[hash]];
        // In the settings for all.
        await configure({ sign: 'both' }, { signature_algorithm });
        const login = await ask();
        expect(used(login.xml)).to.deep.equal(expected);
        for (const which of [1, 2]) await verified(login.xml, certificate, which);
        const unknown = await ask(unregistered);
        expect(used(unknown.xml)).to.deep.equal(expected);
        await verified(unknown.xml, certificate);
        const metadata = await (await fetch(`${idp.baseUrl}/saml/metadata?signed=1`)).text();
        expect(used(metadata)).to.deep.equal(expected);
        await verified(metadata, certificate);
        // In one entry.
        await configure({ signature_algorithm });
        const entry = await ask();
        expect(used(entry.xml)).to.deep.equal(expected);
        const failed = await ask({ attributes: 'IsPassive="true" ForceAuthn="true"' });
        expect(used(failed.xml)).to.deep.equal(expected);
        await verified(failed.xml, certificate);
        const answer = await query(registered);
        expect(used(answer)).to.deep.equal(expected);
        await verified(answer, certificate);
        for (const xml of [(await ask(unregistered)).xml, await query(other)]) {
          expect(used(xml)).to.deep.equal([algorithms[1][1], digests.sha256]);
        }
        expect(used(await (await fetch(`${idp.baseUrl}/saml/metadata?signed=1`)).text())[0]).to.equal(algorithms[1][1]);
      },
    );
  }

  verifies('SRE-04', 'verifies by xml-crypto with every algorithm that it knows', async () => {
    for (const signature_algorithm of ['rsa-sha1', 'rsa-sha256', 'rsa-sha512']) {
      await configure({ signature_algorithm, sign: 'both' });
      expect(verifyWithXmlCrypto((await ask()).xml, certificate)).to.have.length(2);
    }
  });

  verifies(['SRE-04', 'SRE-K03'], 'takes the digest from its own key', async () => {
    for (const digest_algorithm of ['sha1', 'sha256', 'sha384', 'sha512']) {
      const expected = [algorithms[4][1], digests[digest_algorithm]];
      await configure({}, { signature_algorithm: 'rsa-pss-sha256', digest_algorithm });
      const { xml } = await ask();
      expect(used(xml)).to.deep.equal(expected);
      await verified(xml, certificate);
      await configure({ digest_algorithm }, { signature_algorithm: 'rsa-pss-sha256', digest_algorithm: 'sha384' });
      expect(used((await ask()).xml)).to.deep.equal(expected);
    }
  });

  verifies('SRE-04', 'uses the algorithms for a changed and later encrypted response, too', async () => {
    const encrypt = { encrypt: ['name_id'], encryption_certificate: sp.certificatePem };
    await configure({ ...encrypt, signature_algorithm: 'rsa-pss-sha512', digest_algorithm: 'sha384' });
    const fault = { fault: 'saml_audience_missing', times: 1 };
    expect((await idp.api('POST', '/api/faults', fault)).status).to.equal(201);
    const { xml } = await ask();
    expect(all(rootOf(xml), namespaces.assertion, 'EncryptedID')).to.have.length(1);
    expect(used(xml)).to.deep.equal([algorithms[6][1], digests.sha384]);
    await verified(xml, certificate);
  });

  verifies('SRE-04', 'signs logout messages for that service provider by redirect and form', async () => {
    const sites = ['HTTP-Redirect', 'HTTP-POST'].map((binding) => `https://${binding.toLowerCase()}.example`);
    const service_providers = sites.map((entity_id, at) => ({
      ...{ entity_id, acs: `${entity_id}/acs`, certificates: [sp.certificatePem] },
      slo: [{ url: `${entity_id}/slo`, binding: at === 0 ? 'HTTP-Redirect' : 'HTTP-POST' }],
    }));
    const [redirected = '', posted = ''] = sites;
    for (const [signature_algorithm, uri, hash] of algorithms) {
      await idp.configure({
        settings: {
          login: { session: 'on' },
          saml: {
            single_logout: true,
            service_providers: service_providers.map((each) => ({ ...each, signature_algorithm })),
          },
        },
        users: samlUsers,
      });
      const browser = await loggedIn(idp);
      const indexes: string[] = [];
      for (const issuer of sites) {
        const { root } = await ask({ issuer }, browser);
        indexes.push(only(root, namespaces.assertion, 'AuthnStatement').getAttribute('SessionIndex') ?? '');
      }
      // The first asks, so the second receives a LogoutRequest by form.
      const page = await logOut(browser, indexes[0] ?? '', redirected);
      const field = page.forms[0]?.fields.find(([name]) => name === 'SAMLRequest')?.[1] ?? '';
      const form = Buffer.from(field, 'base64').toString('utf8');
      expect(used(form)).to.deep.equal([uri, digests[hash]]);
      await verified(form, certificate);
      expect(page.forms[0]?.action).to.contain(posted);
      // It does not respond, so the first gets its response by redirect.
      const { searchParams, search } = new URL((await browser.get('/saml/slo')).location ?? '');
      expect(searchParams.get('SigAlg')).to.equal(uri);
      const signed = search.slice(1).replace(/&Signature=[^&]*/, '');
      const key = {
        key: new X509Certificate(certificate).publicKey,
        ...(signature_algorithm.includes('pss')
          ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
          : {}),
      };
      const value = Buffer.from(searchParams.get('Signature') ?? '', 'base64');
      expect(verify(hash, Buffer.from(signed), key, value), signature_algorithm).to.equal(true);
      const sent = inflateRawSync(Buffer.from(searchParams.get('SAMLResponse') ?? '', 'base64')).toString('utf8');
      expect(sent).to.contain('LogoutResponse');
    }
  });

  verifies('SRE-05', 'warns about SHA-1 at each load, in both places', async () => {
    const count = () => idp.log().match(/"level":40[^\n]*_algorithm[^\n]*uses SHA-1/g)?.length ?? 0;
    let expected = count();
    for (const [entry, further, warnings] of [
      [{}, { signature_algorithm: 'rsa-sha1' }, 1],
      [{}, { signature_algorithm: 'rsa-sha1' }, 1],
      [{}, { digest_algorithm: 'sha1' }, 1],
      [{ signature_algorithm: 'rsa-sha1', digest_algorithm: 'sha1' }, {}, 2],
      [{ signature_algorithm: 'rsa-pss-sha256' }, { digest_algorithm: 'sha512' }, 0],
    ] as const) {
      await configure(entry, further);
      expected += warnings;
      await until('the warnings are logged', () => count() === expected || undefined);
    }
  });

  verifies(['SRE-K02', 'SRE-K03'], 'are shown with their effective values', async () => {
    const effective = async () => {
      const { body } = await idp.api('GET', '/api/service-providers');
      const [{ signature_algorithm, digest_algorithm }] = body.service_providers;
      return [signature_algorithm, digest_algorithm];
    };
    await configure();
    expect(await effective()).to.deep.equal(['rsa-sha256', 'sha256']);
    await configure({ signature_algorithm: 'rsa-pss-sha384' });
    expect(await effective()).to.deep.equal(['rsa-pss-sha384', 'sha384']);
    await configure({}, { signature_algorithm: 'rsa-sha512', digest_algorithm: 'sha256' });
    expect(await effective()).to.deep.equal(['rsa-sha512', 'sha256']);
    expect((await idp.api('GET', '/api/config')).body.saml).to.include({
      signature_algorithm: 'rsa-sha512',
      digest_algorithm: 'sha256',
    });
  });

  const validity = ({ root }: { root: Element }) => {
    const issued = Date.parse(root.getAttribute('IssueInstant') ?? '');
    const conditions = only(root, namespaces.assertion, 'Conditions');
    const data = only(root, namespaces.assertion, 'SubjectConfirmationData');
    const from = (element: Element, name: string) => (Date.parse(element.getAttribute(name) ?? '') - issued) / 1000;
    expect(data.hasAttribute('NotBefore')).to.equal(false);
    return [from(conditions, 'NotBefore'), from(conditions, 'NotOnOrAfter'), from(data, 'NotOnOrAfter')];
  };
  verifies(['SRE-06', 'SRE-K04', 'SRE-K05'], 'is valid for as long as settings and entry say', async () => {
    await configure();
    expect(validity(await ask())).to.deep.equal([0, 300, 300]);
    await configure(
      { assertion_lifetime_seconds: 7 },
      { assertion_lifetime_seconds: 86_400, not_before_seconds: 3600 },
    );
    expect(validity(await ask(unregistered))).to.deep.equal([-3600, 86_400, 86_400]);
    expect(validity(await ask())).to.deep.equal([-3600, 7, 7]);
    await configure({ not_before_seconds: 0 }, { not_before_seconds: 60 });
    expect(validity(await ask())).to.deep.equal([0, 300, 300]);
    for (const [key, values] of [
      ['assertion_lifetime_seconds', [0, 86_401, 1.5]],
      ['not_before_seconds', [-1, 3601]],
      ['session_not_on_or_after', [0, 31_536_001, 'always', '0', '']],
    ] as const) {
      for (const value of values) {
        for (const [entry, further] of [
          [{ [key]: value }, {}],
          [{}, { [key]: value }],
        ] as const) {
          const error = await configure(entry, further).then(
            () => 'loaded',
            (reason: Error) => reason.message,
          );
          expect(error, `${key}: ${value}`).to.contain('422').and.to.contain(key);
        }
      }
    }
    await configure();
  });

  const sessionEnd = async (parts: RequestParts = {}, browser = alice) => {
    const { root } = await ask(parts, browser);
    const statement = only(root, namespaces.assertion, 'AuthnStatement');
    const end = statement.getAttribute('SessionNotOnOrAfter');
    const from = (name: string, element = statement) => Date.parse(element.getAttribute(name) ?? '');
    return {
      afterIssue: end === null ? undefined : (Date.parse(end) - from('IssueInstant', root)) / 1000,
      afterLogin: end === null ? undefined : (Date.parse(end) - from('AuthnInstant')) / 1000,
    };
  };
  verifies(['SRE-07', 'SRE-K06'], 'ends with the session of the browser, or after a number of seconds', async () => {
    await configure();
    expect((await sessionEnd()).afterIssue).to.equal(undefined);
    await configure({}, { session_not_on_or_after: 600 });
    expect((await sessionEnd()).afterIssue).to.equal(600);
    await configure({ session_not_on_or_after: 'never' }, { session_not_on_or_after: 600 });
    expect((await sessionEnd()).afterIssue).to.equal(undefined);
    expect((await sessionEnd(unregistered)).afterIssue).to.equal(600);

    const login = { session: 'on', session_lifetime_minutes: 90, session_idle_minutes: 0 };
    await configure({}, {}, { login });
    const browser = await loggedIn(idp);
    try {
      expect((await sessionEnd({}, browser)).afterLogin).to.equal(90 * 60);
      await idp.api('PUT', '/api/clock', { advance_seconds: 600 });
      expect(await sessionEnd({}, browser)).to.deep.equal({ afterIssue: 80 * 60, afterLogin: 90 * 60 });
      await configure({}, {}, { login: { ...login, session_idle_minutes: 30 } });
      expect((await sessionEnd({}, browser)).afterIssue).to.equal(30 * 60);
      await idp.api('PUT', '/api/clock', { advance_seconds: 1200 });
      // This request is a use of the session, too.
      expect((await sessionEnd({}, browser)).afterIssue).to.equal(30 * 60);
      await configure({ session_not_on_or_after: 31_536_000 }, {}, { login });
      expect((await sessionEnd({}, browser)).afterIssue).to.equal(31_536_000);
      await configure({ session_not_on_or_after: 'never' }, {}, { login });
      expect((await sessionEnd({}, browser)).afterIssue).to.equal(undefined);
    } finally {
      await idp.api('DELETE', '/api/clock');
      await idp.api('DELETE', '/api/sessions');
      await configure();
      alice = await loggedIn(idp);
    }
  });

  verifies('SRE-K06', 'is set by the tool and the form of a service provider, where a number is text', async () => {
    expect(serviceProviderEntryModel.parse({ session_not_on_or_after: '600' }).session_not_on_or_after).to.equal(600);
    expect(serviceProviderEntryModel.safeParse({ session_not_on_or_after: '31536001' }).success).to.equal(false);
  });

  verifies(['SRE-08', 'SRE-K07'], 'names the audiences of the entry in order', async () => {
    const audiences = async (parts: RequestParts = {}) => {
      const { root } = await ask(parts);
      return all(only(root, namespaces.assertion, 'AudienceRestriction'), namespaces.assertion, 'Audience').map(
        ({ textContent }) => textContent,
      );
    };
    const warnings = () =>
      idp.log().match(/"level":40[^\n]*audiences[^\n]*does not contain its entity_id/g)?.length ?? 0;
    await configure();
    expect(await audiences()).to.deep.equal([registered]);
    await configure({ audiences: ['urn:b', registered, 'urn:a'] });
    expect(await audiences()).to.deep.equal(['urn:b', registered, 'urn:a']);
    expect(await audiences(unregistered)).to.deep.equal([other]);
    const before = warnings();
    await configure({ audiences: ['urn:only'] });
    expect(await audiences()).to.deep.equal(['urn:only']);
    await until('the warning is logged', () => warnings() === before + 1 || undefined);
    const many = (length: number) => Array.from({ length }, (_, at) => `urn:${at}`);
    await configure({ audiences: many(20) });
    expect(await audiences()).to.deep.equal(many(20));
    for (const wrong of [many(21), [''], 'urn:a']) {
      const error = await configure({ audiences: wrong }).then(
        () => 'loaded',
        (reason: Error) => reason.message,
      );
      expect(error).to.contain('422').and.to.contain('audiences');
    }
    await configure();
  });
});
