import { expect } from 'chai';
import { authnRequestProblem, readAuthnRequest } from '#services/saml/protocol/authn-request.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { authnRequest, nameIdPolicy } from '#test/support/saml/service-provider.ts';

const read = (xml: string) => readAuthnRequest(parseXml(xml));

describe('readAuthnRequest', () => {
  it('reads everything that has an effect', () => {
    const attributes =
      'Destination="https://idp.example/sso" ProtocolBinding="urn:b" IsPassive="1" ForceAuthn=" true " AssertionConsumerServiceIndex="1"';
    const policy = nameIdPolicy('urn:f').replace('/>', ' SPNameQualifier="urn:affiliation"/>');
    expect(read(authnRequest({ id: '_1', attributes, children: policy }))).to.deep.equal({
      id: '_1',
      issuer: 'https://sp.example',
      acsUrl: 'https://sp.example/acs',
      acsIndex: '1',
      attributeServiceIndex: undefined,
      destination: 'https://idp.example/sso',
      protocolBinding: 'urn:b',
      nameIdFormat: 'urn:f',
      spNameQualifier: 'urn:affiliation',
      isPassive: true,
      forceAuthn: true,
      subject: undefined,
      authnContext: undefined,
    });
  });

  it('treats empty values as absent', () => {
    const none = {
      id: undefined,
      issuer: undefined,
      acsUrl: undefined,
      acsIndex: undefined,
      attributeServiceIndex: undefined,
      destination: undefined,
      protocolBinding: undefined,
      nameIdFormat: undefined,
      spNameQualifier: undefined,
      isPassive: false,
      forceAuthn: false,
      subject: undefined,
      authnContext: undefined,
    };
    expect(read('<a/>')).to.deep.equal(none);
    const attributes = 'Destination="" ProtocolBinding="" IsPassive="" ForceAuthn="yes"';
    expect(
      read(authnRequest({ id: '', issuer: ' \n ', acs: '', attributes, children: nameIdPolicy('') })),
    ).to.deep.equal(none);
  });

  it('reads attributes without namespace and children of their own namespace only', () => {
    const xml =
      '<a xmlns:x="urn:x" x:ID="_1" x:AssertionConsumerServiceURL="https://evil.example"><Issuer>wrong</Issuer>' +
      '<y><s:Issuer xmlns:s="urn:oasis:names:tc:SAML:2.0:assertion">too deep</s:Issuer></y></a>';
    const { id, issuer, acsUrl } = read(xml);
    expect([id, issuer, acsUrl]).to.deep.equal([undefined, undefined, undefined]);
  });

  it('reads which user the response must be about', () => {
    const subject = (children: string) =>
      read(authnRequest({ children: `<saml:Subject>${children}</saml:Subject>` })).subject;
    expect(subject('<saml:NameID Format="urn:f"> ali<!-- -->ce\n</saml:NameID>')).to.deep.equal({ nameId: 'alice' });
    expect(subject('<saml:EncryptedID/>')).to.deep.include({ nameId: undefined }).and.have.property('encrypted');
    expect(subject('<saml:BaseID/>')).to.deep.equal({ nameId: undefined });
    expect(subject('<NameID>alice</NameID>')).to.deep.equal({ nameId: undefined });
    expect(subject('')).to.equal(undefined);
    expect(subject('<saml:SubjectConfirmation Method="urn:m"/>')).to.equal(undefined);
  });

  it('joins the text of an Issuer around a comment', () => {
    expect(read(authnRequest({ issuer: 'https://sp<!-- x -->.example' })).issuer).to.equal('https://sp.example');
  });
});

describe('authnRequestProblem', () => {
  it('accepts an AuthnRequest of SAML 2.0', () => {
    expect(authnRequestProblem(parseXml(authnRequest()))).to.equal(undefined);
    expect(authnRequestProblem(parseXml(authnRequest({ version: '1.1' })))).to.equal('saml_version_wrong');
    expect(authnRequestProblem(parseXml('<AuthnRequest Version="2.0"/>'))).to.equal('saml_request_of_another_kind');
  });
});
