// The requests of the contests as bytes, and the flows with several requests.
import { createLocalJWKSet, type JWTPayload, jwtVerify } from 'jose';
import { z } from 'zod';
import { type Answer, type Ask, askOnce, headerOf, httpRequest, type Operation } from './http-load.ts';
import { callback, client, user } from './programs.ts';
import type { StartedProgram } from './started-program.ts';
import { readSecurely } from './tls.ts';

type Fields = Readonly<Record<string, string>>;
type Asked = Pick<StartedProgram, 'baseUrl'>;

const basic = `Basic ${Buffer.from(`${client.id}:${client.secret}`).toString('base64')}`;
const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
/** The verifier of `challenge` (RFC 7636 appendix B). */
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

const tokenResponseModel = z.object({
  access_token: z.string(),
  id_token: z.string().optional(),
  refresh_token: z.string().optional(),
});

export const tokensOf = ({ body }: Answer) => tokenResponseModel.parse(JSON.parse(body));

export function get({ baseUrl }: Asked, path: string, headers: Fields = {}): Buffer {
  return httpRequest(baseUrl, { method: 'GET', path, headers });
}

export function post({ baseUrl }: Asked, path: string, fields: Fields, headers: Fields = {}): Buffer {
  return httpRequest(baseUrl, {
    method: 'POST',
    path,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  });
}

/** A form of the client, which authenticates in the header. */
export function ofClient(program: Asked, path: string, fields: Fields): Buffer {
  return post(program, path, fields, { Authorization: basic });
}

export function tokenRequest(program: Asked & Pick<StartedProgram, 'tokenPath'>, fields: Fields): Buffer {
  return ofClient(program, program.tokenPath, fields);
}

/** One response outside any load. @throws Error unless it is a 200 */
export async function once(program: StartedProgram, operation: Operation): Promise<Answer> {
  const answer = await askOnce(program, operation);
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.body.slice(0, 500)}`);
  return answer;
}

/** Verifies all JWTs in a response with the published keys. */
export async function tokenCheck({ jwksUrl, ca }: StartedProgram): Promise<(answer: Answer) => Promise<void>> {
  const text = ca === undefined ? await (await fetch(jwksUrl)).text() : await readSecurely(jwksUrl, ca);
  const keys = createLocalJWKSet(JSON.parse(text));
  return async (answer) => {
    const { access_token, id_token } = tokensOf(answer);
    for (const token of [access_token, id_token]) {
      if (token?.includes('.')) await jwtVerify<JWTPayload>(token, keys, { algorithms: ['RS256'] });
    }
  };
}

/** The login page, the login and the redemption of the code. Returns the token response. */
export function codeFlow(program: StartedProgram): Operation {
  const first = get(program, `/authorize?${authorizationQuery()}`);
  return async (ask) => {
    const page = await ask(first);
    const transaction = /name="transaction_id" value="([^"]+)"/.exec(page.body)?.[1] ?? '';
    const cookie = headerOf(page, 'set-cookie')?.split(';', 1)[0] ?? '';
    const login = post(program, '/authorize', { transaction_id: transaction, ...user }, { Cookie: cookie });
    return redeemed(program, await ask(login), ask);
  };
}

export function authorizationQuery(): string {
  return new URLSearchParams({
    response_type: 'code',
    client_id: client.id,
    redirect_uri: callback,
    scope: 'openid',
    state: 'bench',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }).toString();
}

/** Redeems the code in the redirect to the client. */
export function redeemed(program: StartedProgram, answer: Answer, ask: Ask): Promise<Answer> {
  const location = headerOf(answer, 'location') ?? '';
  const code = location.startsWith(callback) ? new URL(location).searchParams.get('code') : null;
  if (code === null) throw new Error(`no code: ${answer.status} ${location} ${answer.body.slice(0, 300)}`);
  const fields = { grant_type: 'authorization_code', code, redirect_uri: callback, code_verifier: verifier };
  return ask(tokenRequest(program, fields));
}
