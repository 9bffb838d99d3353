// An XML document as a value: the types alone, for whoever hands such a tree on. Every name carries its namespace.

export interface XmlAttribute {
  readonly prefix: string;
  readonly local: string;
  /** Empty: in no namespace. */
  readonly namespace: string;
  readonly value: string;
}

export interface XmlElement {
  readonly prefix: string;
  readonly local: string;
  readonly namespace: string;
  /** Namespaces declared on this element: prefix (empty: the default namespace) and URI. */
  readonly declarations: readonly (readonly [prefix: string, uri: string])[];
  readonly attributes: readonly XmlAttribute[];
  readonly children: readonly XmlNode[];
}

export type XmlNode = XmlElement | string;
