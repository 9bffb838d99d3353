// One client logs in: its program starts, and a browser goes through its pages in Chromium. The result contains the
// client's requests to the provider and the user that it shows.
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright-core';
import { z } from 'zod';
import type { ClientRow, ProviderName } from './client-rows.ts';
import type { Installed } from './installed.ts';
import type { Provider, SeenRequest } from './provider.ts';

/** A client's requests to the provider, and the user that it considers logged in. */
export interface Measured {
  readonly version: string;
  readonly responseType: string;
  readonly scope: string;
  readonly pkce: boolean;
  readonly nonce: boolean;
  /** The authentication method of its token request, or undefined if it sent none. */
  readonly secret: 'header' | 'form' | 'none' | undefined;
  readonly readsUserinfo: boolean;
  readonly outcome: { readonly name: string; readonly email: string } | { readonly refusal: string };
}

export interface Surroundings {
  readonly installed: Installed;
  readonly providers: Readonly<Record<ProviderName, Provider>>;
  readonly browser: Browser;
}

const patienceMilliseconds = 60_000;
const secrets: Readonly<Record<ClientRow['clientId'], string>> = { 'demo-client': 'demo-secret', 'demo-public': '' };

/** @throws Error if neither a greeting nor an OAuth error appears */
export async function logIn(row: ClientRow, { installed, providers, browser }: Surroundings): Promise<Measured> {
  const provider = providers[row.provider];
  const program = await startProgram(row, installed, provider);
  // A new browser context without cookies.
  const context = await browser.newContext({ ignoreHTTPSErrors: true });
  try {
    provider.takeSeen();
    const outcome = await goThrough(await context.newPage(), program, provider);
    return { version: installed.versionOf(row), ...askedFor(provider.takeSeen()), outcome };
  } finally {
    await context.close();
    await program.stop();
  }
}

interface Program {
  /** The address where a login starts. */
  readonly login: string;
  complaints(): string;
  stop(): Promise<void>;
}

async function startProgram(
  row: ClientRow,
  installed: Installed,
  { issuer, authorityFile }: Provider,
): Promise<Program> {
  const { clientId, said = {} } = row;
  const configuration = { issuer, clientId, clientSecret: secrets[clientId], said };
  const [command, ...args] = installed.commandOf(row);
  const trustedThrough = ['NODE_EXTRA_CA_CERTS', 'REQUESTS_CA_BUNDLE', 'SSL_CERT_FILE'];
  const trust =
    authorityFile === undefined ? {} : Object.fromEntries(trustedThrough.map((name) => [name, authorityFile]));
  const child = spawn(command, [...args, JSON.stringify(configuration)], {
    env: { ...process.env, ...trust, PYTHONDONTWRITEBYTECODE: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, together with the processes that it starts.
    detached: true,
  });
  let complaints = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaints = (complaints + chunk).slice(-4_000);
  });
  const line = await new Promise<string>((resolve, reject) => {
    const fail = (why: string) => reject(new Error(`${row.name} ${why}:\n${complaints}`));
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('close', () => fail('ended before it was ready'));
    child.once('error', ({ message }) => fail(message));
  });
  const { login } = z.object({ login: z.string() }).parse(JSON.parse(line));
  return { login, complaints: () => complaints, stop: () => end(child) };
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.pid === undefined) return resolve();
    child.once('close', () => resolve());
    process.kill(-child.pid, 'SIGKILL');
  });
}

const greeting = 'text=/^logged in/';
const loginForm = 'input[name="password"]';
const button = 'button[type="submit"]';
const failure = 'text=/Error/';
const oauthError = /\b(?:invalid|unsupported|unauthorized|access|login|consent)_[a-z_]+\b/;

/** Acts as a user until the application greets them or fails. */
async function goThrough(
  page: Page,
  { login, complaints }: Program,
  { issuer }: Provider,
): Promise<Measured['outcome']> {
  page.setDefaultTimeout(patienceMilliseconds);
  const met = [greeting, loginForm, button, failure].map((each) => page.locator(each).first());
  try {
    await page.goto(login);
    for (;;) {
      await met
        .reduce((one, other) => one.or(other))
        .first()
        .waitFor();
      const text = await page.locator('body').innerText();
      if (text.startsWith('logged in')) {
        const [, name = '', email = ''] = text.split('\n');
        return { name, email };
      }
      const { href, origin } = new URL(page.url());
      const refusal = origin === issuer ? undefined : oauthError.exec(text + complaints())?.[0];
      if (refusal !== undefined) return { refusal };
      if (origin === issuer) {
        await page.getByLabel('Username').fill('alice');
        await page.getByLabel('Password').fill('alice');
      }
      await page.locator(button).first().click();
      await page.waitForURL((url) => url.href !== href);
    }
  } catch (error) {
    const text = await page
      .locator('body')
      .innerText({ timeout: 1_000 })
      .catch(() => '');
    const why = error instanceof Error ? error.message.split('\n')[0] : String(error);
    throw new Error(`${why}\nat ${page.url()}: ${text.slice(0, 1_000)}\n${complaints()}`);
  }
}

function askedFor(seen: readonly SeenRequest[]): Omit<Measured, 'version' | 'outcome'> {
  const authorize = seen.find(({ path }) => path === '/authorize')?.parameters;
  const token = seen.findLast(({ path }) => path === '/token');
  return {
    responseType: authorize?.get('response_type') ?? '',
    // Sorted, because a library may store scopes as a set.
    scope: (authorize?.get('scope') ?? '').split(' ').sort().join(' '),
    pkce: authorize?.has('code_challenge') ?? false,
    nonce: authorize?.has('nonce') ?? false,
    secret: token === undefined ? undefined : placeOfSecret(token),
    readsUserinfo: seen.some(({ path }) => path === '/userinfo'),
  };
}

function placeOfSecret({ authorization, parameters }: SeenRequest): Measured['secret'] {
  if (authorization !== undefined) return 'header';
  return parameters.has('client_secret') ? 'form' : 'none';
}
