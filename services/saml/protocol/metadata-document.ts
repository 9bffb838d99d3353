// The metadata document of this identity provider: one EntityDescriptor with one IDPSSODescriptor, in schema
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
import { writeDocument, xmlDeclaration } from '#shared/protocol/saml/xml/write-xml.ts';
import { declaring, indented, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { nameIdFormats } from './name-id.ts';

export interface IdentityProviderDescription {
  readonly entityId: string;
  readonly ssoUrl: string;
  /** Base64 without line breaks. */
  readonly certificate: string;
  readonly wantAuthnRequestsSigned: boolean;
  /** Left out: no such attribute. */
  readonly validUntil?: string | undefined;
  readonly cacheDuration?: string | undefined;
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
  const { entityId: entityID, validUntil, cacheDuration } = idp;
  return declaring(md('EntityDescriptor', { entityID, validUntil, cacheDuration }, [role]), [
    ['md', metadataNamespace],
    ['ds', signatureNamespace],
  ]);
}

/** What is laid out already stays as it is: a signature covers its white space. */
export function metadataDocument(root: XmlElement): string {
  return `${xmlDeclaration}${writeDocument(indented(root))}\n`;
}
