// A SAML response before it is sent, and the changes that a fault may make to it. `OutputHooks` receives it once it is
// correct and signed, with the tools to sign it again after a change.

import type { EncryptionMethods } from '#shared/model/configuration/service-provider.ts';
import type { EncryptedPart } from '#shared/model/configuration/service-provider-entry.ts';
import type { DigestAlgorithm, SigningAlgorithms } from '#shared/protocol/saml/signature-algorithms.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-tree.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';

export interface SamlAnswer {
  /** `login`: a Response with an Assertion; `refusal`: one with an error status and no Assertion. */
  readonly kind: 'login' | 'refusal' | 'attribute_query';
  /** The Response with its signatures. */
  readonly response: XmlElement;
  /** The algorithms of its signatures. */
  readonly algorithms: SigningAlgorithms;
  /** Changes the serialized document; left out: no change. */
  readonly written?: (document: string) => string;
  /** Changes its base64 form; left out: no change. */
  readonly encoded?: (base64: string) => string;
  /** How parts of it will be encrypted; undefined: not at all. `response` is not encrypted yet (ENC-12). */
  readonly encryption?: SamlEncryption | undefined;
  /** How it reaches the service provider. An attribute query is only answered by SOAP. */
  readonly binding: 'post' | 'redirect' | 'soap';
  /** undefined: no RelayState, and no field of that name. */
  readonly relayState: string | undefined;
}

/** What is encrypted of a Response, for which recipient and how. */
export interface SamlEncryption {
  readonly parts: ReadonlySet<EncryptedPart>;
  readonly certificatePem: string;
  readonly methods: EncryptionMethods;
  /** The entity ID of the recipient. */
  readonly recipient: string;
  /** Changes each serialized element before it is encrypted; left out: no change. */
  readonly written?: (element: string) => string;
  /** Changes the encrypted content of each element, for a response with a fault. */
  readonly tampered?: (cipher: Buffer) => Buffer;
  /** The content algorithm to declare, where it differs from the one used. */
  readonly declaredContent?: string;
}

/** How an element is signed, where that departs from the usual way. */
export interface UnusualSignature {
  /** Signs instead of the active key. */
  readonly key?: SigningKey;
  /** The certificate in KeyInfo, as PEM; null: no KeyInfo. */
  readonly certificatePem?: string | null;
  /** The algorithm, instead of the configured ones. */
  readonly algorithm?: {
    readonly method: string;
    readonly digest: { readonly uri: string; readonly hash: DigestAlgorithm };
    sign(signedInfo: Buffer): Buffer;
  };
  /** Changes the Signature before its SignedInfo is signed. */
  readonly shaped?: (signature: XmlElement) => XmlElement;
  /** Changes the Signature afterwards. */
  readonly finished?: (signature: XmlElement) => XmlElement;
}

export interface SamlAnswerTools {
  /**
   * The element with a signature behind its Issuer. The given element must have none. `within` is the Response that
   * will contain it, left out for a Response itself.
   */
  signed(
    element: XmlElement,
    place?: { readonly within?: XmlElement },
    unusual?: UnusualSignature,
  ): Promise<XmlElement>;
  /** A Signature over another element of that Response, to be placed in the Response. */
  signatureOver(element: XmlElement, place: { readonly within: XmlElement }): Promise<XmlElement>;
  /** The size of the response's document in octets, as it would be sent, including the encrypted parts. */
  size(answer: SamlAnswer): Promise<number>;
  /** The document of the last correct Response to a login at the current service provider. */
  lastDelivered(): Promise<string | undefined>;
}
