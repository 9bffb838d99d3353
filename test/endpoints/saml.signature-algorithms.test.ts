// The algorithms that a service provider may sign with, in requests and logout messages. openssl makes the signatures.
import { expect } from 'chai';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { loggedIn } from '#test/support/authorization-flow.ts';
import { type BrowserClient, fieldOf, type Page } from '#test/support/browser-client.ts';
import { type OpensslAlgorithm, queryByOpenssl, xmlByOpenssl } from '#test/support/saml/openssl-signature.ts';
import {
  authnRequest,
  delivered,
  encodePost,
  namespaces,
  newId,
  redirectQuery,
  rootOf,
  statusOf,
} from '#test/support/saml/service-provider.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { verifies } from '#test/support/verifies.ts';
import { saml } from '#test/support/worlds.ts';

const sp = 'https://sp.example';

const sha1 = { hash: 'sha1', digestUri: 'http://www.w3.org/2000/09/xmldsig#sha1' } as const;
const sha256 = { hash: 'sha256', digestUri: 'http://www.w3.org/2001/04/xmlenc#sha256' } as const;
const sha384 = { hash: 'sha384', digestUri: 'http://www.w3.org/2001/04/xmldsig-more#sha384' } as const;
const sha512 = { hash: 'sha512', digestUri: 'http://www.w3.org/2001/04/xmlenc#sha512' } as const;

const algorithms: readonly OpensslAlgorithm[] = [
  { uri: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1', ...sha1 },
  { uri: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', ...sha256 },
  { uri: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', ...sha384 },
  { uri: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', ...sha512 },
  { uri: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1', ...sha256, salt: 'digest' },
  { uri: 'http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1', ...sha384, salt: 'digest' },
  { uri: 'http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1', ...sha512, salt: 'digest' },
];

const pss: OpensslAlgorithm = {
  uri: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
  ...sha256,
  salt: 'digest',
};

/** Signatures that do not match the algorithm that they name (RFC 9231 §2.3.10). */
const mismatches: Readonly<Record<string, OpensslAlgorithm>> = {
  'PSS without salt': { ...pss, salt: '0' },
  'PSS with a longer salt': { ...pss, salt: 'max' },
  'PKCS 1.5 that names PSS': { uri: pss.uri, ...sha256 },
  'PSS that names PKCS 1.5': { ...pss, uri: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256' },
  'PSS with SHA-384 that names SHA-256': { ...sha384, uri: pss.uri, salt: 'digest' },
};

describe('algorithms of signed SAML messages', () => {
  let idp: RunningIdp;
  let key: SigningKey;
  let stranger: SigningKey;
  before(async () => {
    [key, stranger] = [await signingKey('sp'), await signingKey('stranger')];
    idp = await startIdp({ world: saml });
    await idp.configure({
      settings: {
        login: { session: 'on' },
        saml: {
          single_logout: true,
          service_providers: [
            {
              entity_id: sp,
              acs: `${sp}/acs`,
              certificates: [key.certificatePem],
              want_signed_requests: true,
              slo: [{ url: `${sp}/slo`, binding: 'HTTP-POST' }],
            },
          ],
        },
      },
    });
  });
  after(() => idp.stop());

  const logIn = async (alice: BrowserClient, by: 'POST' | 'redirect', algorithm: OpensslAlgorithm, signer = key) => {
    const id = newId();
    const request = authnRequest({
      id,
      issuer: sp,
      acs: undefined,
      attributes: `Destination="${idp.baseUrl}/saml/sso"`,
    });
    const page =
      by === 'POST'
        ? await alice.post('/saml/sso', { SAMLRequest: encodePost(xmlByOpenssl(request, signer, algorithm)) })
        : await alice.get(`/saml/sso?${queryByOpenssl(redirectQuery(request, 'state'), signer, algorithm)}`);
    return { id, page };
  };
  const logOut = (alice: BrowserClient, by: 'POST' | 'redirect', algorithm: OpensslAlgorithm, signer = key) => {
    const request =
      `<samlp:LogoutRequest xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}" ID="${newId()}"` +
      ` Version="2.0" IssueInstant="2026-01-01T00:00:00Z" Destination="${idp.baseUrl}/saml/slo">` +
      `<saml:Issuer>${sp}</saml:Issuer><saml:NameID>alice@example.com</saml:NameID></samlp:LogoutRequest>`;
    return by === 'POST'
      ? alice.post('/saml/slo', { SAMLRequest: encodePost(xmlByOpenssl(request, signer, algorithm)) })
      : alice.get(`/saml/slo?${queryByOpenssl(redirectQuery(request, 'state'), signer, algorithm)}`);
  };
  const statusOfLogout = (page: Page) => {
    expect(page.status, page.text).to.equal(200);
    return statusOf(rootOf(Buffer.from(fieldOf(page, 'SAMLResponse') ?? '', 'base64').toString()));
  };

  for (const algorithm of algorithms) {
    for (const by of ['redirect', 'POST'] as const) {
      verifies('SRQ-01', `accepts ${algorithm.uri.replace(/.*#/, '')} by ${by}`, async () => {
        const alice = await loggedIn(idp);
        const { id, page } = await logIn(alice, by, algorithm);
        expect(page.status, page.text).to.equal(200);
        const { root, status } = delivered(page);
        expect([...status, root.getAttribute('InResponseTo')]).to.deep.equal(['Success', id]);
        expect(statusOfLogout(await logOut(alice, by, algorithm))).to.deep.equal(['Success']);
      });
    }
  }

  for (const [name, algorithm] of Object.entries(mismatches)) {
    for (const by of ['redirect', 'POST'] as const) {
      verifies('SRQ-01', `rejects ${name} by ${by}`, async () => {
        const alice = await loggedIn(idp);
        for (const page of [(await logIn(alice, by, algorithm)).page, await logOut(alice, by, algorithm)]) {
          expect(page.status).to.equal(400);
          expect(page.text).to.match(/no certificate of this service provider verifies/);
        }
      });
    }
  }

  verifies('SRQ-01', 'rejects PSS by an unknown key, and names the algorithms for an unknown one', async () => {
    const alice = await loggedIn(idp);
    const unknown = { ...pss, uri: 'http://www.w3.org/2007/05/xmldsig-more#sha224-rsa-MGF1' };
    for (const by of ['redirect', 'POST'] as const) {
      const { page } = await logIn(alice, by, pss, stranger);
      expect([page.status, page.text]).to.satisfy(
        ([status, text]: [number, string]) =>
          status === 400 && text.includes('no certificate of this service provider verifies'),
      );
      const rejected = (await logIn(alice, by, unknown)).page;
      expect(rejected.status).to.equal(400);
      expect(rejected.text).to.contain(
        'is not one of rsa-sha1, rsa-sha256, rsa-sha384, rsa-sha512, rsa-pss-sha256, rsa-pss-sha384, rsa-pss-sha512',
      );
    }
  });
});
