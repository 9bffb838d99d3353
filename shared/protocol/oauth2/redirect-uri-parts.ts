// The parts of a redirect URI as written, for a comparison that names the parts that differ (RDU-07). Nothing is
// normalised: the parts, joined, are the URI again. Pure.

/** In the order in which they are reported. */
export const uriParts = ['scheme', 'host', 'port', 'path', 'query'] as const;
export type UriPart = (typeof uriParts)[number];

export type UriParts = Readonly<Record<UriPart, string>>;

const shape = /^([^:/?#]*:)?(\/\/[^/?#]*)?([^?]*)(\?.*)?$/s;
const port = /:\d*$/;

/** `host` includes user information. A text that is not a URI is all path. */
export function partsOfUri(uri: string): UriParts {
  const [, scheme = '', authority = '', path = '', query = ''] = shape.exec(uri) ?? ['', '', '', uri];
  const ending = port.exec(authority)?.[0] ?? '';
  return { scheme, host: authority.slice(0, authority.length - ending.length), port: ending, path, query };
}

/** The parts that differ between two URIs. Empty: they are identical. */
export function differingParts(one: UriParts, other: UriParts): readonly UriPart[] {
  return uriParts.filter((part) => one[part] !== other[part]);
}
