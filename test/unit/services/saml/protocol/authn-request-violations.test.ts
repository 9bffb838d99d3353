import { expect } from 'chai';
import { type Transmission, violationsOf } from '#services/saml/protocol/authn-request-violations.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { authnRequest, type RequestParts } from '#test/support/saml/service-provider.ts';

const violations = (xml: string, transmission: Partial<Transmission> = {}) =>
  violationsOf(parseXml(xml), { binding: 'POST', relayState: '', ...transmission });
const only = (parts: RequestParts, transmission: Partial<Transmission> = {}) => {
  const found = violations(authnRequest(parts), transmission);
  expect(found).to.have.length(1);
  return found[0];
};

describe('violationsOf', () => {
  it('finds none in what SAML allows', () => {
    expect(violations(authnRequest())).to.deep.equal([]);
    const entity = authnRequest().replace(
      '<saml:Issuer>',
      '<saml:Issuer Format="urn:oasis:names:tc:SAML:2.0:nameid-format:entity">',
    );
    expect(violations(entity, { binding: 'GET', relayState: 'r'.repeat(80) })).to.deep.equal([]);
    const indexed = authnRequest({ acs: undefined, attributes: 'AssertionConsumerServiceIndex="0"' });
    expect(violations(indexed)).to.deep.equal([]);
    const subject = '<saml:Subject><saml:NameID>alice</saml:NameID></saml:Subject>';
    expect(violations(authnRequest({ id: 'ÄB-1.2', children: subject }))).to.deep.equal([]);
    expect(violations(authnRequest().replace('00:00Z', '00:00.123456Z'))).to.deep.equal([]);
  });

  it('names each with its paragraph', () => {
    for (const id of [undefined, '', '4f6a', 'a b', '_a:b']) expect(only({ id })).to.contain('core §3.2.1');
    expect(only({ version: '1.1' }))
      .to.contain('Version')
      .and.to.contain('core §3.2.1');
    for (const issuer of [undefined, ' '])
      expect(only({ issuer })).to.contain('Issuer').and.to.contain('profiles §4.1.4.1');
    for (const moment of ['', '2026-01-01T00:00:00+01:00', '1767225600']) {
      const found = violations(authnRequest().replace('2026-01-01T00:00:00Z', moment));
      expect(found, moment).to.have.length(1);
      expect(found[0]).to.contain('core §3.2.1, §1.3.3');
    }
    const named = violations(authnRequest().replace('<saml:Issuer>', '<saml:Issuer Format="urn:f">'));
    expect(named).to.deep.equal(['the Format of the Issuer is not entity (profiles §4.1.4.1)']);
    expect(only({ attributes: 'AssertionConsumerServiceIndex="0"' })).to.contain('core §3.4.1');
    const bound = 'AssertionConsumerServiceIndex="0" ProtocolBinding="urn:b"';
    expect(only({ acs: undefined, attributes: bound })).to.contain('core §3.4.1');
    const confirmed = '<saml:Subject><saml:SubjectConfirmation Method="urn:m"/></saml:Subject>';
    expect(only({ children: confirmed }))
      .to.contain('SubjectConfirmation')
      .and.to.contain('profiles §4.1.4.1');
    const signature = '<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"/>';
    expect(only({ children: signature }, { binding: 'GET' })).to.contain('bindings §3.4.4.1');
    expect(violations(authnRequest({ children: signature }))).to.deep.equal([]);
    for (const relayState of ['r'.repeat(81), 'é'.repeat(41)]) {
      expect(only({}, { relayState })).to.equal('the RelayState is longer than 80 bytes (bindings §3.4.3, §3.5.3)');
    }
    expect(violations('<a/>')).to.deep.equal([
      'the message is not an AuthnRequest of the SAML 2.0 protocol (core §3.4.1)',
    ]);
  });
});
