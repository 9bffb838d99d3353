// A running identity provider as a test uses it (section API). Its members are the same however it was started. It
// sends HTTP requests like any other client. The caller passes in the two parts that differ: stop and reset.
import * as z from 'zod';
import { systemRandomness } from '#shared/base/random.ts';
import { noOther, objectGiven, textGiven, wholeSeconds } from './arguments.ts';
import { IdpError, IdpRequestError } from './errors.ts';
import { fetchFrom } from './fetch.ts';
import { followDeviceApproval, followLogin, followSignIn, type Person } from './login/follow-login.ts';
import { ScriptlessBrowser } from './login/scriptless-browser.ts';
import { operationCalls } from './operation-calls.ts';
import { ownAddress } from './own-addresses.ts';
import { notReachable, requestsTo, stopped } from './requests.ts';
import { steering } from './steering.ts';
import type {
  AddOptions,
  Browser,
  ClientEntry,
  Idp,
  IdpKeys,
  LoginOptions,
  NamedUser,
  OAuthCallback,
  SamlCallback,
  TokenOptions,
  TokenResponse,
} from './types.ts';

export interface Addresses {
  readonly url: string;
  readonly issuer: string;
  readonly discoveryUrl: string;
  readonly jwksUrl: string;
  readonly samlMetadataUrl: string;
  readonly samlSsoUrl: string;
  readonly port: number;
}

export interface InstanceParts {
  readonly addresses: Addresses;
  readonly managementSecret: string | undefined;
  readonly keys: IdpKeys;
  readonly users: Readonly<Record<string, NamedUser>>;
  readonly clients: Readonly<Record<string, ClientEntry>>;
  /** Restores the state after the start. */
  reset(): Promise<void>;
  /** Called once. */
  stop(): Promise<void>;
}

/** What the fixtures of a test runner need in addition to the members for tests. */
export interface Instance {
  readonly idp: Idp;
  readonly managementSecret: string | undefined;
  /** Logs a user in at the instance itself. Returns the browser's cookies by name. */
  signIn(person: SignIn): Promise<Browser['cookies']>;
}

type SignIn = Pick<LoginOptions, 'user' | 'password' | 'totp'>;

interface Secrets {
  readonly password: string | undefined;
  readonly totp: string | undefined;
}

const tokenOptionNames = [
  ...['user', 'client', 'claims', 'scope', 'resource', 'expiresIn'],
  ...['audience', 'setClaims', 'removeClaims', 'idToken'],
];

function idTokenChanges(changes: TokenOptions['idToken']): object | undefined {
  if (changes === undefined) return undefined;
  const { setClaims, removeClaims, ...others } = objectGiven('token', changes, 'an object whose idToken is an object');
  noOther('idToken of token', others, ['setClaims', 'removeClaims']);
  return { set_claims: setClaims, remove_claims: removeClaims };
}

