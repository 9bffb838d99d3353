// What is doubtful about the redirect URIs of a client entry (RDU-05, RDU-06). The entry loads nevertheless, because it
// may have been like this for years. Pure.
import type { ClientEntry } from '#shared/model/configuration/client-entry.ts';
import type { ProfileRules } from '#shared/model/configuration/profile-rules.ts';
import { acceptableRedirectUri } from '#shared/protocol/oauth2/acceptable-redirect-uri.ts';
import { forbiddenSchemeOf } from '#shared/protocol/oauth2/redirect-uri-schemes.ts';

interface Doubt {
  readonly field: string;
  /** undefined: the field as a whole. */
  readonly index: number | undefined;
  /** A sentence that follows its position. */
  readonly message: string;
}

type Entry = Pick<
  ClientEntry,
  'redirect_uris' | 'redirect_uri_patterns' | 'post_logout_redirect_uris' | 'post_logout_redirect_uri_patterns'
>;

export function* doubtfulRedirectUris(
  entry: Entry,
  rules: Pick<ProfileRules, 'lenientRedirectUris'>,
): Generator<Doubt> {
  yield* unusableAddresses(entry, rules);
  yield* patternsInAddresses(entry);
  yield* patternsOfNoEffect(entry, rules);
  for (const field of patternFields) {
    for (const index of entry[field].keys()) {
      yield { field, index, message: 'is a pattern. Other providers compare redirect URIs exactly' };
    }
  }
}

const addressFields = [
  ['redirect_uris', 'redirect_uri_patterns', '/authorize rejects it'],
  ['post_logout_redirect_uris', 'post_logout_redirect_uri_patterns', '/logout does not redirect to it'],
] as const;

const patternFields = ['redirect_uri_patterns', 'post_logout_redirect_uri_patterns'] as const;

/** The server never redirects there (AUT-12, AUT-13, OUT-09). A forbidden scheme already invalidates the entry. */
function* unusableAddresses(entry: Entry, rules: Pick<ProfileRules, 'lenientRedirectUris'>): Generator<Doubt> {
  for (const [field, , refusal] of addressFields) {
    for (const [index, uri] of entry[field].entries()) {
      if (forbiddenSchemeOf(uri) !== undefined) continue;
      const problem = acceptableRedirectUri(uri, rules);
      if (problem !== undefined) yield { field, index, message: `${problem}. ${refusal}` };
    }
  }
}

function* patternsInAddresses(entry: Entry): Generator<Doubt> {
  for (const [field, patterns] of addressFields) {
    for (const [index, uri] of entry[field].entries()) {
      if (!uri.includes('*')) continue;
      yield { field, index, message: `contains *, which is compared literally. For a pattern use ${patterns}` };
    }
  }
}

function* patternsOfNoEffect(
  entry: Entry,
  { lenientRedirectUris }: Pick<ProfileRules, 'lenientRedirectUris'>,
): Generator<Doubt> {
  const field = patternFields.find((name) => entry[name].length > 0);
  if (lenientRedirectUris || field === undefined) return;
  yield { field, index: undefined, message: 'has no effect: patterns match only with security_profile: dev' };
}
