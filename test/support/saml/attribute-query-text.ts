// A SOAP attribute query as a service provider's backend sends it.
import { namespaces } from './service-provider.ts';

export function attributeQueryText(nameId: string): string {
  return (
    `<soap:Envelope xmlns:soap="${namespaces.soap}"><soap:Body>` +
    `<samlp:AttributeQuery xmlns:samlp="${namespaces.protocol}" xmlns:saml="${namespaces.assertion}" ID="_q1" ` +
    'Version="2.0" IssueInstant="2026-01-01T00:00:00Z"><saml:Issuer>https://sp.example</saml:Issuer>' +
    `<saml:Subject><saml:NameID>${nameId}</saml:NameID></saml:Subject></samlp:AttributeQuery>` +
    '</soap:Body></soap:Envelope>'
  );
}