export function makeInstance(parts: InstanceParts): Instance {
  let stopping: Promise<void> | undefined;
  const { addresses, users, clients } = parts;
  const requests = requestsTo(addresses.url, parts.managementSecret, () => stopping !== undefined);
  /** Secrets of the users and clients that this object added since the start or the last reset. */
  const added = { passwords: new Map<string, string>(), clients: new Map<string, ClientEntry>() };

  const live = () => {
    if (stopping !== undefined) throw stopped();
  };
  const clientNamed = (client: TokenOptions['client']): AuthenticatingClient => {
    if (typeof client === 'object') return client;
    const known = [...Object.values(clients), ...added.clients.values()];
    const found =
      client === undefined
        ? known.find(({ client_secret: secret }) => typeof secret === 'string')
        : known.find(({ client_id: id }) => id === client);
    if (found !== undefined) return found;
    throw new IdpError(
      'client_unknown',
      client === undefined
        ? 'No client with a secret is known. Name a user, or pass the client as { client_id, client_secret }.'
        : `Unknown client ${JSON.stringify(client)}. Pass it as { client_id, client_secret }.`,
    );
  };
  const person = (username: string, { password, totp }: Secrets): Person => {
    const known = added.passwords.get(username) ?? Reflect.get(users, username)?.password;
    return { username, password: password ?? (typeof known === 'string' ? known : undefined), totp };
  };
  const browserOf = (browser: Browser | undefined): ScriptlessBrowser => {
    if (browser === undefined) return new ScriptlessBrowser(addresses);
    if (browser instanceof ScriptlessBrowser) return browser;
    throw new IdpError('invalid_option', 'browser must be a return value of idp.browser().');
  };
  /** Turns connection errors into errors of this package. */
  const among = async <Result>(pages: () => Promise<Result>): Promise<Result> => {
    live();
    try {
      return await pages();
    } catch (error) {
      if (error instanceof IdpError) throw error;
      live();
      throw notReachable(addresses.url, error);
    }
  };

  async function token(options: TokenOptions = {}): Promise<TokenResponse> {
    live();
    const { user, client: named, claims, scope, resource, expiresIn, ...further } = objectGiven('token', options);
    const { audience, setClaims, removeClaims, idToken, ...others } = further;
    // An ignored option would produce a token with another lifetime or audience than the test expects.
    noOther('token', others, tokenOptionNames);
    const seconds = expiresIn === undefined ? undefined : wholeSeconds('expiresIn', expiresIn);
    const wanted = {
      extra: claims,
      scope: typeof scope === 'object' ? scope.join(' ') : scope,
      resource,
      exp_seconds: seconds,
      ...{ audience, set_claims: setClaims, remove_claims: removeClaims },
    };
    const changesClaims = [audience, setClaims, removeClaims].some((change) => change !== undefined);
    if (user !== undefined) {
      const client_id = typeof named === 'object' ? named.client_id : named;
      const path = `/api/users/${encodeURIComponent(user)}/token`;
      return await requests.modelled(tokenMembers, path, { ...wanted, client_id, id_token: idTokenChanges(idToken) });
    }
    if (idToken !== undefined) {
      throw new IdpError('invalid_option', 'idToken of token() needs user. A token of a client has no ID token.');
    }
    const client = clientNamed(named);
    if (changesClaims || (seconds !== undefined && !isWholeMinutes(seconds))) {
      // The token endpoint issues only whole minutes, no expired tokens, and no changed claims.
      const path = `/api/clients/${encodeURIComponent(client.client_id)}/token`;
      return await requests.modelled(tokenMembers, path, wanted);
    }
    const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: client.client_id });
    if (typeof client.client_secret === 'string') form.set('client_secret', client.client_secret);
    if (claims !== undefined) form.set('extra', JSON.stringify(claims));
    if (wanted.scope !== undefined) form.set('scope', wanted.scope);
    for (const each of resource === undefined ? [] : [resource].flat()) form.append('resource', each);
    if (seconds !== undefined) form.set('exp', String(seconds / 60));
    return await requests.modelled(tokenMembers, '/token', form, basicOf(client, form));
  }

  async function add(kind: 'users' | 'clients', entry: object, options: AddOptions): Promise<void> {
    const method = kind === 'users' ? 'addUser' : 'addClient';
    const { replace = false, ...others } = objectGiven(method, options, 'an object');
    noOther(method, others, ['replace']);
    try {
      await requests.json('POST', `/api/runtime/${kind}${replace ? '?replace=true' : ''}`, entry);
    } catch (error) {
      // A declared object already has that name, and a runtime object cannot replace it.
      if (!(error instanceof IdpRequestError) || error.kind !== 'declared') throw error;
      throw new IdpRequestError('exists', error.message, error);
    }
  }

  const calls = operationCalls(requests);
  const idp: Idp = {
    ...addresses,
    ...{ keys: parts.keys, users, clients },
    api: calls,
    token,
    async addUser(user, options = {}) {
      objectGiven('addUser', user);
      await add('users', user, options);
      if (typeof user.password === 'string') added.passwords.set(user.username, user.password);
      else added.passwords.delete(user.username);
      return { ...user };
    },
    async addClient(client, options = {}) {
      objectGiven('addClient', client);
      const isPublic = client.token_endpoint_auth_method === 'none';
      const { client_secret: given } = client;
      const client_secret = given ?? (isPublic ? undefined : systemRandomness.token());
      const entry = { ...client, ...(client_secret === undefined ? {} : { client_secret }) };
      await add('clients', entry, options);
      added.clients.set(entry.client_id, entry);
      return entry;
    },
    login: <Answer extends OAuthCallback | SamlCallback>(asked: Parameters<Idp['login']>[0]) =>
      among(async () => {
        const { url, user, browser, password, totp, ...others } = objectGiven('login', asked);
        noOther('login', others, ['url', 'user', 'browser', 'password', 'totp']);
        const start = ownAddress(textGiven('url', url), addresses);
        const whose = person(textGiven('user', user), { password, totp });
        // The URL decides the kind of the callback, and the caller chose the type to match.
        return (await followLogin(start, whose, browserOf(browser))) as Answer;
      }),
    approveDevice: (asked) =>
      among(() => {
        const {
          user,
          password,
          totp,
          browser,
          userCode,
          decision = 'approve',
          ...others
        } = objectGiven('approveDevice', asked);
        noOther('approveDevice', others, ['user', 'password', 'totp', 'browser', 'userCode', 'decision']);
        if (!['approve', 'deny'].includes(decision)) {
          throw new IdpError('invalid_option', 'decision must be approve or deny.');
        }
        const start = new URL(
          `${addresses.url}/device?${new URLSearchParams({ user_code: textGiven('userCode', userCode) })}`,
        );
        return followDeviceApproval(
          start,
          { userCode, decision },
          person(textGiven('user', user), { password, totp }),
          browserOf(browser),
        );
      }),
    browser: () => {
      live();
      return new ScriptlessBrowser(addresses);
    },
    ...steering(calls),
    async reset() {
      live();
      await parts.reset();
      added.passwords.clear();
      added.clients.clear();
    },
    fetch: async (path, options = {}) => fetchFrom(addresses, requests.ask, path, objectGiven('fetch', options)),
    stop() {
      stopping ??= parts.stop();
      return stopping;
    },
    [Symbol.asyncDispose]: () => idp.stop(),
  };
  return {
    idp,
    managementSecret: parts.managementSecret,
    signIn: ({ user, password, totp, ...others }) =>
      among(async () => {
        noOther('loginAs', others, ['user', 'password', 'totp']);
        const browser = new ScriptlessBrowser(addresses);
        await followSignIn(new URL(`${addresses.url}/login`), person(user, { password, totp }), browser);
        return browser.cookies;
      }),
  };
}

type AuthenticatingClient = Pick<ClientEntry, 'client_id' | 'client_secret' | 'token_endpoint_auth_method'>;

const tokenMembers = z.looseObject({ access_token: z.string(), token_type: z.string(), expires_in: z.number() });

function isWholeMinutes(seconds: number): boolean {
  return seconds > 0 && seconds % 60 === 0;
}

/** The client authenticates with its registered method. Credentials in the header are removed from the form. */
function basicOf(client: AuthenticatingClient, form: URLSearchParams): Readonly<Record<string, string>> {
  const { client_id: id, client_secret: secret, token_endpoint_auth_method: method = 'client_secret_basic' } = client;
  if (method !== 'client_secret_basic' || typeof secret !== 'string') return {};
  form.delete('client_id');
  form.delete('client_secret');
  // RFC 6749 §2.3.1: both are form-encoded before they are joined.
  const [user = '', password = ''] = [id, secret].map((text) => new URLSearchParams([['', text]]).toString().slice(1));
  return { Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` };
}
