import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';

/** An element whose enveloped signature was verified. Only the signature check creates it. */
export class SignedElement {
  readonly root: XmlElement;
  /** @internal for verify-enveloped.ts */
  constructor(root: XmlElement) {
    this.root = root;
  }
}
