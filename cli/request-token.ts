// Turns the options of a token into one request: to the token endpoint for a client, to POST /api/users/{user}/token
// for a user (PKG-27).
import { type Answer, askInstance } from './ask-instance.ts';
import { declaredConfiguration, type InstanceAddress } from './instance-address.ts';
import { UsageError } from './usage-error.ts';

export interface TokenWish {
  /** `ID` or `ID:SECRET`. */
  readonly client?: string | undefined;
  readonly user?: string | undefined;
  readonly claims?: Readonly<Record<string, unknown>> | undefined;
  /** Minutes, as typed. */
  readonly exp?: string | undefined;
  readonly scope?: string | undefined;
  readonly resource?: readonly string[] | undefined;
  readonly audience?: string | undefined;
  readonly setClaims?: Readonly<Record<string, unknown>> | undefined;
  readonly removeClaims?: readonly string[] | undefined;
  /** Where clients are looked up. undefined: the embedded configuration. */
  readonly configDirectory: string | undefined;
}

export interface Instance extends InstanceAddress {
  /** Sent as Host, if the instance must respond as if at another address. */
  readonly host?: string;
}

export type TokenResponse = { readonly access_token: string } & Readonly<Record<string, unknown>>;

/** @throws NotReachableError, Error with the rejection */
export async function requestToken(instance: Instance, wish: TokenWish): Promise<TokenResponse> {
  const answer = await ask(instance, wish);
  const body = parsed(answer);
  if (answer.status === 200 && typeof body.access_token === 'string') {
    return { ...body, access_token: body.access_token };
  }
  const { error = `HTTP ${answer.status}`, error_description: description } = body;
  throw new Error(`${error}${description === undefined ? '' : `: ${description}`}`);
}

function ask(instance: Instance, wish: TokenWish): Promise<Answer> {
  // The request names the client without authenticating it, so a given secret is not needed.
  const clientId = wish.client === undefined ? undefined : splitClient(wish.client)[0];
  if (wish.user !== undefined) {
    return askWithoutLogin(instance, `/api/users/${encodeURIComponent(wish.user)}/token`, wish, clientId);
  }
  const { audience, setClaims, removeClaims } = wish;
  // The token endpoint changes no claims.
  const changesClaims = [audience, setClaims, removeClaims].some((change) => change !== undefined);
  return changesClaims ? askForClient(instance, wish, clientId) : askAsClient(instance, wish);
}

async function askForClient(instance: Instance, wish: TokenWish, clientId: string | undefined): Promise<Answer> {
  const id = clientId ?? (await chosenClient(wish)).id;
  return askWithoutLogin(instance, `/api/clients/${encodeURIComponent(id)}/token`, wish);
}

async function askAsClient({ base, caFile, host }: Instance, wish: TokenWish): Promise<Answer> {
  const { id, secret, inForm } = await chosenClient(wish);
  const { claims, exp, scope, resource = [] } = wish;
  const options = { extra: claims === undefined ? undefined : JSON.stringify(claims), exp, scope };
  const form = new URLSearchParams([['grant_type', 'client_credentials']]);
  for (const [name, value] of Object.entries(options)) if (value !== undefined) form.set(name, value);
  for (const each of resource) form.append('resource', each);
  const headers: Record<string, string> = { 'Content-Type': 'application/x-www-form-urlencoded', ...hostHeader(host) };
  if (inForm) {
    form.set('client_id', id);
    form.set('client_secret', secret);
  } else {
    // RFC 6749 §2.3.1: both are form-encoded before they are joined.
    headers.Authorization = `Basic ${btoa([id, secret].map(formEncoded).join(':'))}`;
  }
  return await askInstance(new URL(`${base}/token`), {
    ...{ method: 'POST', headers, caFile },
    body: form.toString(),
  });
}

/** One of the two operations that issue a token without a login. */
async function askWithoutLogin(
  { base, caFile, host }: Instance,
  path: string,
  wish: TokenWish,
  clientId?: string,
): Promise<Answer> {
  const { claims: extra, exp, scope, resource, audience, setClaims, removeClaims } = wish;
  const minutes = exp === undefined || !/^-?\d{1,9}$/.test(exp) ? exp : Number(exp);
  const changes = { audience, set_claims: setClaims, remove_claims: removeClaims };
  const secret = process.env.IDP_MANAGEMENT_SECRET;
  return await askInstance(new URL(base + path), {
    method: 'POST',
    caFile,
    headers: {
      'Content-Type': 'application/json',
      ...(secret === undefined || secret === '' ? {} : { 'X-Management-Secret': secret }),
      ...hostHeader(host),
    },
    body: JSON.stringify({ client_id: clientId, exp_minutes: minutes, extra, scope, resource, ...changes }),
  });
}

interface ChosenClient {
  readonly id: string;
  readonly secret: string;
  readonly inForm: boolean;
}

/**
 * The named client, with its secret from the configuration if none was given. Without a name, a declared confidential
 * client.
 */
async function chosenClient({ client, configDirectory }: TokenWish): Promise<ChosenClient> {
  const [id, secret] = client === undefined ? [undefined, undefined] : splitClient(client);
  if (id !== undefined && secret !== undefined) return { id, secret, inForm: false };
  // The embedded configuration is known without loading its libraries.
  if (configDirectory === undefined && (id ?? 'demo-client') === 'demo-client') {
    return { id: 'demo-client', secret: 'demo-secret', inForm: false };
  }
  const { clients } = await declaredConfiguration(configDirectory);
  const confidential = [...clients.values()].filter((each) => each.token_endpoint_auth_method !== 'none');
  const found = id === undefined ? confidential[0] : confidential.find(({ client_id }) => client_id === id);
  if (found?.client_secret === undefined) {
    throw new UsageError(
      id === undefined
        ? 'The configuration has no client with a secret. Name one with --client ID:SECRET, or a user with --user.'
        : `The configuration has no client '${id}' with a secret. Write --client ${id}:SECRET.`,
    );
  }
  const inForm = found.token_endpoint_auth_method === 'client_secret_post';
  return { id: found.client_id, secret: found.client_secret, inForm };
}

function splitClient(text: string): [id: string, secret: string | undefined] {
  const colon = text.indexOf(':');
  return colon === -1 ? [text, undefined] : [text.slice(0, colon), text.slice(colon + 1)];
}

function parsed({ status, body }: Answer): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === 'object' && value !== null) return { ...value };
  } catch {
    // Another program responds there.
  }
  throw new Error(`Another program responds at this address: HTTP ${status} without JSON.`);
}

function hostHeader(host: string | undefined): Record<string, string> {
  return host === undefined ? {} : { Host: host };
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}
