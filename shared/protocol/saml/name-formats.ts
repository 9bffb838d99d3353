// The supported formats of name identifiers and attribute names (SAML core §8.2, §8.3), with the short names that a
// configuration may use.
export const unspecifiedFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified';
export const emailAddressFormat = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress';
export const persistentFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent';
export const transientFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:transient';

/** The supported name identifier formats, in the order of the metadata (SAM-04). */
export const nameIdFormats = [unspecifiedFormat, emailAddressFormat, persistentFormat, transientFormat] as const;
export type NameIdFormat = (typeof nameIdFormats)[number];

const nameIdFormatsByName: Readonly<Record<string, NameIdFormat>> = {
  unspecified: unspecifiedFormat,
  emailAddress: emailAddressFormat,
  persistent: persistentFormat,
  transient: transientFormat,
};

/** The short names of the supported formats, with their URIs. */
export const nameIdFormatNames: readonly (readonly [name: string, uri: string])[] = Object.entries(nameIdFormatsByName);

/** The URI for a short or full format name. undefined for an unsupported format. */
export function nameIdFormatUri(name: string): string | undefined {
  if (Object.hasOwn(nameIdFormatsByName, name)) return nameIdFormatsByName[name];
  return nameIdFormats.find((uri) => uri === name);
}

const attributeNameFormats: Readonly<Record<string, string>> = {
  uri: 'urn:oasis:names:tc:SAML:2.0:attrname-format:uri',
  basic: 'urn:oasis:names:tc:SAML:2.0:attrname-format:basic',
  unspecified: 'urn:oasis:names:tc:SAML:2.0:attrname-format:unspecified',
};

/** A short name, or any URI, because other parties may define their own formats. */
export function isAttributeNameFormat(name: string): boolean {
  return Object.hasOwn(attributeNameFormats, name) || /^[a-z][a-z0-9+.-]*:\S+$/i.test(name);
}

export function attributeNameFormatUri(name: string): string {
  return Object.hasOwn(attributeNameFormats, name) ? (attributeNameFormats[name] ?? name) : name;
}
