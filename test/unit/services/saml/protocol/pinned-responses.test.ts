// Pins every kind of Response byte by byte, with fixed times and identifiers. If a test fails, decide whether the
// change is intended: service providers see every one of these bytes.
import { expect } from 'chai';
import { loginAssertion, queryAssertion } from '#services/saml/protocol/assertion.ts';
import { entityDescriptor, metadataDocument } from '#services/saml/protocol/metadata-document.ts';
import {
  loginErrorResponse,
  loginSuccessResponse,
  queryResponse,
  scopeOfLoginAssertion,
} from '#services/saml/protocol/response.ts';
import { instant } from '#shared/base/clock.ts';
import { signElement } from '#shared/engine/saml-signing/sign-element.ts';
import { documentMoment } from '#shared/protocol/saml/instants.ts';
import { persistentFormat, unspecifiedFormat } from '#shared/protocol/saml/name-formats.ts';
import { soapEnvelope, soapFault } from '#shared/protocol/saml/soap.ts';
import { noPassive, success, unknownPrincipal } from '#shared/protocol/saml/status.ts';
import { writeDocument } from '#shared/protocol/saml/xml/write-xml.ts';
import { indented } from '#shared/protocol/saml/xml-element.ts';
import { signingKey } from '#test/support/saml/signing-key.ts';
import { verifies } from '#test/support/verifies.ts';

const at = documentMoment(instant(Date.UTC(2026, 0, 2, 3, 4, 5, 678)));
const entityId = 'http://idp.example/saml';
const acsUrl = 'https://sp.example/acs';
const head = { id: '_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', at, entityId };
const loginHead = { ...head, acsUrl, inResponseTo: '_request' };
const login = {
  ...loginHead,
  id: '_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
  nameId: { value: 'alice@example.org', Format: unspecifiedFormat },
  attributes: [
    { name: 'email', values: ['alice@example.org'] },
    { name: 'entitlements', values: ['A', 'B'] },
  ],
  audiences: ['https://sp.example'],
  validity: { lifetimeSeconds: 300, notBeforeSeconds: 0 },
  authenticatedAt: instant(Date.UTC(2026, 0, 2, 3, 0, 0, 999)),
  method: 'password',
  sessionIndex: '_cccccccccccccccccccccccccccccccc',
} as const;
const query = {
  ...head,
  id: '_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb',
  nameId: { value: 'alice', Format: unspecifiedFormat },
  attributes: [{ name: 'email', values: ['alice@example.org'] }],
};

const loginAssertionText =
  '<saml2:Assertion ID="_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" IssueInstant="2026-01-02T03:04:05Z" Version="2.0">' +
  '<saml2:Issuer>http://idp.example/saml</saml2:Issuer>' +
  '<saml2:Subject>' +
  '<saml2:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">alice@example.org</saml2:NameID>' +
  '<saml2:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">' +
  '<saml2:SubjectConfirmationData InResponseTo="_request" NotOnOrAfter="2026-01-02T03:09:05Z" Recipient="https://sp.example/acs"></saml2:SubjectConfirmationData>' +
  '</saml2:SubjectConfirmation>' +
  '</saml2:Subject>' +
  '<saml2:Conditions NotBefore="2026-01-02T03:04:05Z" NotOnOrAfter="2026-01-02T03:09:05Z">' +
  '<saml2:AudienceRestriction><saml2:Audience>https://sp.example</saml2:Audience></saml2:AudienceRestriction>' +
  '</saml2:Conditions>' +
  '<saml2:AuthnStatement AuthnInstant="2026-01-02T03:00:00Z" SessionIndex="_cccccccccccccccccccccccccccccccc">' +
  '<saml2:AuthnContext><saml2:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:PasswordProtectedTransport</saml2:AuthnContextClassRef></saml2:AuthnContext>' +
  '</saml2:AuthnStatement>' +
  '<saml2:AttributeStatement>' +
  '<saml2:Attribute Name="email"><saml2:AttributeValue>alice@example.org</saml2:AttributeValue></saml2:Attribute>' +
  '<saml2:Attribute Name="entitlements"><saml2:AttributeValue>A</saml2:AttributeValue><saml2:AttributeValue>B</saml2:AttributeValue></saml2:Attribute>' +
  '</saml2:AttributeStatement>' +
  '</saml2:Assertion>';

