import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';

/** An element whose enveloped signature was verified; made by the signature check alone. */
export class SignedElement {
  readonly root: XmlElement;
  /** @internal for verify-enveloped.ts */
  constructor(root: XmlElement) {
    this.root = root;
  }
}
