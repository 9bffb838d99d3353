// A correct OpenID Connect relying party: the code flow with PKCE, checks of state, nonce and iss, verification of the ID
// token with the published keys, and a userinfo request. It needs only Node.js. docs/guides/demo.md shows this file.
import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto';

type Json = Readonly<Record<string, unknown>>;

export interface Registered {
  readonly client_id: string;
  readonly client_secret: string;
  readonly redirect_uri: string;
}

/** A login in progress. It belongs to the browser that started it. */
export interface BegunLogin {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly issuer: string;
}

export interface LoggedIn {
  readonly claims: Json;
  readonly userinfo: Json;
}

export interface RelyingPartyContext {
  /** Unguessable text. */
  readonly random: () => string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const clockSkewSeconds = 30;

/** What an ID token is signed with for a client that registered nothing else (OpenID Connect Core §3.1.3.7). */
const algorithm = 'RS256';

export class RelyingParty {
  readonly #registered: Registered;
  readonly #surroundings: RelyingPartyContext;

  constructor(registered: Registered, surroundings: RelyingPartyContext) {
    this.#registered = registered;
    this.#surroundings = surroundings;
  }

  /** Where the browser is sent, and what must be kept for it meanwhile. */
  async begin(issuer: string): Promise<{ readonly location: string; readonly login: BegunLogin }> {
    const { random } = this.#surroundings;
    const { client_id, redirect_uri } = this.#registered;
    const provider = await discover(issuer);
    const login = { state: random(), nonce: random(), codeVerifier: random(), issuer };
    const location = new URL(text(provider, 'authorization_endpoint'));
    const parameters = {
      ...{ response_type: 'code', client_id, redirect_uri, scope: 'openid profile email' },
      ...{ state: login.state, nonce: login.nonce },
      code_challenge: createHash('sha256').update(login.codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
    for (const [name, value] of Object.entries(parameters)) location.searchParams.set(name, value);
    return { location: location.href, login };
  }

  /** `answer`: the query with which the browser came back. @throws Error that says what is wrong with it. */
  async finish(login: BegunLogin, answer: URLSearchParams): Promise<LoggedIn> {
    const provider = await discover(login.issuer);
    for (const name of answer.keys()) {
      if (answer.getAll(name).length > 1) throw new Error(`${name} is repeated in the response (RFC 6749 §3.1)`);
    }
    if (answer.get('state') !== login.state) throw new Error('state belongs to another login');
    const iss = answer.get('iss');
    if (iss !== null ? iss !== login.issuer : provider.authorization_response_iss_parameter_supported === true) {
      throw new Error('iss names another provider (RFC 9207)');
    }
    const error = answer.get('error');
    if (error !== null) throw new Error(`${error}: ${answer.get('error_description') ?? ''}`);
    const tokens = await this.#redeem(provider, answer.get('code') ?? '', login.codeVerifier);
    const accessToken = text(tokens, 'access_token');
    if (text(tokens, 'token_type').toLowerCase() !== 'bearer')
      throw new Error('the access token is not a bearer token');
    const claims = await this.#verified(provider, text(tokens, 'id_token'), { login, accessToken });
    const headers = { Authorization: `Bearer ${accessToken}` };
    const userinfo = await ask(text(provider, 'userinfo_endpoint'), { headers });
    if (userinfo.sub !== claims.sub) throw new Error('userinfo and the ID token name different users');
    return { claims, userinfo };
  }

  #redeem(provider: Json, code: string, code_verifier: string): Promise<Json> {
    const { client_id, client_secret, redirect_uri } = this.#registered;
    const credentials = [client_id, client_secret].map(encodeURIComponent).join(':');
    return ask(text(provider, 'token_endpoint'), {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri, code_verifier }),
    });
  }

  /** The claims of the ID token, once nothing speaks against them (OpenID Connect Core §3.1.3.7). */
  async #verified(
    provider: Json,
    token: string,
    { login, accessToken }: { readonly login: BegunLogin; readonly accessToken: string },
  ): Promise<Json> {
    const { client_id } = this.#registered;
    const [head = '', payload = '', signature = '', ...others] = token.split('.');
    if (others.length > 0) throw new Error('the ID token has more than three parts');
    const header = decoded(head);
    if (header.alg !== algorithm) throw new Error(`the ID token is signed with ${header.alg}, which is not supported`);
    if (header.crit !== undefined) throw new Error('the ID token has crit with an unsupported extension');
    const key = await publishedKey(provider, header);
    if (!verify('sha256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url'))) {
      throw new Error('the signature of the ID token is invalid');
    }
    const claims = decoded(payload);
    const now = this.#surroundings.now() / 1000;
    const audience = [claims.aud].flat();
    if (claims.iss !== login.issuer) throw new Error('the ID token has another issuer');
    if (!audience.includes(client_id)) throw new Error('the ID token is for another client');
    if (audience.length > 1 || claims.azp !== undefined ? claims.azp !== client_id : false) {
      throw new Error('the ID token was issued to another client (azp)');
    }
    if (claims.nonce !== login.nonce) throw new Error('nonce belongs to another login');
    if (seconds(claims, 'exp') <= now - clockSkewSeconds) throw new Error('the ID token has expired');
    if (seconds(claims, 'iat') > now + clockSkewSeconds) throw new Error('the ID token was issued in the future');
    if (claims.nbf !== undefined && seconds(claims, 'nbf') > now + clockSkewSeconds) {
      throw new Error('the ID token is not valid yet');
    }
    if (text(claims, 'sub') === '') throw new Error('the ID token has no sub');
    const half = createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
    if (claims.at_hash !== undefined && claims.at_hash !== half)
      throw new Error('at_hash belongs to another access token');
    return claims;
  }
}

/** The provider's own document, which must say that it is who was asked (OpenID Connect Discovery §4.3). */
async function discover(issuer: string): Promise<Json> {
  const provider = await ask(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`);
  if (provider.issuer !== issuer) throw new Error(`the provider at ${issuer} has the issuer ${provider.issuer}`);
  return provider;
}

async function publishedKey(provider: Json, { kid }: Json) {
  const { keys } = await ask(text(provider, 'jwks_uri'));
  const fitting = (Array.isArray(keys) ? keys : []).filter((jwk: JsonWebKey) => {
    const isForThis = jwk.kty === 'RSA' && (jwk.use ?? 'sig') === 'sig' && (jwk.alg ?? algorithm) === algorithm;
    return isForThis && (kid === undefined || jwk.kid === kid);
  });
  const [jwk, ...others] = fitting;
  if (jwk === undefined || others.length > 0)
    throw new Error('the kid of the ID token does not match exactly one published key');
  return createPublicKey({ key: jwk, format: 'jwk' });
}

async function ask(url: string, init: RequestInit = {}): Promise<Json> {
  const response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(10_000) }).catch(
    (cause) => {
      throw new Error(`no valid response from ${url}`, { cause });
    },
  );
  const body = await response.text();
  if (!response.ok) throw new Error(`${url} returned ${response.status}: ${body.slice(0, 500)}`);
  return object(body);
}

function decoded(part: string): Json {
  return object(Buffer.from(part, 'base64url').toString('utf8'));
}

function object(json: string): Json {
  const value: unknown = JSON.parse(json);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('the response is not a JSON object');
  return { ...value };
}

function text(from: Json, name: string): string {
  const value = from[name];
  if (typeof value !== 'string') throw new Error(`${name} is missing`);
  return value;
}

function seconds(from: Json, name: string): number {
  const value = from[name];
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Error(`${name} is missing`);
  return value;
}
