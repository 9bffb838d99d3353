// The metadata document of this identity provider: one EntityDescriptor with one IDPSSODescriptor, in schema
// order (SAML metadata §2.3, §2.4.3; SAM-01 to SAM-05).

import { nameIdFormats } from '#shared/protocol/saml/name-formats.ts';
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
import { contentUris, keyTransportUris } from '#shared/state/configuration/service-providers/encryption-methods.ts';

interface IdentityProviderDescription {
  readonly entityId: string;
  readonly ssoUrl: string;
  /** undefined: logout is not offered. */
  readonly sloUrl?: string | undefined;
  /** The certificates that verify our signatures, the active one first. Base64 without line breaks. */
  readonly certificates: readonly string[];
  readonly wantAuthnRequestsSigned: boolean;
  /** The certificate that other parties encrypt for, in base64 as well. undefined: none. */
  readonly encryptionCertificate?: string | undefined;
  /** undefined: no validUntil attribute. */
  readonly validUntil?: string | undefined;
  readonly cacheDuration?: string | undefined;
}

export function entityDescriptor(idp: IdentityProviderDescription): XmlElement {
  const role = md(
    'IDPSSODescriptor',
    {
      WantAuthnRequestsSigned: idp.wantAuthnRequestsSigned ? 'true' : undefined,
      protocolSupportEnumeration: protocolNamespace,
    },
    [
      ...idp.certificates.map((certificate) => keyDescriptor('signing', certificate)),
      idp.encryptionCertificate === undefined
        ? undefined
        : keyDescriptor('encryption', idp.encryptionCertificate, encryptionMethods),
      ...(idp.sloUrl === undefined ? [] : [httpPostBinding, httpRedirectBinding]).map((Binding) =>
        md('SingleLogoutService', { Binding, Location: idp.sloUrl }),
      ),
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

/** Content that already has a layout stays unchanged: a signature covers its white space. */
function keyDescriptor(
  use: 'signing' | 'encryption',
  certificate: string,
  methods: readonly string[] = [],
): XmlElement {
  return md('KeyDescriptor', { use }, [
    ds('KeyInfo', {}, [ds('X509Data', {}, [ds('X509Certificate', {}, [certificate])])]),
    ...methods.map((Algorithm) => md('EncryptionMethod', { Algorithm })),
  ]);
}

/** The algorithms for decryption, secure ones first. rsa-1_5 is not advertised. */
const encryptionMethods = [
  ...Object.values(contentUris),
  ...Object.entries(keyTransportUris).flatMap(([name, uri]) => (name === 'rsa-1_5' ? [] : [uri])),
];

export function metadataDocument(root: XmlElement): string {
  return `${xmlDeclaration}${writeDocument(indented(root))}\n`;
}
