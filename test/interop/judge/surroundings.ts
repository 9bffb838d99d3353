// What the judged clients use: one identity provider behind TLS, as in production, and a user at the browser.
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:tls';
import { loggedIn, newBrowser } from '#test/support/authorization-flow.ts';
import type { BrowserClient, Page } from '#test/support/browser-client.ts';
import { alice } from '#test/support/credentials.ts';
import { type RunningIdp, startIdp } from '#test/support/start-idp.ts';
import { createTestAuthority, type TestAuthority } from '#test/support/test-authority.ts';

export const judged = {
  clientId: 'judged',
  clientSecret: 'a-secret-of-the-judged-client-that-is-long-enough',
  redirectUri: 'https://client.example/callback',
  afterLogout: 'https://client.example/goodbye',
  acs: 'https://sp.example/acs',
} as const;
export const rightUsers = { oidc: 'alice', saml: 'alice@example.org' } as const;

/** The client never received the response that it should judge. */
export class NothingCameError extends Error {}

export interface Surroundings {
  readonly idp: RunningIdp;
  readonly issuer: string;
  /** A directory for files of the run. */
  readonly root: string;
  /** The file with the certificate authority of `issuer`. */
  readonly authorityFile: string;
  /** A browser of this run in which alice is logged in at the identity provider. */
  readonly alice: BrowserClient;
  /** The address to which a browser is redirected without user interaction. @throws NothingCameError */
  authorize(address: string): Promise<string>;
  /** The fields that a SAML login page posts, or the address that it redirects to. @throws NothingCameError */
  samlAnswer(address: string): Promise<SamlForm | string>;
  stop(): Promise<void>;
}

interface SamlForm {
  readonly action: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
}

export async function startSurroundings(): Promise<Surroundings> {
  const root = mkdtempSync(join(tmpdir(), 'test-idp-judge-'));
  // Apache reads the directory as another user.
  chmodSync(root, 0o755);
  const authority = await createTestAuthority();
  const authorityFile = join(root, 'authority.pem');
  writeFileSync(authorityFile, authority.certificatePem, { mode: 0o644 });
  const front = await startTlsFront(authority);
  const issuer = `https://127.0.0.1:${front.port}`;
  const { clientId, clientSecret, redirectUri, afterLogout } = judged;
  const idp = await startIdp({
    settings: {
      oauth: {
        ...{ issuer, issuer_from_request: false, dynamic_registration: { enabled: true } },
        clients: [
          {
            ...{ client_id: clientId, client_secret: clientSecret },
            redirect_uris: [redirectUri],
            post_logout_redirect_uris: [afterLogout],
          },
        ],
      },
    },
    users: {
      users: { alice: { password: alice.password, email: rightUsers.saml }, bob: { password: 'builder' } },
    },
  });
  front.leadTo(new URL(idp.baseUrl));
  /** Without TLS, because the browser is not under test. */
  const direct = (address: string) => idp.baseUrl + address.slice(issuer.length);
  const aliceAtHome = await loggedIn(idp);
  return {
    ...{ idp, issuer, root, authorityFile, alice: aliceAtHome },
    async authorize(address) {
      const { pathname } = new URL(address);
      const browser = newBrowser(idp);
      const page =
        pathname === '/authorize' ? await browser.post(direct(address), alice) : await browser.get(direct(address));
      return locationOf(page);
    },
    async samlAnswer(address) {
      const page = await aliceAtHome.get(direct(address));
      const form = page.forms.find(({ fields }) => fields.some(([name]) => name === 'SAMLResponse'));
      return form ?? locationOf(page);
    },
    async stop() {
      front.stop();
      await idp.stop();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

export function locationOf({ status, location, text }: Page): string {
  if (location === null) throw new NothingCameError(`nothing leads back: ${status} ${text.slice(0, 200)}`);
  return location;
}

/** TLS in front of a plain server. It passes every byte unchanged, so that HTTP faults remain intact. */
async function startTlsFront(authority: TestAuthority) {
  let target: { readonly port: number; readonly host: string } | undefined;
  const sockets = new Set<Socket>();
  const server = createServer(await authority.issue(['127.0.0.1']), (outside) => {
    if (target === undefined) return outside.destroy();
    const inside = connect(target);
    for (const [socket, other] of [
      [outside, inside],
      [inside, outside],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy()).on('close', () => sockets.delete(socket));
    }
    outside.pipe(inside).pipe(outside);
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    leadTo({ hostname, port }: URL) {
      target = { host: hostname, port: Number(port) };
    },
    stop() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
