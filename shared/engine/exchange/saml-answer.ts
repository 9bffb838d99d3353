// A SAML answer on its way out, and the changes that a fault may make to it while it is still a value. `OutputHooks` hands it over
// once it is right and signed, together with the tools to sign it again after a change.

import type { EncryptionMethods } from '#shared/model/configuration/service-provider.ts';
import type { EncryptedPart } from '#shared/model/configuration/service-provider-entry.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-tree.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';

export interface SamlAnswer {
  /** `login`: a Response with an Assertion; `refusal`: one with an error status and no Assertion. */
  readonly kind: 'login' | 'refusal' | 'attribute_query';
  /** The Response with its signatures. */
  readonly response: XmlElement;
  /** What becomes of the document once it is text; left out: nothing. */
  readonly written?: (document: string) => string;
  /** What becomes of its base64 form; left out: nothing. */
  readonly encoded?: (base64: string) => string;
  /** How what is encrypted of it will be; undefined: nothing is. `response` is plain still (ENC-12). */
  readonly encryption?: SamlEncryption | undefined;
  /** How it gets to the service provider; an attribute query is answered by SOAP alone. */
  readonly binding: 'post' | 'redirect' | 'soap';
  /** undefined: there is none, and no field of that name. */
  readonly relayState: string | undefined;
}

/** What is encrypted of a Response, for whom and how. */
export interface SamlEncryption {
  readonly parts: ReadonlySet<EncryptedPart>;
  readonly certificatePem: string;
  readonly methods: EncryptionMethods;
  /** What becomes of each element once it is text, before it is encrypted; left out: nothing. */
  readonly written?: (element: string) => string;
  /** What becomes of the encrypted content of each element, for an answer that was asked to go wrong. */
  readonly tampered?: (cipher: Buffer) => Buffer;
  /** The algorithm that its content says to be encrypted by, where that is not the one it is. */
  readonly declaredContent?: string;
}

/** How an element is signed where that is not the usual way. */
export interface UnusualSignature {
  /** Signs instead of the active key. */
  readonly key?: SigningKey;
  /** The certificate that stands in KeyInfo, as PEM; null: no KeyInfo. */
  readonly certificatePem?: string | null;
  /** The algorithm in place of the key's own over SHA-256. */
  readonly algorithm?: {
    readonly method: string;
    readonly digest: { readonly uri: string; readonly hash: 'sha256' | 'sha1' };
    sign(signedInfo: Buffer): Buffer;
  };
  /** What the Signature becomes before its SignedInfo is signed. */
  readonly shaped?: (signature: XmlElement) => XmlElement;
  /** What it becomes afterwards. */
  readonly finished?: (signature: XmlElement) => XmlElement;
}

export interface SamlAnswerTools {
  /**
   * The element, which must have no signature, with one behind its Issuer. `within` is the Response that it will stand in,
   * left out for a Response itself.
   */
  signed(
    element: XmlElement,
    place?: { readonly within?: XmlElement },
    unusual?: UnusualSignature,
  ): Promise<XmlElement>;
  /** A Signature, to stand in that Response, over another element of it. */
  signatureOver(element: XmlElement, place: { readonly within: XmlElement }): Promise<XmlElement>;
  /** The octets of the answer's document as it would be sent, what is to be encrypted included. */
  size(answer: SamlAnswer): Promise<number>;
  /** The document of the last right Response to a login at the service provider that is being answered. */
  lastDelivered(): Promise<string | undefined>;
}
