// Independent verifiers check every kind of signed Response, under all three canonicalizations and with hostile values.
import { expect } from 'chai';
import { loginAssertion, queryAssertion } from '#services/saml/protocol/assertion.ts';
import {
  loginErrorResponse,
  loginSuccessResponse,
  queryResponse,
  scopeOfLoginAssertion,
} from '#services/saml/protocol/response.ts';
import { instant } from '#shared/base/clock.ts';
import { signElement } from '#shared/engine/saml-signing/sign-element.ts';
import { type C14nAlgorithm, c14nAlgorithms } from '#shared/model/configuration/settings/saml.ts';
import { unspecifiedFormat } from '#shared/protocol/saml/name-formats.ts';
import { soapEnvelope } from '#shared/protocol/saml/soap.ts';
import { noPassive, success } from '#shared/protocol/saml/status.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { writeDocument } from '#shared/protocol/saml/xml/write-xml.ts';
import { elementsOf, textOf, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { verifyWithXmlCrypto, verifyWithXmlsec } from '#test/support/saml/verify-signature.ts';
import { verifies } from '#test/support/verifies.ts';

const hostileValues = [
  '<&"\'>]]>',
  '<!-- x --><![CDATA[y]]><?z?>&amp;&#65;',
  '\u{1F600}\u{1F468}\u200D\u{1F469}',
  '\u202Eevil\u202C שלום مرحبا',
  'carriage\rreturn\r\nline\nfeed\ttab \u0085\u2028\u2029 end ',
  '   ',
  'forbidden \u0000\u0001\u000B\u001F\uFFFE\uFFFF\uD800 characters',
  'x'.repeat(100_000),
];

const at = instant(Date.UTC(2026, 0, 2, 3, 4, 5));
const head = { id: `_${'a'.repeat(32)}`, at, entityId: 'http://idp.example/saml?a=1&b="2"' };
const loginHead = { ...head, acsUrl: 'https://sp.example/acs?x=1&y=<2>', inResponseTo: '_request' };
const attributes = [{ name: 'hostile <&"\t>', values: hostileValues }];

const login = loginAssertion({
  ...loginHead,
  id: `_${'b'.repeat(32)}`,
  nameId: { value: '<&"\'>]]>\u{1F600}', Format: unspecifiedFormat },
  attributes,
  audiences: ['https://sp.example/<&">'],
  validity: { lifetimeSeconds: 300, notBeforeSeconds: 0 },
  authenticatedAt: at,
  method: 'password',
  sessionIndex: '_c',
});
const query = queryAssertion({
  ...head,
  id: `_${'b'.repeat(32)}`,
  nameId: { value: ' \r\n alice ', Format: 'urn:"x"' },
  attributes,
});

async function signed(
  element: XmlElement,
  c14n: C14nAlgorithm,
  options: { inherited?: ReadonlyMap<string, string>; layout: 'compact' | 'indented' },
): Promise<XmlElement> {
  return signElement(element, { key: await signingKey('idp'), c14n, ...options });
}

/** Both verifiers agree, reject another key, and reject the document with one value changed. */
async function accepted(xml: string): Promise<void> {
  const { certificatePem } = await signingKey('idp');
  const otherCertificate = (await signingKey('stranger')).certificatePem;
  expect(verifyWithXmlCrypto(xml, certificatePem)).to.have.length(1);
  await verifyWithXmlsec(xml, certificatePem);
  expect(() => verifyWithXmlCrypto(xml, otherCertificate)).to.throw();
  const changed = xml.replace('http://idp.example', 'http://evil.example').replace('status:Success', 'status:Succes');
  expect(() => verifyWithXmlCrypto(changed.replace(/_b+"/, '_b"'), certificatePem)).to.throw();
}

describe('signElement', () => {
  for (const c14n of c14nAlgorithms) {
    verifies(['SAM-45', 'SAM-46'], `signs the assertion of a login (${c14n})`, async () => {
      const assertion = await signed(login, c14n, { inherited: scopeOfLoginAssertion, layout: 'compact' });
      const xml = writeDocument(loginSuccessResponse(loginHead, assertion));
      await accepted(xml);
      const uris = {
        exc_c14n: 'http://www.w3.org/2001/10/xml-exc-c14n#',
        c14n: 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315',
        c14n11: 'http://www.w3.org/2006/12/xml-c14n11',
      };
      expect(xml.split(`Algorithm="${uris[c14n]}"`)).to.have.length(3);
    });

    verifies(['SAM-45', 'SAM-46'], `signs an error Response (${c14n})`, async () => {
      const response = await signed(loginErrorResponse(loginHead, noPassive), c14n, { layout: 'compact' });
      await accepted(writeDocument(response));
    });

    verifies(
      ['SAM-45', 'SAM-57'],
      `signs an indented query Response, which verifies inside and outside its envelope (${c14n})`,
      async () => {
        const response = await signed(queryResponse(head, '_<&"', success, query), c14n, { layout: 'indented' });
        await accepted(writeDocument(response));
        await accepted(soapEnvelope(response, c14n === 'exc_c14n' ? 'prefixed' : 'default_namespace'));
      },
    );
  }

  it('keeps hostile values, except characters that XML 1.0 forbids', async () => {
    const assertion = await signed(login, 'exc_c14n', { layout: 'compact', inherited: scopeOfLoginAssertion });
    const xml = writeDocument(loginSuccessResponse(loginHead, assertion));
    const values = [...elementsOf(parseXml(xml))].filter(({ local }) => local === 'AttributeValue').map(textOf);
    expect(values).to.deep.equal([
      ...hostileValues.slice(0, 6),
      'forbidden \uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD\uFFFD characters',
      'x'.repeat(100_000),
    ]);
  });

  it('puts the signature directly after the Issuer', async () => {
    for (const layout of ['compact', 'indented'] as const) {
      const response = await signed(loginErrorResponse(loginHead, noPassive), 'exc_c14n', { layout });
      const names = response.children.map((child) => (typeof child === 'string' ? '' : child.local)).filter(Boolean);
      expect(names).to.deep.equal(['Issuer', 'Signature', 'Status']);
    }
  });
});
