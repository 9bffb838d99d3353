import { expect } from 'chai';
import { loggedIn } from '#test/support/authorization-flow.ts';
import type { BrowserClient, Page } from '#test/support/browser-client.ts';
import {
  all,
  attributesIn,
  authnRequest,
  type Delivered,
  delivered,
  encodePost,
  namespaces,
  only,
  redirectQuery,
} from '#test/support/saml/service-provider.ts';
import { verifyWithXmlCrypto, verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml, samlUsers, type Tree } from '#test/support/worlds.ts';

const { assertion, protocol, signature } = namespaces;
const passive = { attributes: 'IsPassive="true" ForceAuthn="true"' };

describe('/saml/sso: attributes and Responses', () => {
  let idp: RunningIdp;
  let alice: BrowserClient;
  before(async () => {
    idp = await startIdp({ world: saml });
    alice = await loggedIn(idp);
  });
  after(() => idp.stop());

  const under = async (saml: object = {}, users: object = samlUsers, rest: Tree = {}) => {
    await idp.configure({ settings: { saml, ...rest }, users });
  };
  const page = (request: Parameters<typeof authnRequest>[0] = {}): Promise<Page> =>
    alice.post('/saml/sso', { SAMLRequest: encodePost(authnRequest(request)), RelayState: 'r' });
  const answer = async (request: Parameters<typeof authnRequest>[0] = {}): Promise<Delivered> =>
    delivered(await page(request));
  const pem = async () => (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
  const text = (root: Delivered['root'], local: string) => only(root, assertion, local).textContent;
  const users = (changes: object) => ({ ...samlUsers, alice: { ...samlUsers.alice, ...changes } });

  verifies(['SAM-40', 'SAM-43', 'SAM-44'], 'lists the attributes of a login in order', async () => {
    await under({ export_roles: true, export_groups: true });
    const { root, xml } = await answer();
    expect(attributesIn(root)).to.deep.equal([
      ['email', ['alice@example.com']],
      ['identity_class', ['INTERNAL']],
      ['entitlements', ['E1', 'E,2']],
      ['roles', ['USER', 'ADMIN']],
      ['groups', ['staff', 'ADMIN']],
      ['department', ['Sales, EMEA']],
      ['level', ['3']],
      ['nested', ['{"a":[1]}']],
      ['list', ['x', '2']],
      ['off', ['false']],
    ]);
    for (const attribute of all(root, assertion, 'Attribute')) {
      expect([...attribute.attributes].map(({ name }) => name)).to.deep.equal(['Name']);
      for (const value of all(attribute, assertion, 'AttributeValue')) expect(value.attributes).to.have.length(0);
    }
    for (const hidden of ['secret-tenant', 'secret-description', 'wonderland', 'ROLE_', 'ACL1']) {
      expect(xml).to.not.contain(hidden);
    }
  });

  verifies('SAM-41', 'omits missing or empty attributes, and the whole statement without any', async () => {
    await under(
      {},
      users({ email: '', identity_class: null, entitlements: [], attributes: { a: '', b: [], c: null, d: 'x' } }),
    );
    expect(attributesIn((await answer()).root)).to.deep.equal([['d', ['x']]]);
    await under({}, users({ email: '', identity_class: null, entitlements: [], attributes: {} }));
    const { root, status } = await answer();
    expect(status).to.deep.equal(['Success']);
    expect(all(root, assertion, 'AttributeStatement')).to.have.length(0);
  });

  verifies('SAM-42', 'includes roles and groups only if enabled, under their names', async () => {
    const named = async (saml: object) => {
      await under(saml, users({ identity_class: null, entitlements: [], attributes: {}, email: '' }));
      return attributesIn((await answer()).root);
    };
    const both = { export_roles: true, export_groups: true };
    expect(await named({})).to.deep.equal([]);
    expect(await named({ export_roles: true })).to.deep.equal([['roles', ['USER', 'ADMIN']]]);
    expect(await named({ export_groups: true })).to.deep.equal([['groups', ['staff', 'ADMIN']]]);
    expect(await named({ ...both, roles_attr_name: 'R', groups_attr_name: 'G' })).to.deep.equal([
      ['R', ['USER', 'ADMIN']],
      ['G', ['staff', 'ADMIN']],
    ]);
    expect(await named({ ...both, roles_attr_name: ' ', groups_attr_name: '' })).to.deep.equal([
      ['roles', ['USER', 'ADMIN']],
      ['groups', ['staff', 'ADMIN']],
    ]);
    expect(await named({ ...both, roles_attr_name: 'memberOf', groups_attr_name: 'memberOf' })).to.deep.equal([
      ['memberOf', ['USER', 'ADMIN', 'staff']],
    ]);
  });

  verifies('SAM-43', 'replaces an earlier attribute by a custom one of the same name', async () => {
    await under(
      { export_roles: true },
      users({ attributes: { roles: 'one, two', email: ['a@b.example', 'c@d.example'] } }),
    );
    expect(attributesIn((await answer()).root)).to.deep.equal([
      ['email', ['a@b.example', 'c@d.example']],
      ['identity_class', ['INTERNAL']],
      ['entitlements', ['E1', 'E,2']],
      ['roles', ['one, two']],
    ]);
  });

  for (const [c14n, uri] of [
    ['', 'http://www.w3.org/2001/10/xml-exc-c14n#'],
    ['exc_c14n', 'http://www.w3.org/2001/10/xml-exc-c14n#'],
    ['c14n', 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315'],
    ['c14n11', 'http://www.w3.org/2006/12/xml-c14n11'],
  ] as const) {
    verifies(
      ['SAM-45', 'SAM-46'],
      `selects ${uri} by c14n_algorithm "${c14n}", and independent verifiers agree`,
      async () => {
        await under({ c14n_algorithm: c14n });
        for (const { xml, root } of [await answer(), await answer(passive)]) {
          const signatures = all(root, signature, 'Signature');
          expect(signatures).to.have.length(all(root, assertion, 'Assertion').length + 1);
          for (const [at, signed] of signatures.entries()) {
            expect(only(signed, signature, 'CanonicalizationMethod').getAttribute('Algorithm')).to.equal(uri);
            expect(only(signed, signature, 'SignatureMethod').getAttribute('Algorithm')).to.equal(
              'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
            );
            expect(only(signed, signature, 'DigestMethod').getAttribute('Algorithm')).to.equal(
              'http://www.w3.org/2001/04/xmlenc#sha256',
            );
            expect(signed.previousSibling?.nodeName).to.equal('saml2:Issuer');
            await verifyWithXmlsec(xml, await pem(), at + 1);
          }
          expect(verifyWithXmlCrypto(xml, await pem())).to.have.length(signatures.length);
        }
      },
    );
  }

  verifies('SAM-45', 'fails the load for any other c14n_algorithm', async () => {
    const reload = idp.configure({ settings: { saml: { c14n_algorithm: 'c14n12' } } });
    const message = await reload.then(
      () => 'loaded',
      (error: Error) => error.message,
    );
    expect(message).to.contain('422').and.to.contain('c14n_algorithm');
    await under();
    const refused = await startIdp({ command: 'saml', settings: { saml: { c14n_algorithm: 'http://x' } } }).then(
      async (idp) => {
        await idp.stop();
        return 'started';
      },
      (error: Error) => error.message,
    );
    expect(refused).to.contain('exit code 1').and.to.contain('c14n_algorithm');
  });

  verifies('SAM-46', 'signs nothing with sign_responses off', async () => {
    await under({ sign_responses: false });
    for (const { xml, status } of [await answer(), await answer(passive)]) {
      expect(status[0]).to.be.oneOf(['Success', 'Responder']);
      expect(xml).to.not.contain('Signature');
    }
    for (const name of ['alice', 'nobody']) {
      const body = `<s:Envelope xmlns:s="${namespaces.soap}"><s:Body><p:AttributeQuery xmlns:p="${protocol}" ID="_q"><a:Subject xmlns:a="${assertion}"><a:NameID>${name}</a:NameID></a:Subject></p:AttributeQuery></s:Body></s:Envelope>`;
      const reply = await fetch(`${idp.baseUrl}/saml/attribute-query`, { method: 'POST', body });
      expect(reply.status).to.equal(200);
      expect(await reply.text()).to.not.contain('Signature');
    }
    await under();
  });

  verifies('SAM-47', 'uses fresh identifiers, and one time in whole seconds for all instants', async () => {
    const ids = new Set<string>();
    for (let count = 0; count < 3; count += 1) {
      const { root, xml } = await answer();
      for (const element of [root, only(root, assertion, 'Assertion')]) {
        expect(element.getAttribute('ID')).to.match(/^_[0-9a-f]{32}$/);
        ids.add(element.getAttribute('ID') ?? '');
      }
      const moment = root.getAttribute('IssueInstant') ?? '';
      expect(moment).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
      expect(Math.abs(Date.now() - Date.parse(moment))).to.be.below(60_000);
      const end = new Date(Date.parse(moment) + 300_000).toISOString().replace('.000Z', 'Z');
      const instants = [...xml.matchAll(/ (IssueInstant|NotBefore|NotOnOrAfter)="([^"]+)"/g)].map(([, name, value]) => [
        name,
        value,
      ]);
      expect(instants).to.deep.equal([
        ['IssueInstant', moment],
        ['IssueInstant', moment],
        ['NotOnOrAfter', end],
        ['NotBefore', moment],
        ['NotOnOrAfter', end],
      ]);
    }
    expect(ids.size).to.equal(6);
  });

  verifies('SAM-48', 'declares the prefixes of a success on the root and names the request', async () => {
    const { root, xml } = await answer({ id: '_id', acs: 'https://sp.example/acs?a=1&amp;b=2' });
    expect(xml).to.match(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<saml2p:Response /);
    const declared = Object.fromEntries(
      [...root.attributes].filter(({ name }) => name.startsWith('xmlns')).map(({ name, value }) => [name, value]),
    );
    expect(declared).to.deep.equal({
      'xmlns:saml2p': 'urn:oasis:names:tc:SAML:2.0:protocol',
      'xmlns:saml2': 'urn:oasis:names:tc:SAML:2.0:assertion',
      'xmlns:ds': 'http://www.w3.org/2000/09/xmldsig#',
    });
    expect(xml.match(/xmlns:/g)).to.have.length(3);
    expect(root.getAttribute('Destination')).to.equal('https://sp.example/acs?a=1&b=2');
    expect(root.getAttribute('InResponseTo')).to.equal('_id');
    const anonymous = await answer({ id: undefined });
    expect(anonymous.xml).to.not.contain('InResponseTo');
    expect((await answer({ id: '' })).xml).to.not.contain('InResponseTo');
  });

  verifies('SAM-49', 'uses the Issuer of the request as Audience, or oauth.audience', async () => {
    await under({}, samlUsers, { oauth: { audience: 'urn:configured' } });
    expect(text((await answer({ issuer: ' https://sp.example/&lt;x&gt; ' })).root, 'Audience')).to.equal(
      'https://sp.example/<x>',
    );
    expect(text((await answer({ issuer: undefined })).root, 'Audience')).to.equal('urn:configured');
    expect(text((await answer({ issuer: ' ' })).root, 'Audience')).to.equal('urn:configured');
    await under();
  });

  verifies(
    ['SAM-50', 'SAM-51'],
    'writes conditions, confirmation and authentication statement of a login',
    async () => {
      const { root } = await answer({ id: '_id' });
      const conditions = only(root, assertion, 'Conditions');
      const [from, to] = ['NotBefore', 'NotOnOrAfter'].map((name) => Date.parse(conditions.getAttribute(name) ?? ''));
      expect((to ?? 0) - (from ?? 0)).to.equal(300_000);
      expect(all(conditions, assertion, 'AudienceRestriction')).to.have.length(1);
      expect(only(root, assertion, 'SubjectConfirmation').getAttribute('Method')).to.equal(
        'urn:oasis:names:tc:SAML:2.0:cm:bearer',
      );
      const data = only(root, assertion, 'SubjectConfirmationData');
      expect(Object.fromEntries([...data.attributes].map(({ name, value }) => [name, value]))).to.deep.equal({
        InResponseTo: '_id',
        NotOnOrAfter: conditions.getAttribute('NotOnOrAfter'),
        Recipient: 'https://sp.example/acs',
      });
      const bare = only((await answer({ id: undefined })).root, assertion, 'SubjectConfirmationData');
      expect(bare.hasAttribute('InResponseTo')).to.equal(false);

      const statement = only(root, assertion, 'AuthnStatement');
      const second = only((await answer()).root, assertion, 'AuthnStatement');
      expect(second.getAttribute('AuthnInstant')).to.equal(statement.getAttribute('AuthnInstant'));
      expect(statement.getAttribute('SessionIndex')).to.match(/^_[0-9a-f]{32}$/);
      expect(text(root, 'AuthnContextClassRef')).to.equal(
        'urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport',
      );
    },
  );

  verifies(['SAM-52', 'SRE-02'], 'signs only the assertion with sign: assertion, without indentation', async () => {
    await under({ sign: 'assertion' });
    const { root, xml } = await answer();
    await under();
    const signed = only(root, signature, 'Signature');
    expect(signed.parentNode).to.equal(only(root, assertion, 'Assertion'));
    expect(only(root, signature, 'Reference').getAttribute('URI')).to.equal(
      `#${only(root, assertion, 'Assertion').getAttribute('ID')}`,
    );
    expect(xml.split('\n')).to.have.length(2);
    expect(xml.split('\n')[1]).to.not.match(/>\s+</);
  });

  verifies('SAM-53', 'writes an error with two status codes and a signed root, without assertion', async () => {
    const { root, status, xml } = await answer({ id: '_e', ...passive });
    expect(status).to.deep.equal(['Responder', 'NoPassive']);
    expect(all(root, assertion, 'Assertion')).to.have.length(0);
    expect(only(root, signature, 'Signature').parentNode).to.equal(root);
    expect(only(root, signature, 'Reference').getAttribute('URI')).to.equal(`#${root.getAttribute('ID')}`);
    const [outer, inner] = all(root, protocol, 'StatusCode');
    expect(inner?.parentNode).to.equal(outer);
    expect([root.getAttribute('Destination'), root.getAttribute('InResponseTo')]).to.deep.equal([
      'https://sp.example/acs',
      '_e',
    ]);
    expect((await answer({ id: undefined, ...passive })).xml).to.not.contain('InResponseTo');
    await verifyWithXmlsec(xml, await pem());
  });

  verifies('SAM-54', 'sends every Response as an uncached page that posts itself to the ACS', async () => {
    const hostile = '"><script>alert(1)</script>&amp;\'\r\n\t \u{1F600}%2B+';
    const byPost = (xml: string, RelayState?: string) =>
      alice.post('/saml/sso', { SAMLRequest: encodePost(xml), ...(RelayState === undefined ? {} : { RelayState }) });
    for (const [delivery, relayState] of [
      [await byPost(authnRequest(), hostile), hostile],
      [await byPost(authnRequest(passive), hostile), hostile],
      [await byPost(authnRequest()), undefined],
      [await byPost(authnRequest(), ''), ''],
      [await alice.get(`/saml/sso?${redirectQuery(authnRequest(), hostile)}`), hostile],
      [await alice.get(`/saml/sso?${redirectQuery(authnRequest(passive))}`), undefined],
    ] as const) {
      expect(delivery.status).to.equal(200);
      expect(delivery.headers.get('content-type')).to.match(/^text\/html/);
      expect(delivery.headers.get('cache-control')).to.contain('no-store');
      expect(delivery.headers.get('pragma')).to.equal('no-cache');
      expect(delivery.forms).to.have.length(1);
      expect(delivery.forms[0]?.method).to.equal('POST');
      expect(delivery.forms[0]?.fields.map(([name]) => name)).to.deep.equal([
        'SAMLResponse',
        ...(relayState === undefined ? [] : ['RelayState']),
      ]);
      expect(delivered(delivery).acs).to.equal('https://sp.example/acs');
      expect(delivered(delivery).relayState).to.equal(relayState);
      // A button for browsers without scripts, a served script for the others, and nothing inline.
      expect(delivery.body).to.match(/<button type="submit"[^>]*>/);
      expect(delivery.body).to.match(/<form method="POST"[^>]* data-auto-submit/);
      const scripts = [...delivery.body.matchAll(/<script\b([^>]*)>([^<]*)<\/script>/g)];
      expect(scripts).to.have.length(1);
      expect(scripts[0]?.[1]).to.contain('src="/static/auto-submit.js');
      expect(scripts[0]?.[2]).to.equal('');
      const policy = delivery.headers.get('content-security-policy') ?? '';
      expect(policy).to.contain("script-src 'self'").and.to.not.contain('form-action');
    }
    const acs = 'https://sp.example/acs?q="&lt;b&gt;'.replace('"', '&quot;');
    const odd = delivered(await byPost(authnRequest({ acs })));
    expect(odd.root.getAttribute('Destination')).to.equal('https://sp.example/acs?q="<b>');
  });

  verifies(
    ['SAM-45', 'SAM-46'],
    'keeps signatures valid with hostile values under every canonicalization',
    async () => {
      const value = '<&"\'>]]>\t\n\r \u202E\u{1F600} \u0085\u2028\u2029';
      const attributes = { hostile: value, [value.trim()]: [value, 'x'.repeat(100_000)], controls: 'a\u0001b\uFFFEc' };
      for (const c14n_algorithm of ['exc_c14n', 'c14n', 'c14n11']) {
        await under({ c14n_algorithm }, users({ attributes }));
        const { xml, root } = await answer({
          issuer: 'https://sp.example/&lt;&amp;"\'&gt;]]&gt;',
          id: '_&lt;&amp;&quot;',
        });
        for (const which of [1, 2]) await verifyWithXmlsec(xml, await pem(), which);
        expect(verifyWithXmlCrypto(xml, await pem())).to.have.length(2);
        expect(attributesIn(root).slice(3)).to.deep.equal([
          ['hostile', [value]],
          [value.trim(), [value, 'x'.repeat(100_000)]],
          ['controls', ['a\uFFFDb\uFFFDc']],
        ]);
      }
      await under();
    },
  );
});
