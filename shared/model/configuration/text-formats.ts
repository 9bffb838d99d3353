// Text formats: URLs, origins, hosts, rates, secrets. Each function returns what is wrong with a text, in a sentence
// that a person can act on, or undefined. Pure. The models and the REST surface use them.
import { certificateName } from '#shared/base/certificates/host-names.ts';
import { isUnrepairedUri, namesHost } from '#shared/protocol/oauth2/unrepaired-uri.ts';

/** A text that is a URL only after a parser's repair, such as `http:///path`, is rejected. */
export function problemOfHttpUrl(value: string): string | undefined {
  const [absolute = ''] = value.split('#', 1);
  return /^https?:\/\//.test(value) && namesHost(value) && isUnrepairedUri(absolute) && URL.canParse(value)
    ? undefined
    : 'must be a URL that begins with http:// or https://';
}

/** A URL to which a path can be appended. An issuer has neither query nor fragment (OIDC Discovery §3, RFC 8414 §2). */
export function problemOfBaseUrl(value: string): string | undefined {
  return problemOfHttpUrl(value) ?? (/[?#]/.test(value) ? 'must not have a query or fragment' : undefined);
}

/**
 * The issuer is compared as a text, and its path is the base path of this server. So it has one spelling of a path (RFC
 * 3986 §6.2.2.3), and no credentials.
 */
export function problemOfIssuer(value: string): string | undefined {
  const problem = problemOfBaseUrl(value);
  if (problem !== undefined) return problem;
  const [authority = '', ...segments] = value.replace(/^https?:\/\//, '').split('/');
  if (authority.includes('@')) return 'must not have credentials';
  if (segments.slice(0, -1).includes('')) return 'must not have // in its path';
  return segments.some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))
    ? 'must not have . or .. as a part of its path'
    : undefined;
}

/** A base of published addresses: a URL, or the word for scheme and host of each request. */
export function problemOfPublishedBase(value: string): string | undefined {
  const problem = value === 'request' ? undefined : problemOfBaseUrl(value);
  return problem?.replace(/^must be a URL .*/, 'must be request, or a URL that begins with http:// or https://');
}

/** Where a client is notified of a logout (Back-Channel §2.2, Front-Channel §2). */
export function problemOfLogoutUri(value: string): string | undefined {
  return value.includes('#') ? 'must not have a fragment' : problemOfHttpUrl(value);
}

/** Where a client publishes its keys. They are fetched over TLS only. */
export function problemOfHttpsUrl(value: string): string | undefined {
  return value.startsWith('https://') && problemOfHttpUrl(value) === undefined
    ? undefined
    : 'must be a URL that begins with https://';
}

export function withoutTrailingSlash(value: string): string {
  let end = value.length;
  while (end > 0 && value[end - 1] === '/') end -= 1;
  return value.slice(0, end);
}

/** `scheme://host[:port]` (CFG-K12). */
export function problemOfAllowlistedOrigin(value: string): string | undefined {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#@\s]+$/i.test(value)
    ? undefined
    : 'must be an origin, scheme://host[:port], without path, query or credentials';
}

/** An origin exactly as a browser sends it, or `*` (CFG-36 to CFG-38). */
export function problemOfCorsEntry(value: string): string | undefined {
  if (value === '*') return undefined;
  if (value.trim() === '') return 'must not be blank. Remove it, or write an origin such as https://app.example.org';
  const expected = 'must be * or an origin as a browser sends it, http(s)://host[:port]';
  const parts = /^(https?):\/\/([^/?#\\]*)(.*)$/is.exec(value);
  if (parts === null) return expected;
  const [, , authority = '', rest = ''] = parts;
  if (authority.includes('@')) return `${expected}, without credentials`;
  if (authority.includes('*')) return `${expected}. Patterns are not supported`;
  if (rest !== '') return `${expected}, without path (not even /), query or fragment`;
  if (authority === '' || !URL.canParse(value)) return expected;
  const origin = new URL(value).origin;
  return origin === value ? undefined : `${expected}. Browsers send this one as ${origin}`;
}

/** `host` or `host:port`, an exact DNS name or address (CFG-K26). */
export function problemOfAllowedHost(value: string): string | undefined {
  const expected = 'must be host or host:port, an exact name without wildcard, scheme or path';
  const parts = /^(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?)(?::([0-9]{1,5}))?$/i.exec(value);
  if (parts === null) return expected;
  const port = parts[2] === undefined ? 443 : Number(parts[2]);
  return port >= 1 && port <= 65_535 ? undefined : `${expected}, with a port from 1 to 65535`;
}

/** A host name, a wildcard name (`*.` prefix), or an address. */
export function problemOfCertificateName(value: string): string | undefined {
  return certificateName(value) === undefined
    ? 'must be a host name, a host name after *., or an IP address, without a port'
    : undefined;
}

export function problemOfRate(value: string): string | undefined {
  return /^[1-9][0-9]{0,8}\/(second|minute|hour|day)$/.test(value)
    ? undefined
    : 'must be a positive whole number, a slash, and second, minute, hour or day, such as 10/minute';
}

export function problemOfColour(value: string): string | undefined {
  return value === '' || /^#[0-9a-fA-F]{6}$/.test(value) ? undefined : 'must be # and six hexadecimal digits';
}

export function problemOfEmail(value: string): string | undefined {
  return value === '' || value.includes('@') ? undefined : 'must be empty or contain @';
}

/** OIDC Core §5.1: a day, a day without its year (0000), or a year alone. */
export function problemOfBirthdate(value: string): string | undefined {
  const [, year, day] = /^(\d{4})(?:-(\d{2}-\d{2}))?$/.exec(value) ?? [];
  // 0000 is a leap year, so a birthday without a year can be any day.
  return year !== undefined && (day === undefined || isCalendarDay(`${year}-${day}`))
    ? undefined
    : 'must be a date as YYYY-MM-DD, 0000-MM-DD or YYYY';
}

/** A header can carry printable ASCII only (CFG-K47). */
export function problemOfManagementSecret(value: string): string | undefined {
  return /^[\x20-\x7e]*$/.test(value) ? undefined : 'must consist of printable ASCII characters';
}

/** Base32 in any case, with spaces and padding, converted to its canonical spelling (CFG-50, RFC 4648 §6). */
export function bareBase32(value: string): string {
  return value
    .replaceAll(/\s/g, '')
    .replace(/={1,6}$/, '')
    .toUpperCase();
}

function isCalendarDay(day: string): boolean {
  const moment = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().startsWith(day);
}

export function problemOfTotpSecret(value: string): string | undefined {
  const bare = bareBase32(value);
  // No whole number of bytes has an encoding of these lengths.
  const isBase32 = /^[A-Z2-7]+$/.test(bare) && ![1, 3, 6].includes(bare.length % 8);
  return isBase32
    ? undefined
    : 'must be a Base32 secret (letters A to Z and digits 2 to 7). Remove the key for a user without a second factor';
}
