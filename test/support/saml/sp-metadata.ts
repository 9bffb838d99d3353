// Metadata of a service provider as handwritten text.
import { certificateBase64 } from '#shared/protocol/saml/certificate-base64.ts';

interface SpMetadataParts {
  readonly entityId?: string;
  /** Attributes of the EntityDescriptor, as text. */
  readonly entityAttributes?: string;
  readonly roleAttributes?: string;
  /** PEM. */
  readonly signing?: string;
  readonly encryption?: string;
  readonly encryptionMethods?: string;
  /** Elements in place of the usual AssertionConsumerService, as text. */
  readonly consumers?: string;
  readonly logout?: string;
  readonly formats?: string;
  readonly services?: string;
}

export const postBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST';
export const redirectBinding = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect';

export function spMetadata(parts: SpMetadataParts = {}): string {
  const key = (use: string, pem: string | undefined, further = '') =>
    pem === undefined
      ? ''
      : `    <md:KeyDescriptor use="${use}"><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificateBase64(pem)}</ds:X509Certificate></ds:X509Data></ds:KeyInfo>${further}</md:KeyDescriptor>\n`;
  return `<?xml version="1.0"?>
<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${parts.entityId ?? 'https://sp.example'}"${parts.entityAttributes ?? ''}>
  <md:SPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"${parts.roleAttributes ?? ''}>
${key('signing', parts.signing)}${key('encryption', parts.encryption, parts.encryptionMethods)}${parts.logout ?? ''}${parts.formats ?? ''}${parts.consumers ?? `    <md:AssertionConsumerService Binding="${postBinding}" Location="https://sp.example/acs" index="0"/>\n`}${parts.services ?? ''}  </md:SPSSODescriptor>
</md:EntityDescriptor>
`;
}