const signatureText = (reference: string, c14n: string) =>
  '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo>' +
  `<ds:CanonicalizationMethod Algorithm="${c14n}"></ds:CanonicalizationMethod>` +
  '<ds:SignatureMethod Algorithm="http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"></ds:SignatureMethod>' +
  `<ds:Reference URI="#${reference}"><ds:Transforms>` +
  '<ds:Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"></ds:Transform>' +
  `<ds:Transform Algorithm="${c14n}"></ds:Transform>` +
  '</ds:Transforms><ds:DigestMethod Algorithm="http://www.w3.org/2001/04/xmlenc#sha256"></ds:DigestMethod>' +
  '<ds:DigestValue>…</ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue>…</ds:SignatureValue>' +
  '<ds:KeyInfo><ds:X509Data><ds:X509Certificate>…</ds:X509Certificate></ds:X509Data></ds:KeyInfo></ds:Signature>';

/** The text without the parts that depend on the key. */
const withoutValues = (text: string) =>
  text.replace(/(<ds:(DigestValue|SignatureValue|X509Certificate)>)[A-Za-z0-9+/=]+/g, '$1…');

describe('the pinned bytes', () => {
  verifies(['SAM-48', 'SAM-49', 'SAM-50'], 'match an SSO success', () => {
    expect(writeDocument(loginSuccessResponse(loginHead, loginAssertion(login)))).to.equal(
      '<saml2p:Response xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" Destination="https://sp.example/acs" ID="_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" InResponseTo="_request" IssueInstant="2026-01-02T03:04:05Z" Version="2.0">' +
        '<saml2:Issuer>http://idp.example/saml</saml2:Issuer>' +
        '<saml2p:Status><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></saml2p:StatusCode></saml2p:Status>' +
        `${loginAssertionText}</saml2p:Response>`,
    );
  });

  it('match an SSO success for a request without ID, issuer and attributes', () => {
    const { attributes: _none, ...bare } = login;
    const text = writeDocument(
      loginSuccessResponse(
        { ...loginHead, inResponseTo: undefined },
        loginAssertion({ ...bare, inResponseTo: undefined, audiences: ['default'], attributes: [], method: 'persona' }),
      ),
    );
    expect(text).to.equal(
      '<saml2p:Response xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" Destination="https://sp.example/acs" ID="_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" IssueInstant="2026-01-02T03:04:05Z" Version="2.0">' +
        '<saml2:Issuer>http://idp.example/saml</saml2:Issuer>' +
        '<saml2p:Status><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></saml2p:StatusCode></saml2p:Status>' +
        '<saml2:Assertion ID="_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" IssueInstant="2026-01-02T03:04:05Z" Version="2.0">' +
        '<saml2:Issuer>http://idp.example/saml</saml2:Issuer>' +
        '<saml2:Subject><saml2:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">alice@example.org</saml2:NameID>' +
        '<saml2:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml2:SubjectConfirmationData NotOnOrAfter="2026-01-02T03:09:05Z" Recipient="https://sp.example/acs"></saml2:SubjectConfirmationData></saml2:SubjectConfirmation></saml2:Subject>' +
        '<saml2:Conditions NotBefore="2026-01-02T03:04:05Z" NotOnOrAfter="2026-01-02T03:09:05Z"><saml2:AudienceRestriction><saml2:Audience>default</saml2:Audience></saml2:AudienceRestriction></saml2:Conditions>' +
        '<saml2:AuthnStatement AuthnInstant="2026-01-02T03:00:00Z" SessionIndex="_cccccccccccccccccccccccccccccccc"><saml2:AuthnContext><saml2:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified</saml2:AuthnContextClassRef></saml2:AuthnContext></saml2:AuthnStatement>' +
        '</saml2:Assertion></saml2p:Response>',
    );
  });

  verifies('SAM-52', 'match an SSO success with a signed assertion and an unsigned Response', async () => {
    const assertion = await signElement(loginAssertion(login), {
      key: await signingKey('idp'),
      c14n: 'exc_c14n',
      inherited: scopeOfLoginAssertion,
      layout: 'compact',
    });
    const text = withoutValues(writeDocument(loginSuccessResponse(loginHead, assertion)));
    const issuer = '<saml2:Issuer>http://idp.example/saml</saml2:Issuer>';
    const signature = signatureText('_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb', 'http://www.w3.org/2001/10/xml-exc-c14n#');
    expect(text).to.equal(
      '<saml2p:Response xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" Destination="https://sp.example/acs" ID="_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" InResponseTo="_request" IssueInstant="2026-01-02T03:04:05Z" Version="2.0">' +
        '<saml2:Issuer>http://idp.example/saml</saml2:Issuer>' +
        '<saml2p:Status><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></saml2p:StatusCode></saml2p:Status>' +
        `${loginAssertionText.replace(issuer, issuer + signature.replace(' xmlns:ds="http://www.w3.org/2000/09/xmldsig#"', ''))}</saml2p:Response>`,
    );
  });

  verifies('SAM-53', 'match an SSO error, signed at its root', async () => {
    const response = await signElement(loginErrorResponse(loginHead, noPassive), {
      key: await signingKey('idp'),
      c14n: 'c14n',
      layout: 'compact',
    });
    expect(withoutValues(writeDocument(response))).to.equal(
      '<saml2p:Response xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" Destination="https://sp.example/acs" ID="_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" InResponseTo="_request" IssueInstant="2026-01-02T03:04:05Z" Version="2.0">' +
        '<saml2:Issuer>http://idp.example/saml</saml2:Issuer>' +
        signatureText('_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'http://www.w3.org/TR/2001/REC-xml-c14n-20010315') +
        '<saml2p:Status><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Responder"><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:NoPassive"></saml2p:StatusCode></saml2p:StatusCode></saml2p:Status>' +
        '</saml2p:Response>',
    );
  });

  verifies(['SAM-55', 'SAM-56', 'SAM-57'], 'match the response to an attribute query', () => {
    const response = queryResponse(head, '_query', success, queryAssertion(query));
    expect(soapEnvelope(indented(response), 'prefixed')).to.equal(`<?xml version="1.0" encoding="UTF-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><saml2p:Response xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" ID="_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" InResponseTo="_query" IssueInstant="2026-01-02T03:04:05Z" Version="2.0">
  <saml2:Issuer>http://idp.example/saml</saml2:Issuer>
  <saml2p:Status>
    <saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"></saml2p:StatusCode>
  </saml2p:Status>
  <saml2:Assertion ID="_bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" IssueInstant="2026-01-02T03:04:05Z" Version="2.0">
    <saml2:Issuer>http://idp.example/saml</saml2:Issuer>
    <saml2:Subject>
      <saml2:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">alice</saml2:NameID>
    </saml2:Subject>
    <saml2:Conditions NotBefore="2026-01-02T03:04:05Z" NotOnOrAfter="2026-01-02T04:04:05Z"></saml2:Conditions>
    <saml2:AttributeStatement>
      <saml2:Attribute Name="email">
        <saml2:AttributeValue>alice@example.org</saml2:AttributeValue>
      </saml2:Attribute>
    </saml2:AttributeStatement>
  </saml2:Assertion>
</saml2p:Response></soap:Body></soap:Envelope>
`);
  });

  it('match the response to an attribute query in an envelope that leaves no prefix behind', () => {
    expect(soapEnvelope(queryResponse(head, '', unknownPrincipal, undefined), 'default_namespace')).to.equal(
      `<?xml version="1.0" encoding="UTF-8"?>
<Envelope xmlns="http://schemas.xmlsoap.org/soap/envelope/"><Body><saml2p:Response xmlns="" xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" ID="_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" InResponseTo="" IssueInstant="2026-01-02T03:04:05Z" Version="2.0"><saml2:Issuer>http://idp.example/saml</saml2:Issuer><saml2p:Status><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Requester"><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:UnknownPrincipal"></saml2p:StatusCode></saml2p:StatusCode></saml2p:Status></saml2p:Response></Body></Envelope>
`,
    );
  });

  verifies(['SAM-55', 'SAM-57'], 'match an unsigned error of an attribute query, on one line', () => {
    expect(soapEnvelope(queryResponse(head, undefined, unknownPrincipal, undefined), 'prefixed')).to.equal(
      `<?xml version="1.0" encoding="UTF-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><saml2p:Response xmlns:saml2="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:saml2p="urn:oasis:names:tc:SAML:2.0:protocol" ID="_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" InResponseTo="_unknown" IssueInstant="2026-01-02T03:04:05Z" Version="2.0"><saml2:Issuer>http://idp.example/saml</saml2:Issuer><saml2p:Status><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Requester"><saml2p:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:UnknownPrincipal"></saml2p:StatusCode></saml2p:StatusCode></saml2p:Status></saml2p:Response></soap:Body></soap:Envelope>
`,
    );
  });

  it('match a SOAP fault', () => {
    expect(soapFault('Client', 'no <NameID>')).to.equal(
      `<?xml version="1.0" encoding="UTF-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault><faultcode>soap:Client</faultcode><faultstring>no &lt;NameID&gt;</faultstring></soap:Fault></soap:Body></soap:Envelope>
`,
    );
  });

  it('match a NameID with qualifiers, and a TOTP login', () => {
    const text = writeDocument(
      loginAssertion({
        ...login,
        nameId: {
          value: '_p',
          Format: persistentFormat,
          NameQualifier: entityId,
          SPNameQualifier: 'https://sp.example',
        },
        method: 'password+totp',
      }),
    );
    expect(text).to.contain(
      '<saml2:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent" NameQualifier="http://idp.example/saml" SPNameQualifier="https://sp.example">_p</saml2:NameID>',
    );
    expect(text).to.contain(
      '<saml2:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:TimeSyncToken</saml2:AuthnContextClassRef>',
    );
  });

  verifies(['SAM-01', 'SAM-02', 'SAM-03', 'SAM-04', 'SAM-05'], 'match the metadata', () => {
    expect(
      metadataDocument(
        entityDescriptor({
          entityId,
          ssoUrl: 'http://idp.example/saml/sso',
          certificates: ['MIIB'],
          wantAuthnRequestsSigned: true,
        }),
      ),
    ).to.equal(`<?xml version="1.0" encoding="UTF-8"?>
<md:EntityDescriptor xmlns:ds="http://www.w3.org/2000/09/xmldsig#" xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="http://idp.example/saml">
  <md:IDPSSODescriptor WantAuthnRequestsSigned="true" protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">
    <md:KeyDescriptor use="signing">
      <ds:KeyInfo>
        <ds:X509Data>
          <ds:X509Certificate>MIIB</ds:X509Certificate>
        </ds:X509Data>
      </ds:KeyInfo>
    </md:KeyDescriptor>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified</md:NameIDFormat>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress</md:NameIDFormat>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:persistent</md:NameIDFormat>
    <md:NameIDFormat>urn:oasis:names:tc:SAML:2.0:nameid-format:transient</md:NameIDFormat>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" Location="http://idp.example/saml/sso"></md:SingleSignOnService>
    <md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="http://idp.example/saml/sso"></md:SingleSignOnService>
  </md:IDPSSODescriptor>
</md:EntityDescriptor>
`);
  });
});
