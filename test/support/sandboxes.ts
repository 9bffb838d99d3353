// A sandbox of a started program, used as its clients use it.

import { authorizePath, codeOf, newBrowser } from './authorization-flow.ts';
import type { BrowserClient } from './browser-client.ts';
import { alice, web } from './credentials.ts';
import type { ApiAnswer } from './management-api.ts';
import type { RunningIdp } from './start-idp.ts';
import { callback } from './worlds.ts';

type Fields = Readonly<Record<string, string>>;

/** A namespace for tests: a sandbox, or with the prefix '' the default identity provider. */
export interface NamespaceUnderTest {
  readonly prefix: string;
  readonly issuer: string;
  api(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** POST of a form, as the client `web` unless headers say otherwise. */
  post(path: string, form: Fields, headers?: Fields): Promise<ApiAnswer>;
  get(path: string, headers?: Record<string, string>): Promise<ApiAnswer>;
  /** A code of `web` for alice. */
  code(parameters?: Readonly<Record<string, string | undefined>>): Promise<string>;
  redeem(code: string): Promise<ApiAnswer>;
  /** The tokens for a code of alice, with openid and offline_access. */
  tokens(): Promise<Readonly<Record<string, string>>>;
  /** The status of /userinfo for the token. */
  userinfo(token: string | undefined): Promise<number>;
  login(browser?: BrowserClient): Promise<BrowserClient>;
}

export interface SandboxUnderTest extends NamespaceUnderTest {
  readonly name: string;
  /** The response of the creation. */
  readonly made: ApiAnswer['body'];
}

export function namespaceAt(idp: RunningIdp, prefix: string): NamespaceUnderTest {
  const api: NamespaceUnderTest['api'] = (method, path, body, headers) => idp.api(method, prefix + path, body, headers);
  const post: NamespaceUnderTest['post'] = (path, form, headers = web) =>
    api('POST', path, new URLSearchParams(form).toString(), {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...headers,
    });
  const code: NamespaceUnderTest['code'] = async (parameters = { scope: 'openid profile' }) =>
    codeOf(await newBrowser(idp).post(prefix + authorizePath(parameters), alice));
  const redeem = (given: string) =>
    post('/token', { grant_type: 'authorization_code', code: given, redirect_uri: callback });
  return {
    prefix,
    issuer: idp.baseUrl + prefix,
    api,
    post,
    code,
    redeem,
    get: (path, headers) => api('GET', path, undefined, headers),
    tokens: async () => {
      const { status, body } = await redeem(await code());
      if (status !== 200) throw new Error(`/token answered ${status}: ${JSON.stringify(body)}`);
      return body;
    },
    userinfo: async (token) => (await api('GET', '/userinfo', undefined, { Authorization: `Bearer ${token}` })).status,
    login: async (browser = newBrowser(idp)) => {
      const page = await browser.post(`${prefix}/login`, alice);
      if (page.location !== `${prefix}/`) throw new Error(`login answered ${page.status} ${page.location}`);
      return browser;
    },
  };
}

export async function makeSandbox(idp: RunningIdp, body: object = {}): Promise<SandboxUnderTest> {
  const { status, body: made } = await idp.api('POST', '/api/sandboxes', body);
  if (status !== 201) throw new Error(`the creation answered ${status}: ${JSON.stringify(made)}`);
  return { ...namespaceAt(idp, `/s/${made.name}`), name: made.name, made };
}
