// An XML document as a value: only the types, for code that passes such a tree on. Every name carries its namespace.

export interface XmlAttribute {
  readonly prefix: string;
  readonly local: string;
  /** Empty: no namespace. */
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
