// Applications that an exam can distinguish: careful and careless relying parties and service providers, each a server on
// loopback with a login and a protected page.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SAML, ValidateInResponseTo } from '@node-saml/node-saml';
import * as client from 'openid-client';
import * as samlify from 'samlify';
import { basic, postForm } from './http.ts';
import type { RunningIdp } from './start-idp.ts';

export interface ExaminedApplication {
  /** client_id or entity ID. */
  readonly name: string;
  readonly loginUrl: string;
  /** The number of logins that began. */
  readonly logins: () => number;
  close(): Promise<void>;
}

/** Returns the user after the response arrived, or throws to reject it. */
interface LoginOf {
  begin(): Promise<{ readonly address: string; readonly login: string }>;
  finish(called: URL, body: URLSearchParams, login: string | undefined): Promise<string>;
  /** Called for each protected page. It throws to log the user out. */
  stay?(user: string): Promise<void>;
}

type Answering = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function serve(make: (base: string) => Promise<LoginOf>, name: (base: string) => string, wraps?: Wrapping) {
  let answer: Answering = async (_request, response) => void response.writeHead(503).end();
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      response.writeHead(500, { 'Content-Type': 'text/plain' }).end(String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const login = await make(base);
  let logins = 0;
  const usual: Answering = async (request, response) => {
    const url = new URL(request.url ?? '/', base);
    const cookie = (wanted: string) => new RegExp(`(?:^|; )${wanted}=([^;]*)`).exec(request.headers.cookie ?? '')?.[1];
    const say = (status: number, text: string) =>
      response.writeHead(status, { 'Content-Type': 'text/html' }).end(`<!doctype html><p>${text}</p>`);
    if (url.pathname === '/login') {
      logins += 1;
      const begun = await login.begin();
      const headers = { Location: begun.address, 'Set-Cookie': `login=${begun.login}; Path=/; HttpOnly` };
      response.writeHead(302, headers).end();
    } else if (url.pathname === '/callback') {
      const body = new URLSearchParams(await textOf(request));
      let user: string;
      try {
        user = await login.finish(url, body, cookie('login'));
      } catch {
        say(400, 'The login failed.');
        return;
      }
      const headers = { Location: '/home', 'Set-Cookie': `user=${encodeURIComponent(user)}; Path=/; HttpOnly` };
      response.writeHead(302, headers).end();
    } else if (url.pathname === '/home') {
      const user = decodeURIComponent(cookie('user') ?? '');
      try {
        if (user === '') throw new Error('no cookie');
        await login.stay?.(user);
        say(200, `Hello <b>${user}</b>`);
      } catch {
        say(401, 'Nobody is logged in.');
      }
    } else say(404, 'There is no such page.');
  };
  answer = wraps === undefined ? usual : wraps(usual, base);
  return {
    name: name(base),
    loginUrl: `${base}/login`,
    logins: () => logins,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Wraps the application's request handler. */
export type Wrapping = (usual: Answering, base: string) => Answering;

const clientSecret = 'a-secret-of-the-examined-application-that-is-long-enough';

/** `base`: address of the application. `prefix`: of a sandbox. */
export async function registeredClient(idp: RunningIdp, base: string, prefix = '') {
  const client_id = `app-${new URL(base).port}`;
  const redirect_uris = [`${base}/callback`];
  const { status } = await idp.api('POST', `${prefix}/api/runtime/clients`, {
    ...{ client_id, client_secret: clientSecret, redirect_uris },
  });
  if (status !== 201) throw new Error(`the client was not created: ${status}`);
  return { client_id, client_secret: clientSecret, redirect_uri: `${base}/callback` };
}

type Tokens = Pick<client.TokenEndpointResponse, 'access_token' | 'refresh_token'>;

const nameOf = (base: string) => `app-${new URL(base).port}`;

/** openid-client as it should be used. `prefix`: of a sandbox. */
export async function carefulRelyingParty(idp: RunningIdp, prefix = ''): Promise<ExaminedApplication> {
  return await serve(async (base) => {
    const { client_id, redirect_uri } = await registeredClient(idp, base, prefix);
    const config = await client.discovery(
      new URL(`${idp.baseUrl}${prefix}`),
      client_id,
      undefined,
      client.ClientSecretBasic(clientSecret),
      { execute: [client.allowInsecureRequests] },
    );
    client.enableNonRepudiationChecks(config);
    const begun = new Map<string, { pkceCodeVerifier: string; expectedNonce: string }>();
    const held = new Map<string, { accessToken: string; refreshToken: string }>();
    const keep = (subject: string, { access_token, refresh_token = held.get(subject)?.refreshToken ?? '' }: Tokens) =>
      held.set(subject, { accessToken: access_token, refreshToken: refresh_token });
    return {
      async begin() {
        const state = client.randomState();
        const checks = { pkceCodeVerifier: client.randomPKCECodeVerifier(), expectedNonce: client.randomNonce() };
        begun.set(state, checks);
        const address = client.buildAuthorizationUrl(config, {
          ...{ redirect_uri, scope: 'openid email profile', state, nonce: checks.expectedNonce },
          code_challenge: await client.calculatePKCECodeChallenge(checks.pkceCodeVerifier),
          code_challenge_method: 'S256',
        });
        return { address: address.href, login: state };
      },
      async finish(called, _body, login) {
        const checks = begun.get(login ?? '');
        if (login === undefined || checks === undefined) throw new Error('no pending login matches');
        begun.delete(login);
        const expected = { ...checks, expectedState: login, idTokenExpected: true };
        const tokens = await client.authorizationCodeGrant(config, called, expected);
        const subject = String(tokens.claims()?.sub);
        await client.fetchUserInfo(config, tokens.access_token, subject);
        keep(subject, tokens);
        return subject;
      },
      async stay(subject) {
        const { accessToken, refreshToken } = held.get(subject) ?? { accessToken: '', refreshToken: '' };
        const isOver = await client.fetchUserInfo(config, accessToken, subject).then(
          () => false,
          (error: unknown) => error instanceof client.WWWAuthenticateChallengeError && error.status === 401,
        );
        if (!isOver) return;
        const tokens = await client.refreshTokenGrant(config, refreshToken);
        if (tokens.claims()?.sub !== subject) throw new Error('the token is for another user');
        keep(subject, tokens);
      },
    };
  }, nameOf);
}

/** Reads the ID token without verifying anything. */
export async function sloppyRelyingParty(idp: RunningIdp, wraps?: Wrapping, prefix = ''): Promise<ExaminedApplication> {
  return await serve(
    async (base) => {
      const { client_id, redirect_uri } = await registeredClient(idp, base, prefix);
      return {
        async begin() {
          const query = new URLSearchParams({
            ...{ response_type: 'code', client_id, redirect_uri, scope: 'openid', state: 'state', nonce: 'nonce' },
          });
          return { address: `${idp.baseUrl}${prefix}/authorize?${query}`, login: 'begun' };
        },
        async finish(called) {
          const code = called.searchParams.get('code') ?? '';
          const form = { grant_type: 'authorization_code', code, redirect_uri };
          const answer = await postForm(`${idp.baseUrl}${prefix}/token`, form, {
            Authorization: basic(client_id, clientSecret),
          });
          const { id_token }: { id_token: string } = JSON.parse(await answer.text());
          return JSON.parse(Buffer.from(id_token.split('.')[1] ?? '', 'base64url').toString('utf8')).sub;
        },
      };
    },
    nameOf,
    wraps,
  );
}

/** node-saml, with everything configured that it can check. */
export async function carefulServiceProvider(idp: RunningIdp): Promise<ExaminedApplication> {
  const idpCert = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
  return await serve(
    async (base) => {
      const saml = new SAML({
        ...{ callbackUrl: `${base}/callback`, issuer: base, audience: base, idpCert },
        ...{ entryPoint: `${idp.baseUrl}/saml/sso`, idpIssuer: `${idp.baseUrl}/saml` },
        wantAssertionsSigned: true,
        wantAuthnResponseSigned: false,
        validateInResponseTo: ValidateInResponseTo.always,
      });
      return {
        begin: async () => ({ address: await saml.getAuthorizeUrlAsync('', undefined, {}), login: 'begun' }),
        async finish(_called, body) {
          const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: body.get('SAMLResponse') ?? '' });
          if (profile === null) throw new Error('no profile');
          return profile.nameID;
        },
      };
    },
    (base) => base,
  );
}

/** samlify, which requires signed Assertions and takes the identity provider from its metadata. */
export async function samlifyServiceProvider(idp: RunningIdp): Promise<ExaminedApplication> {
  samlify.setSchemaValidator({ validate: async () => 'no schema validator' });
  const metadata = await (await fetch(`${idp.baseUrl}/saml/metadata`)).text();
  return await serve(
    async (base) => {
      const identityProvider = samlify.IdentityProvider({ metadata });
      const acs = { Binding: samlify.Constants.namespace.binding.post, Location: `${base}/callback` };
      const provider = samlify.ServiceProvider({
        ...{ entityID: base, wantAssertionsSigned: true, assertionConsumerService: [acs] },
      });
      return {
        begin: async () => ({
          address: provider.createLoginRequest(identityProvider, 'redirect').context,
          login: 'begun',
        }),
        async finish(_called, sent) {
          const body = { SAMLResponse: sent.get('SAMLResponse') ?? '' };
          const { extract } = await provider.parseLoginResponse(identityProvider, 'post', { body });
          return String(extract.nameID);
        },
      };
    },
    (base) => base,
  );
}

/** Reads the first NameID of the document without verifying anything. */
export async function sloppyServiceProvider(idp: RunningIdp): Promise<ExaminedApplication> {
  const idpCert = await (await fetch(`${idp.baseUrl}/saml/cert.pem`)).text();
  return await serve(
    async (base) => {
      const saml = new SAML({
        ...{ callbackUrl: `${base}/callback`, issuer: base, audience: base, idpCert },
        entryPoint: `${idp.baseUrl}/saml/sso`,
      });
      return {
        begin: async () => ({ address: await saml.getAuthorizeUrlAsync('', undefined, {}), login: 'begun' }),
        async finish(_called, body) {
          const xml = Buffer.from(body.get('SAMLResponse') ?? '', 'base64').toString('utf8');
          const [, name] = /<(?:\w+:)?NameID\b[^>]*>([^<]*)</.exec(xml) ?? [];
          if (name === undefined) throw new Error('no NameID');
          return name;
        },
      };
    },
    (base) => base,
  );
}

async function textOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}
