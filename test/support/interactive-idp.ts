// A started program for tests of the interactive flows: on a SQLite store, so that a test can rewrite its files (taken
// over at the next request), move its clock and fill its store to the brim.
import { createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { systemClock } from '#shared/clock.ts';
import type { RuntimeStore } from '#shared/store/ports/index.ts';
import { BrowserClient, type Page, redirectParameters } from './browser-client.ts';
import { openTestStore } from './open-test-store.ts';
import { type RunningIdp, type StartOptions, startIdp } from './start-idp.ts';

export const callback = 'http://127.0.0.1:9/callback';
/** Base32 of the ASCII secret of RFC 6238's examples. */
export const totpSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
export const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
/** The verifier of `challenge` (RFC 7636 appendix B). */
export const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

interface Tree {
  readonly [name: string]: unknown;
}

const baseClients = [
  {
    client_id: 'web',
    client_secret: 'web-secret',
    redirect_uris: [callback, 'https://app.example/cb?x=%2f&flag&y=%20'],
  },
  { client_id: 'spa', token_endpoint_auth_method: 'none', redirect_uris: [callback] },
  { client_id: 'open', client_secret: 'open-secret' },
  {
    client_id: 'narrow',
    client_secret: 'narrow-secret',
    redirect_uris: [callback],
    scope: 'openid email',
    allowed_resources: ['https://api.example'],
  },
];

const baseUsers = {
  alice: { password: 'wonderland', description: 'Signs the releases' },
  bob: { password: ' builder ' },
  carol: { password: 'cabbage', totp_secret: totpSecret },
  dave: { password: 'dormouse', totp_secret: totpSecret },
  erin: { description: 'Has no password' },
};

export interface InteractiveIdp extends RunningIdp {
  /** Both files anew: the base with these changes; in force when this resolves. */
  configure(changes?: { settings?: Tree; clients?: readonly Tree[]; users?: Tree }): Promise<void>;
  /** How far the program's clock is ahead of the machine's from its next request on. */
  setClock(aheadMilliseconds: number): Promise<void>;
  /** The program's own store, opened by this process too. */
  withStore<Result>(use: (store: RuntimeStore) => Promise<Result>): Promise<Result>;
  /** Newest entry last. */
  audit(filter?: string): Promise<readonly AuditView[]>;
}

export interface AuditView {
  readonly event_type: string;
  readonly status: string;
  readonly username: string | null;
  readonly client_id: string | null;
  readonly endpoint: string | null;
  readonly details: Readonly<Record<string, unknown>>;
}

function settingsWith({ settings = {}, clients = [] }: { settings?: Tree; clients?: readonly Tree[] }): Tree {
  const { oauth, ...others } = settings;
  return {
    ...others,
    oauth: {
      issuer: 'http://127.0.0.1:8000',
      issuer_from_request: true,
      clients: [...baseClients, ...clients],
      ...(typeof oauth === 'object' ? oauth : {}),
    },
    runtime: { store: 'sqlite', path: '../state/runtime.db' },
  };
}

export async function startInteractiveIdp(
  changes: { settings?: Tree; clients?: readonly Tree[]; users?: Tree } = {},
  options: Pick<StartOptions, 'args' | 'env'> = {},
): Promise<InteractiveIdp> {
  const idp = await startIdp({
    ...options,
    command: 'oidc',
    settings: settingsWith(changes),
    users: { users: { ...baseUsers, ...changes.users } },
  });
  const path = join(idp.root, 'state', 'runtime.db');
  const withStore: InteractiveIdp['withStore'] = async (use) => {
    const opened = await openTestStore({ kind: 'sqlite', path });
    try {
      return await use(opened.store);
    } finally {
      await opened.close();
    }
  };
  return {
    ...idp,
    async configure(next = {}) {
      writeFileSync(join(idp.configDirectory, 'settings.yaml'), stringify(settingsWith(next)));
      writeFileSync(join(idp.configDirectory, 'users.yaml'), stringify({ users: next.users ?? baseUsers }));
      const answer = await fetch(`${idp.baseUrl}/api/config/reload`, { method: 'POST' });
      expect(answer.status, await answer.text()).to.equal(200);
    },
    async setClock(milliseconds) {
      const moved = await withStore(({ clock }) =>
        clock.move({ to: { by: 'offset', milliseconds } }, systemClock.now()),
      );
      expect(moved).not.to.equal('out_of_range');
    },
    withStore,
    async audit(filter = '') {
      const answer = await fetch(`${idp.baseUrl}/api/audit?limit=-1${filter}`);
      const { entries } = (await answer.json()) as { entries: AuditView[] };
      return entries;
    },
  };
}

export { baseUsers };

/** A query of /authorize: a valid request of the client `web` with these changes; undefined removes a parameter. */
export function authorizePath(changes: Readonly<Record<string, string | undefined>> = {}): string {
  const parameters = { response_type: 'code', client_id: 'web', redirect_uri: callback, ...changes };
  const sent = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `/authorize?${new URLSearchParams(sent)}`;
}

export function newBrowser(idp: RunningIdp): BrowserClient {
  return new BrowserClient(idp.baseUrl);
}

/** The code of a redirect to the client. */
export function codeOf(page: Page): string {
  const code = redirectParameters(page).get('code');
  expect(code, page.location ?? '').to.be.a('string').that.is.not.empty;
  return code ?? '';
}

/** POST /token with a code of the client `web`. */
export async function redeem(
  idp: RunningIdp,
  code: string,
  fields: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: Record<string, unknown> }> {
  const answer = await fetch(`${idp.baseUrl}/token`, {
    method: 'POST',
    headers: { Authorization: `Basic ${Buffer.from('web:web-secret').toString('base64')}` },
    body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: callback, ...fields }),
  });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

/** The TOTP value of `totpSecret` (RFC 6238), written out anew so that the program is not checked by itself. */
export function totpAt(milliseconds: number, secret: string | Buffer = '12345678901234567890'): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(milliseconds / 30_000)));
  const mac = createHmac('sha1', secret).update(counter).digest();
  const offset = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(offset) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

/** A code that is none of the three accepted now. */
export function wrongTotp(milliseconds: number): string {
  const right = [-30_000, 0, 30_000, 60_000].map((shift) => totpAt(milliseconds + shift));
  return ['000000', '111111', '222222', '333333', '444444'].find((code) => !right.includes(code)) ?? '555555';
}
