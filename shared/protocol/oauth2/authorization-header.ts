// Parses an Authorization header: Basic credentials as OAuth sends them (RFC 6749 §2.3.1: form-encoded before the
// base64 step), Bearer tokens (RFC 6750 §2.1) and tokens that are bound to a key (RFC 9449 §7.1). Scheme names are
// case-insensitive (RFC 9110 §11.1).
import { dpopAlgorithms } from '../jose/signing-algorithms.ts';
import { asciiUri } from './ascii-uri.ts';

export type BasicCredentials =
  | { readonly kind: 'absent' }
  | { readonly kind: 'malformed' }
  | {
      readonly kind: 'credentials';
      readonly user: string;
      readonly password: string;
      /** The password without form-decoding. Distinguishes a missing encoding from a wrong secret. */
      readonly rawPassword: string;
    };

/** `bearer`: the token is enough. `dpop`: the caller also needs the key that the token is bound to (RFC 9449 §7.1). */
type TokenScheme = 'bearer' | 'dpop';

type TokenCredentials<Scheme extends TokenScheme> =
  | { readonly kind: 'absent' }
  | { readonly kind: 'malformed' }
  | { readonly kind: 'token'; readonly token: string; readonly scheme: Scheme };

const absent = { kind: 'absent' } as const;
const malformed = { kind: 'malformed' } as const;
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;
const token68 = /^[A-Za-z0-9\-._~+/]+=*$/;

/** The password is everything after the first colon. User name and password are form-decoded (CLT-06). */
export function basicCredentials(header: string | undefined): BasicCredentials {
  const parameter = parameterOf(header, 'basic');
  if (parameter === undefined) return absent;
  if (!base64.test(parameter)) return malformed;
  const text = decodeUtf8(Buffer.from(parameter, 'base64'));
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 0) return malformed;
  const user = formDecode(text.slice(0, colon));
  const rawPassword = text.slice(colon + 1);
  const password = formDecode(rawPassword);
  if (user === undefined || password === undefined) return malformed;
  return { kind: 'credentials', user, password, rawPassword };
}

export function bearerCredentials(header: string | undefined): TokenCredentials<'bearer'> {
  return credentialsOf(header, 'bearer');
}

/** An access token under either scheme. */
export function tokenCredentials(header: string | undefined): TokenCredentials<TokenScheme> {
  const bearer = credentialsOf(header, 'bearer');
  return bearer.kind === 'absent' ? credentialsOf(header, 'dpop') : bearer;
}

function credentialsOf<Scheme extends TokenScheme>(
  header: string | undefined,
  scheme: Scheme,
): TokenCredentials<Scheme> {
  const parameter = parameterOf(header, scheme);
  if (parameter === undefined) return absent;
  return token68.test(parameter) ? { kind: 'token', token: parameter, scheme } : malformed;
}

/** The part after the scheme, if the header has that scheme. */
function parameterOf(header: string | undefined, scheme: string): string | undefined {
  if (header === undefined) return undefined;
  const space = header.indexOf(' ');
  const name = space < 0 ? header : header.slice(0, space);
  if (name.toLowerCase() !== scheme) return undefined;
  return space < 0 ? '' : header.slice(space + 1).trim();
}

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function formDecode(text: string): string | undefined {
  if (!text.includes('%') && !text.includes('+')) return text;
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

/** The challenge for a token that is bound to a key. Without `error` when the request had no token (RFC 9449 §7.1). */
export function dpopChallenge(error?: string): string {
  const algorithms = `algs="${dpopAlgorithms.join(' ')}"`;
  return error === undefined ? `DPoP ${algorithms}` : `DPoP error="${error}", ${algorithms}`;
}

/** The challenge with which /userinfo returns this error for a token of this scheme (RFC 6750 §3, RFC 9449 §7.1). */
export function tokenChallenge(error: string, scheme: TokenScheme = 'bearer'): string {
  return scheme === 'dpop' ? dpopChallenge(error) : `Bearer error="${error}"`;
}

/** The challenge of a 401 to a client (RFC 7617 §2). The realm is the issuer. */
export function basicChallenge(issuer: string): string {
  return `Basic realm="${asciiUri(issuer)}"`;
}
