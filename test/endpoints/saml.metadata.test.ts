import { X509Certificate } from 'node:crypto';
import { expect } from 'chai';
import { loggedIn } from '#test/support/authorization-flow.ts';
import { rawRequest } from '#test/support/http.ts';
import {
  all,
  authnRequest,
  delivered,
  encodePost,
  namespaces,
  only,
  redirectQuery,
  rootOf,
} from '#test/support/saml/service-provider.ts';
import { verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml } from '#test/support/worlds.ts';

const md = 'urn:oasis:names:tc:SAML:2.0:metadata';

describe('SAML metadata, certificate and identity', () => {
  let idp: RunningIdp;
  before(async () => {
    idp = await startIdp({ world: saml });
  });
  after(() => idp.stop());

  const metadata = async (headers: Record<string, string> = {}) => {
    const answer = await rawRequest(`${idp.baseUrl}/saml/metadata`, { headers });
    return { answer, root: rootOf(answer.body) };
  };
  /** Every signature of a document has the same one. */
  const certificateOf = (root: ReturnType<typeof rootOf>) => {
    const found = all(root, namespaces.signature, 'X509Certificate').map(({ textContent }) => textContent ?? '');
    expect(new Set(found).size).to.equal(1);
    return found[0] ?? '';
  };
  const pem = async () => (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
  const der = (text: string) => new X509Certificate(text).raw.toString('base64');

  verifies(['SAM-01', 'SAM-02', 'SAM-03', 'SAM-04'], 'describe one identity provider', async () => {
    await idp.configure();
    const { answer, root } = await metadata();
    expect(answer.status).to.equal(200);
    expect(answer.headers['content-type']).to.equal('application/samlmetadata+xml');
    expect(answer.body).to.match(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<md:EntityDescriptor /);
    expect(answer.body).to.contain('\n    <md:KeyDescriptor use="signing">\n');

    expect([root.namespaceURI, root.localName]).to.deep.equal([md, 'EntityDescriptor']);
    expect(root.getAttribute('entityID')).to.equal(`${idp.baseUrl}/saml`);
    expect(root.hasAttribute('validUntil')).to.equal(false);
    const roles = [...root.childNodes].filter((node) => node.nodeType === 1);
    expect(roles.map((role) => role.nodeName)).to.deep.equal(['md:IDPSSODescriptor']);
    const role = only(root, md, 'IDPSSODescriptor');
    expect(role.getAttribute('protocolSupportEnumeration')).to.equal('urn:oasis:names:tc:SAML:2.0:protocol');
    expect(role.hasAttribute('validUntil')).to.equal(false);
    expect(all(root, md, 'SingleLogoutService')).to.have.length(0);
    expect(all(root, namespaces.signature, 'Signature')).to.have.length(0);

    expect(only(root, md, 'KeyDescriptor').getAttribute('use')).to.equal('signing');
    expect(certificateOf(root)).to.match(/^[A-Za-z0-9+/]+=*$/);
    expect(certificateOf(root)).to.equal(der(await pem()));

    const children = [...role.childNodes].filter((node) => node.nodeType === 1).map((node) => node.nodeName);
    expect(children).to.deep.equal([
      'md:KeyDescriptor',
      ...Array.from({ length: 4 }, () => 'md:NameIDFormat'),
      'md:SingleSignOnService',
      'md:SingleSignOnService',
    ]);
    expect(all(role, md, 'NameIDFormat').map((format) => format.textContent)).to.deep.equal([
      'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
      'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
      'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
      'urn:oasis:names:tc:SAML:2.0:nameid-format:transient',
    ]);
    expect(
      all(role, md, 'SingleSignOnService').map((service) => [
        service.getAttribute('Binding'),
        service.getAttribute('Location'),
      ]),
    ).to.deep.equal([
      ['urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST', `${idp.baseUrl}/saml/sso`],
      ['urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', `${idp.baseUrl}/saml/sso`],
    ]);
  });

  verifies('SAM-05', 'require signed requests only while the setting is on', async () => {
    await idp.configure({ settings: { saml: { want_authn_requests_signed: true } } });
    expect(only((await metadata()).root, md, 'IDPSSODescriptor').getAttribute('WantAuthnRequestsSigned')).to.equal(
      'true',
    );
    await idp.configure();
    expect(only((await metadata()).root, md, 'IDPSSODescriptor').hasAttribute('WantAuthnRequestsSigned')).to.equal(
      false,
    );
  });

  verifies('SAM-06', 'derive addresses from the request, except configured ones', async () => {
    const addresses = async (host: string) => {
      const { root } = await metadata({ Host: host });
      return [root.getAttribute('entityID'), all(root, md, 'SingleSignOnService')[0]?.getAttribute('Location')];
    };
    await idp.configure({ settings: { saml: { entity_id: '', sso_url: '  ' } } });
    expect(await addresses('idp.example:81')).to.deep.equal([
      'http://idp.example:81/saml',
      'http://idp.example:81/saml/sso',
    ]);
    await idp.configure({ settings: { saml: { entity_id: 'urn:my:idp', sso_url: 'https://door.example/sso' } } });
    expect(await addresses('idp.example:81')).to.deep.equal(['urn:my:idp', 'https://door.example/sso']);
    await idp.configure({ settings: { oauth: { issuer: 'https://fixed.example', issuer_from_request: false } } });
    expect(await addresses('idp.example:81')).to.deep.equal([
      'https://fixed.example/saml',
      'https://fixed.example/saml/sso',
    ]);
  });

  verifies('SAM-07', 'share one origin with responses and discovery for the same Host', async () => {
    await idp.configure();
    const Host = 'idp.example:8080';
    const { root } = await metadata({ Host });
    expect(root.getAttribute('entityID')).to.equal('http://idp.example:8080/saml');
    const discovery = await rawRequest(`${idp.baseUrl}/.well-known/openid-configuration`, { headers: { Host } });
    expect(JSON.parse(discovery.body).issuer).to.equal('http://idp.example:8080');
    const browser = await loggedIn(idp);
    // The cookie name contains the port of the Host (D41).
    const cookie = [...browser.cookies].map(([, value]) => `test_idp_session_8080=${value}`).join('; ');
    const answer = await rawRequest(`${idp.baseUrl}/saml/sso?${redirectQuery(authnRequest())}`, {
      headers: { Host, Cookie: cookie },
    });
    const response = Buffer.from(/name="SAMLResponse" value="([^"]+)"/.exec(answer.body)?.[1] ?? '', 'base64');
    const issuers = all(rootOf(response.toString()), namespaces.assertion, 'Issuer').map(
      (issuer) => issuer.textContent,
    );
    expect(issuers).to.deep.equal(['http://idp.example:8080/saml', 'http://idp.example:8080/saml']);
  });

  verifies('SAM-08', 'include the certificate as PEM at its own address', async () => {
    const answer = await fetch(`${idp.baseUrl}/saml/cert.pem`);
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('application/x-pem-file');
    const text = await answer.text();
    expect(text).to.match(/^-----BEGIN CERTIFICATE-----\n[\s\S]+\n-----END CERTIFICATE-----\n$/);
    const browser = await loggedIn(idp);
    const { xml, root } = delivered(await browser.post('/saml/sso', { SAMLRequest: encodePost(authnRequest()) }));
    await verifyWithXmlsec(xml, text);
    expect(certificateOf(root)).to.equal(der(text));
  });

  verifies('SAM-09', 'change together with certificate and signatures on a rotation', async () => {
    const browser = await loggedIn(idp);
    const before = der(await pem());
    expect(certificateOf((await metadata()).root)).to.equal(before);
    const rotated = await fetch(`${idp.baseUrl}/api/keys/rotate`, { method: 'POST' });
    expect(rotated.status, await rotated.text()).to.equal(200);
    const text = await pem();
    expect(der(text)).to.not.equal(before);
    expect(certificateOf((await metadata()).root)).to.equal(der(text));
    const { xml, root } = delivered(await browser.post('/saml/sso', { SAMLRequest: encodePost(authnRequest()) }));
    expect(certificateOf(root)).to.equal(der(text));
    await verifyWithXmlsec(xml, text);
  });

  verifies('SAM-10', 'have fixed methods at each address, and others return 405 with Allow', async () => {
    for (const [path, wrong, allowed] of [
      ['/saml/metadata', 'POST', ['GET']],
      ['/saml/cert.pem', 'POST', ['GET']],
      ['/saml/sso', 'PUT', ['GET', 'POST']],
      ['/saml/attribute-query', 'GET', ['POST']],
      ['/saml/attribute-query', 'DELETE', ['POST']],
    ] as const) {
      const answer = await rawRequest(idp.baseUrl + path, { method: wrong });
      expect(answer.status, `${wrong} ${path}`).to.equal(405);
      const allow = String(answer.headers.allow).split(', ');
      expect(allow.filter((method) => method === 'GET' || method === 'POST')).to.deep.equal(allowed);
      expect(allow).to.not.contain(wrong);
    }
  });
});
