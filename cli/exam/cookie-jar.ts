// Cookies as a browser stores them (RFC 6265 §5), for one login. They are deleted with it, so expiry only matters where
// a server deletes a cookie.

interface Cookie {
  readonly name: string;
  readonly value: string;
  /** Without a leading dot. */
  readonly domain: string;
  readonly hostOnly: boolean;
  readonly path: string;
  readonly secure: boolean;
}

export class CookieJar {
  #cookies: Cookie[] = [];

  keep(url: URL, line: string, now: number): void {
    const [pair = '', ...rest] = line.split(';');
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals).trim();
    if (equals < 1) return;
    const attributes = new Map(
      rest.map((text) => {
        const [key = '', ...value] = text.split('=');
        return [key.trim().toLowerCase(), value.join('=').trim()] as const;
      }),
    );
    const domain = (attributes.get('domain') ?? '').toLowerCase().replace(/^\./, '');
    if (domain !== '' && !isBelow(url.hostname, domain)) return;
    const path = attributes.get('path') ?? '';
    const cookie: Cookie = {
      ...{ name, value: pair.slice(equals + 1).trim() },
      ...{ domain: domain === '' ? url.hostname : domain, hostOnly: domain === '' },
      path: path.startsWith('/') ? path : directoryOf(url.pathname),
      secure: attributes.has('secure'),
    };
    this.#cookies = this.#cookies.filter(
      (other) => other.name !== name || other.domain !== cookie.domain || other.path !== cookie.path,
    );
    if (!isExpired(attributes, now)) this.#cookies.push(cookie);
  }

  /** The cookies for this address, more specific paths first. */
  for(url: URL): readonly Pick<Cookie, 'name' | 'value'>[] {
    return this.#cookies
      .filter(
        ({ domain, hostOnly, path, secure }) =>
          (hostOnly ? url.hostname === domain : isBelow(url.hostname, domain)) &&
          isPathBelow(url.pathname, path) &&
          (!secure || url.protocol === 'https:' || isLoopback(url.hostname)),
      )
      .toSorted((one, other) => other.path.length - one.path.length);
  }
}

/** Browsers treat loopback like TLS. */
function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

function isExpired(attributes: ReadonlyMap<string, string>, now: number): boolean {
  const age = attributes.get('max-age');
  if (age !== undefined && /^-?\d+$/.test(age)) return Number(age) <= 0;
  const expires = attributes.get('expires');
  return expires !== undefined && Date.parse(expires) <= now;
}

function isBelow(hostname: string, domain: string): boolean {
  return hostname === domain || (hostname.endsWith(`.${domain}`) && !/^[\d.]+$|^\[/.test(hostname));
}

function isPathBelow(pathname: string, path: string): boolean {
  return pathname === path || (pathname.startsWith(path) && (path.endsWith('/') || pathname[path.length] === '/'));
}

function directoryOf(pathname: string): string {
  return pathname.slice(0, Math.max(1, pathname.lastIndexOf('/')));
}
