// How a sent URI is compared with the registered ones (AUT-14, AUT-15, RDU-01, RDU-05, RFC 8252 §7.3), and which of
// them is the nearest if none matches (RDU-07). Pure.
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type { ProfileRules } from '#shared/model/configuration/profile-rules.ts';
import { differingParts, partsOfUri, type UriPart, type UriParts } from '#shared/protocol/oauth2/redirect-uri-parts.ts';
import { matchesPattern, partsOutsidePattern } from '#shared/protocol/oauth2/redirect-uri-pattern.ts';

/** The URIs that a client registered for one purpose. */
export interface RegisteredUris {
  readonly uris: readonly string[];
  readonly patterns: readonly string[];
  /** A registered loopback address matches with any port. */
  readonly isAnyPort: boolean;
}

/** For the response to an authorization request. */
export function registeredForLogin(client: Pick<ClientEntry, 'redirect_uris' | 'redirect_uri_patterns'>) {
  return { uris: client.redirect_uris, patterns: client.redirect_uri_patterns, isAnyPort: true };
}

/** For the redirect after a logout, which has no exception for ports (OUT-06). */
export function registeredForLogout(
  client: Pick<ClientEntry, 'post_logout_redirect_uris' | 'post_logout_redirect_uri_patterns'>,
) {
  const { post_logout_redirect_uris: uris, post_logout_redirect_uri_patterns: patterns } = client;
  return { uris, patterns, isAnyPort: false };
}

export type RedirectUriMatch =
  | { readonly how: 'exact' | 'loopback_port' | 'localhost_port' | 'pattern' }
  /** `nearest`: undefined if nothing is registered that this profile compares. */
  | { readonly how: 'none'; readonly candidates: readonly string[]; readonly nearest: NearestUri | undefined };

export interface NearestUri {
  readonly registered: string;
  readonly differs_in: readonly UriPart[];
}

type Rules = Pick<ProfileRules, 'lenientRedirectUris'>;

export function matchRedirectUri(
  uri: string,
  { uris, patterns: declared, isAnyPort }: RegisteredUris,
  { lenientRedirectUris }: Rules,
): RedirectUriMatch {
  if (uris.includes(uri)) return { how: 'exact' };
  const anyPort = isAnyPort ? hostsWithAnyPort(lenientRedirectUris) : [];
  const ofAnyPort = uris.find((registered) => differences(uri, registered, anyPort).length === 0);
  if (ofAnyPort !== undefined) {
    return { how: partsOfUri(ofAnyPort).host === localhost ? 'localhost_port' : 'loopback_port' };
  }
  const patterns = lenientRedirectUris ? declared : [];
  if (patterns.some((pattern) => matchesPattern(uri, pattern))) return { how: 'pattern' };
  const distances = [
    ...uris.map((registered) => ({ registered, differs_in: differences(uri, registered, anyPort) })),
    ...patterns.map((registered) => ({ registered, differs_in: partsOutsidePattern(partsOfUri(uri), registered) })),
  ];
  return { how: 'none', candidates: [...uris, ...patterns], nearest: nearestOf(uri, distances) };
}

const localhost = '//localhost';

/** The hosts for which the port does not count: the literal addresses in every profile (RFC 8252 §7.3). */
function hostsWithAnyPort(isLenient: boolean): readonly string[] {
  return ['//127.0.0.1', '//[::1]', ...(isLenient ? [localhost] : [])];
}

function differences(uri: string, registered: string, anyPort: readonly string[]): readonly UriPart[] {
  const [sent, known] = [partsOfUri(uri), partsOfUri(registered)];
  const parts = differingParts(sent, known);
  return isOfAnyPort(sent, known, anyPort) ? parts.filter((part) => part !== 'port') : parts;
}

function isOfAnyPort(sent: UriParts, known: UriParts, anyPort: readonly string[]): boolean {
  return sent.scheme === 'http:' && known.scheme === 'http:' && sent.host === known.host && anyPort.includes(sent.host);
}

/** The one that differs in the fewest parts, and among these the one with the longest common beginning. */
function nearestOf(uri: string, distances: readonly NearestUri[]): NearestUri | undefined {
  const [nearest] = distances.toSorted(
    (one, other) =>
      one.differs_in.length - other.differs_in.length ||
      commonBeginning(uri, other.registered) - commonBeginning(uri, one.registered),
  );
  return nearest;
}

function commonBeginning(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length += 1;
  return length;
}
