// The authorization endpoint as a browser sees it: addresses, PKCE, codes and the second factor.
import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { BrowserClient, type Page, redirectParameters } from './browser-client.ts';
import { web } from './credentials.ts';
import type { RunningIdp } from './start-idp.ts';
import { callback } from './worlds.ts';

export const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
/** The verifier of `challenge` (RFC 7636 appendix B). */
export const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

/** A query of /authorize: a valid request of the client `web` with these changes. undefined removes a parameter. */
export function authorizePath(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = { response_type: 'code', client_id: 'web', redirect_uri: callback, ...changes };
  const sent = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `/authorize?${new URLSearchParams(sent)}`;
}

export function newBrowser(idp: RunningIdp): BrowserClient {
  return new BrowserClient(idp.baseUrl);
}

/** A browser that logged in at /login. */
export async function loggedIn(idp: RunningIdp, username = 'alice', password = 'wonderland'): Promise<BrowserClient> {
  const browser = newBrowser(idp);
  const page = await browser.post('/login', { username, password });
  if (page.location !== '/') throw new Error(`login answered ${page.status} ${page.location}`);
  return browser;
}

/** The code of a redirect to the client. */
export function codeOf(page: Page): string {
  const code = redirectParameters(page).get('code');
  expect(code, page.location ?? '').to.be.a('string').that.is.not.empty;
  return code ?? '';
}

/** POST /token with a code of the client `web`. */
export async function redeem(
  idp: Pick<RunningIdp, 'baseUrl'>,
  code: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${idp.baseUrl}/token`, {
    method: 'POST',
    headers: web,
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: callback, ...fields }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/**
 * The TOTP value of `totpSecret` (RFC 6238). A second implementation, so that the program is not checked with its own
 * code.
 */
export function totpAt(milliseconds: number, secret: string | Buffer = '12345678901234567890'): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(milliseconds / 30_000)));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** A code that differs from the three accepted ones. */
export function wrongTotp(milliseconds: number): string {
  const right = [-30_000, 0, 30_000, 60_000].map((shift) => totpAt(milliseconds + shift));
  return ['000000', '111111', '222222', '333333', '444444'].find((code) => !right.includes(code)) ?? '555555';
}
