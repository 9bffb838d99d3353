// The metadata document of this identity provider: one unsigned EntityDescriptor with one IDPSSODescriptor, in schema
// order (SAML metadata §2.3, §2.4.3; SAM-01 to SAM-05).

import {
  ds,
  httpPostBinding,
  httpRedirectBinding,
  md,
  metadataNamespace,
  protocolNamespace,
  signatureNamespace,
} from '#shared/protocol/saml/vocabulary.ts';
import { declaring, indented, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { nameIdFormats } from './name-id.ts';
import { writeDocument, xmlDeclaration } from './xml/write-xml.ts';

export interface IdentityProviderDescription {
  readonly entityId: string;
  readonly ssoUrl: string;
  /** Base64 without line breaks. */
  readonly certificate: string;
  readonly wantAuthnRequestsSigned: boolean;
}

export function entityDescriptor(idp: IdentityProviderDescription): XmlElement {
  const keyDescriptor = md('KeyDescriptor', { use: 'signing' }, [
    ds('KeyInfo', {}, [ds('X509Data', {}, [ds('X509Certificate', {}, [idp.certificate])])]),
  ]);
  const role = md(
    'IDPSSODescriptor',
    {
      WantAuthnRequestsSigned: idp.wantAuthnRequestsSigned ? 'true' : undefined,
      protocolSupportEnumeration: protocolNamespace,
    },
    [
      keyDescriptor,
      ...nameIdFormats.map((format) => md('NameIDFormat', {}, [format])),
      ...[httpPostBinding, httpRedirectBinding].map((Binding) =>
        md('SingleSignOnService', { Binding, Location: idp.ssoUrl }),
      ),
    ],
  );
  return declaring(md('EntityDescriptor', { entityID: idp.entityId }, [role]), [
    ['md', metadataNamespace],
    ['ds', signatureNamespace],
  ]);
}

export function metadataDocument(root: XmlElement): string {
  return `${xmlDeclaration}${writeDocument(indented(root))}\n`;
}
