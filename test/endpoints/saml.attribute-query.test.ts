import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { BrowserClient } from '#test/support/browser-client.ts';
import { rawRequest } from '#test/support/http.ts';
import { attributeQuery, enveloped, type QueryParts } from '#test/support/saml/attribute-query.ts';
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
  rootOf,
  statusOf,
} from '#test/support/saml/service-provider.ts';
import { verifyWithXmlCrypto, verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers } from '#test/support/worlds.ts';

const { assertion, protocol, signature, soap } = namespaces;

describe('/saml/attribute-query', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: saml });
  });
  after(() => idp.stop());
  beforeEach(() => idp.configure());

  const send = (body: string, headers: Record<string, string> = {}) =>
    rawRequest(`${idp.baseUrl}/saml/attribute-query`, { method: 'POST', body, headers });
  /** Returns the Response inside the envelope, after the checks that every response must pass. */
  const ask = async (parts: QueryParts = {}, headers: Record<string, string> = {}) => {
    const { status, body, headers: answered } = await send(enveloped(attributeQuery(parts)), headers);
    expect(status, body).to.equal(200);
    expect(String(answered['content-type']).split(';')[0]).to.equal('text/xml');
    expect(body).to.match(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n/);
    const envelope = rootOf(body);
    expect([envelope.namespaceURI, envelope.localName]).to.deep.equal([soap, 'Envelope']);
    const root = only(envelope, protocol, 'Response');
    expect([root.parentNode?.nodeName.replace(/^.*:/, ''), root.parentNode?.parentNode]).to.deep.equal([
      'Body',
      envelope,
    ]);
    return { root, body, status: statusOf(root) };
  };
  const pem = async () => (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();

  verifies(
    'SAM-55',
    'declares two prefixes in the Response, without Destination and always with InResponseTo',
    async () => {
      const { root } = await ask({ id: '_the-query' });
      const attributes = Object.fromEntries([...root.attributes].map(({ name, value }) => [name, value]));
      expect(attributes).to.deep.equal({
        'xmlns:saml2': 'urn:oasis:names:tc:SAML:2.0:assertion',
        'xmlns:saml2p': 'urn:oasis:names:tc:SAML:2.0:protocol',
        ID: attributes.ID,
        InResponseTo: '_the-query',
        IssueInstant: attributes.IssueInstant,
        Version: '2.0',
      });
      expect((await ask({ id: undefined })).root.getAttribute('InResponseTo')).to.equal('_unknown');
      const empty = (await ask({ id: '' })).root;
      expect([empty.hasAttribute('InResponseTo'), empty.getAttribute('InResponseTo')]).to.deep.equal([true, '']);
      expect(
        (await ask({ id: '_x', nameId: '<a:NameID>nobody</a:NameID>' })).root.getAttribute('InResponseTo'),
      ).to.equal('_x');
    },
  );

  verifies('SAM-56', 'makes the assertion valid for an hour, without audience or subject confirmation', async () => {
    const { root } = await ask();
    const conditions = only(root, assertion, 'Conditions');
    const from = Date.parse(conditions.getAttribute('NotBefore') ?? '');
    expect(conditions.getAttribute('NotBefore')).to.equal(root.getAttribute('IssueInstant'));
    expect(Date.parse(conditions.getAttribute('NotOnOrAfter') ?? '') - from).to.equal(3_600_000);
    for (const absent of ['AudienceRestriction', 'AuthnStatement', 'SubjectConfirmation']) {
      expect(all(root, assertion, absent), absent).to.have.length(0);
    }
  });

  for (const c14n_algorithm of ['exc_c14n', 'c14n', 'c14n11']) {
    verifies(
      ['SAM-57', 'SAM-45', 'SAM-46'],
      `signs success and error on the root with ${c14n_algorithm}, verifiable in place and extracted`,
      async () => {
        await idp.configure({ settings: { saml: { c14n_algorithm } } });
        for (const name of ['alice', 'nobody']) {
          const { root, body } = await ask({ nameId: `<a:NameID>${name}</a:NameID>` });
          expect(only(root, signature, 'Signature').parentNode).to.equal(root);
          expect(body.match(/<\?xml/g)).to.have.length(1);
          expect(body).to.match(/<saml2p:Response [^>]*>\n {2}<saml2:Issuer>[^<]*<\/saml2:Issuer>\n {2}<ds:Signature/);
          const taken = /<saml2p:Response .*<\/saml2p:Response>/s.exec(body)?.[0] ?? '';
          for (const text of [body, taken]) {
            await verifyWithXmlsec(text, await pem());
            expect(verifyWithXmlCrypto(text, await pem())).to.have.length(1);
          }
        }
      },
    );
  }

  verifies('SAM-57', 'indents an unsigned success and writes an unsigned error on one line', async () => {
    await idp.configure({ settings: { saml: { sign_responses: false } } });
    const inside = (body: string) => /<saml2p:Response .*<\/saml2p:Response>/s.exec(body)?.[0] ?? '';
    expect(inside((await ask()).body)).to.match(
      /^<saml2p:Response [^>]*>\n {2}<saml2:Issuer>.*<\/saml2:Issuer>\n {2}<saml2p:Status>\n {4}</,
    );
    expect(inside((await ask({ nameId: '<a:NameID>nobody</a:NameID>' })).body)).to.not.contain('\n');
  });

  verifies('SAM-58', 'ignores the Content-Type of the query', async () => {
    for (const type of [
      'text/xml',
      'application/soap+xml',
      'application/x-www-form-urlencoded',
      'application/json',
      'nonsense',
    ]) {
      expect((await ask({}, { 'Content-Type': type })).status).to.deep.equal(['Success']);
    }
    expect((await ask()).status).to.deep.equal(['Success']);
  });

  verifies('SAM-59', 'neither requires nor reads credentials or signatures', async () => {
    await idp.configure({
      settings: {
        management_secret: 'gate',
        require_ui_login: true,
        saml: { want_authn_requests_signed: true },
      },
    });
    const headers = { 'X-Management-Secret': 'gate', 'Content-Type': 'application/json' };
    expect((await ask()).status).to.deep.equal(['Success']);
    expect((await ask({}, { Authorization: 'Basic nonsense' })).status).to.deep.equal(['Success']);
    const nonsense = `<ds:Signature xmlns:ds="${signature}"><ds:SignedInfo/></ds:Signature>`;
    const body = enveloped(attributeQuery().replace('</a:Issuer>', `</a:Issuer>${nonsense}`));
    expect((await send(body)).status).to.equal(200);
    writeFileSync(join(idp.configDirectory, 'settings.yaml'), 'oauth: { issuer_from_request: true }\n');
    expect((await fetch(`${idp.baseUrl}/api/config/reload`, { method: 'POST', headers })).status).to.equal(200);
  });

  verifies('SAM-62', 'returns UnknownPrincipal for a NameID of no user', async () => {
    for (const name of ['nobody', '', 'Alice', 'alice@', '_0000000000000000000000000000000000000000']) {
      const events = await idp.audited(async () => {
        const { root, status } = await ask({ nameId: `<a:NameID>${name}</a:NameID>` });
        expect(status).to.deep.equal(['Requester', 'UnknownPrincipal']);
        expect(all(root, assertion, 'Assertion')).to.have.length(0);
        expect(root.hasAttribute('Destination')).to.equal(false);
      });
      expect(events.map(({ status, details }) => [status, details.reason])).to.deep.equal([
        ['failed', 'Requester/UnknownPrincipal'],
      ]);
    }
  });

  verifies('SAM-63', 'finds users by name, by their own address and by their persistent identifier', async () => {
    const persistent = async (browser: BrowserClient, issuer: string) => {
      const children = nameIdPolicy('urn:oasis:names:tc:SAML:2.0:nameid-format:persistent');
      const page = await browser.post('/saml/sso', { SAMLRequest: encodePost(authnRequest({ issuer, children })) });
      return nameIdIn(delivered(page).root).value;
    };
    await idp.configure({
      users: {
        ...samlUsers,
        'bob@example.org': { password: 'x', email: 'first@example.com' },
        twin1: { password: 'x', email: 'twin@example.com' },
        twin2: { password: 'x', email: 'twin@example.com' },
      },
    });
    const runtime = await fetch(`${idp.baseUrl}/api/runtime/users`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ username: 'runa', password: 'x', email: 'runa@example.com' }),
    });
    expect(runtime.status).to.equal(201);
    const emailOf = async (name: string, issuer = 'https://sp.example') => {
      const { root, status } = await ask({ issuer, nameId: `<a:NameID>${name}</a:NameID>` });
      return status[0] === 'Success'
        ? attributesIn(root).find(([attribute]) => attribute === 'email')?.[1][0]
        : status[1];
    };
    expect(await emailOf('alice')).to.equal('alice@example.com');
    expect(await emailOf('\n  alice\n ')).to.equal('alice@example.com');
    expect(await emailOf('alice@example.com')).to.equal('alice@example.com');
    expect(await emailOf('runa')).to.equal('runa@example.com');
    expect(await emailOf('runa@example.com')).to.equal('runa@example.com');
    // A username takes precedence over another user's address.
    expect(await emailOf('bob@example.org')).to.equal('first@example.com');
    expect(await emailOf('twin@example.com')).to.equal('UnknownPrincipal');
    const browser = await loggedIn(idp, 'twin1', 'x');
    const pseudonym = await persistent(browser, 'https://sp.example');
    expect(await emailOf(pseudonym)).to.equal('twin@example.com');
    expect(await emailOf(pseudonym, 'https://other.example')).to.equal('UnknownPrincipal');
    expect(await emailOf(await persistent(await loggedIn(idp, 'runa', 'x'), 'https://sp.example'))).to.equal(
      'runa@example.com',
    );
    await fetch(`${idp.baseUrl}/api/runtime/users/runa`, { method: 'DELETE' });
  });

  verifies('SAM-64', 'repeats the NameID as received', async () => {
    const plain = nameIdIn((await ask({ nameId: '<a:NameID> alice </a:NameID>' })).root);
    expect(plain).to.deep.equal({
      value: ' alice ',
      attributes: { Format: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified' },
    });
    const full = nameIdIn(
      (
        await ask({
          nameId:
            '<a:NameID Format="urn:my:format" NameQualifier="n&amp;q" SPNameQualifier="s" SPProvidedID="i">alice@example.com</a:NameID>',
        })
      ).root,
    );
    expect(full).to.deep.equal({
      value: 'alice@example.com',
      attributes: { Format: 'urn:my:format', NameQualifier: 'n&q', SPNameQualifier: 's', SPProvidedID: 'i' },
    });
  });

  verifies(
    ['SAM-40', 'SAM-65', 'AUD-26'],
    'returns the attributes that the query names, or all with source_acl',
    async () => {
      await idp.configure({ settings: { saml: { export_roles: true, export_groups: true } } });
      const names = async (attributes: readonly string[]) =>
        attributesIn((await ask({ attributes })).root).map(([name]) => name);
      const everything = [
        'email',
        'identity_class',
        'entitlements',
        'source_acl',
        'roles',
        'groups',
        'department',
        'level',
        'nested',
        'list',
        'off',
      ];
      expect(await names([])).to.deep.equal(everything);
      expect(await names(['groups', 'email', 'unknown', 'none'])).to.deep.equal(['email', 'groups']);
      const { root, status } = await ask({ attributes: ['unknown'] });
      expect(status).to.deep.equal(['Success']);
      expect(all(root, assertion, 'AttributeStatement')).to.have.length(0);
      expect(attributesIn((await ask()).root)[3]).to.deep.equal(['source_acl', ['ACL1']]);
      const body = enveloped(attributeQuery({ id: '_a', attributes: ['email', 'roles'] }));
      const events = await idp.audited(() => send(body));
      expect(
        events.map(({ event_type, username, status, details }) => [event_type, username, status, details]),
      ).to.deep.equal([
        [
          'saml_attribute_query',
          'alice',
          'success',
          { request_id: '_a', content_length: body.length, attributes_count: 2 },
        ],
      ]);
    },
  );
});
