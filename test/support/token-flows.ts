// The token endpoints as a client uses them: codes, tokens, device grants and introspection, as briefly as possible, so
// that a test shows only its subject.

import { expect } from 'chai';
import { authorizePath, challenge, codeOf, newBrowser, verifier } from './authorization-flow.ts';
import type { Page } from './browser-client.ts';
import { alice, web } from './credentials.ts';
import type { RunningIdp } from './start-idp.ts';
import { callback } from './worlds.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The JSON body, or an empty object. */
  readonly body: Readonly<Record<string, unknown>>;
}

type Form = Readonly<Record<string, string>> | readonly (readonly [string, string])[];
type Fields = Readonly<Record<string, string>>;

export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

export async function call(idp: { baseUrl: string }, path: string, init: RequestInit = {}): Promise<Answer> {
  const answer = await fetch(new URL(path, idp.baseUrl), { redirect: 'manual', ...init });
  const text = await answer.text();
  const isJson = (answer.headers.get('content-type') ?? '').startsWith('application/json');
  return { status: answer.status, headers: answer.headers, text, body: isJson ? JSON.parse(text) : {} };
}

export function postTo(idp: { baseUrl: string }, path: string, form: Form, headers: Fields = web): Promise<Answer> {
  const pairs = Array.isArray(form) ? form : Object.entries(form);
  return call(idp, path, { method: 'POST', headers, body: new URLSearchParams(pairs.map(([k, v]) => [k, v])) });
}

/** POST /token as `web` unless other headers are given. */
export function token(idp: { baseUrl: string }, form: Form, headers: Fields = web): Promise<Answer> {
  return postTo(idp, '/token', form, headers);
}

/** A code of `web` for alice, by one direct POST, with the given parameters and user. */
export async function codeFor(
  idp: RunningIdp,
  parameters: Readonly<Record<string, string | undefined>> | string = {},
  login: Fields = alice,
): Promise<string> {
  const path = typeof parameters === 'string' ? parameters : authorizePath(parameters);
  const page: Page = await newBrowser(idp).post(path, login);
  return codeOf(page);
}

export function redeemCode(idp: RunningIdp, code: string, fields: Fields = {}, headers: Fields = web): Promise<Answer> {
  return token(idp, { grant_type: 'authorization_code', code, redirect_uri: callback, ...fields }, headers);
}

/** The token response of a new authorization by alice. */
export async function tokensFor(
  idp: RunningIdp,
  parameters: Readonly<Record<string, string | undefined>> = {},
  fields: Fields = {},
  headers: Fields = web,
): Promise<Readonly<Record<string, string>>> {
  const answer = await redeemCode(idp, await codeFor(idp, parameters), fields, headers);
  expect(answer.status, answer.text).to.equal(200);
  return answer.body as Readonly<Record<string, string>>;
}

/** The tokens of alice by the public client `spa`. */
export async function publicTokens(idp: RunningIdp): Promise<Readonly<Record<string, string>>> {
  const parameters = { client_id: 'spa', code_challenge: challenge, code_challenge_method: 'S256' };
  return tokensFor(idp, parameters, { client_id: 'spa', code_verifier: verifier }, {});
}

export function refresh(
  idp: { baseUrl: string },
  refreshToken: string | undefined,
  fields: Fields = {},
  headers: Fields = web,
): Promise<Answer> {
  return token(idp, { grant_type: 'refresh_token', refresh_token: refreshToken ?? '', ...fields }, headers);
}

export function introspect(idp: { baseUrl: string }, tokenText: string | undefined): Promise<Answer> {
  return postTo(idp, '/introspect', { token: tokenText ?? '' });
}

export async function isActive(idp: { baseUrl: string }, tokenText: string | undefined): Promise<unknown> {
  return (await introspect(idp, tokenText)).body.active;
}

export function userinfo(idp: { baseUrl: string }, tokenText: string | undefined): Promise<Answer> {
  return call(idp, '/userinfo', { headers: { Authorization: `Bearer ${tokenText ?? ''}` } });
}

/** A device grant of `web`, with its two codes. */
export async function beginDevice(
  idp: { baseUrl: string },
  form: Form = {},
  headers: Fields = web,
): Promise<{ device_code: string; user_code: string }> {
  const answer = await postTo(idp, '/device_authorization', form, headers);
  expect(answer.status, answer.text).to.equal(200);
  return { device_code: String(answer.body.device_code), user_code: String(answer.body.user_code) };
}

/** Approves directly in the store, as the page does after a login. */
export async function approveDevice(idp: RunningIdp, userCode: string, username = 'alice'): Promise<void> {
  await idp.withStore(async ({ deviceGrants }) => {
    const now = Date.now() as Parameters<typeof deviceGrants.approve>[2];
    const approval = { username, authenticatedAt: now, method: 'password', amr: undefined } as const;
    expect(await deviceGrants.approve(userCode, approval, now)).to.equal('approved');
  });
}

export function pollDevice(
  idp: { baseUrl: string },
  deviceCode: string,
  fields: Fields = {},
  headers: Fields = web,
): Promise<Answer> {
  return token(idp, { grant_type: deviceGrantType, device_code: deviceCode, ...fields }, headers);
}

/** Status and error of a response in the form of TOK-21. */
export function refusalOf(answer: Answer): readonly [status: number, error: unknown] {
  expect(Object.keys(answer.body), answer.text).to.deep.equal(['error', 'error_description']);
  expect(answer.body.error_description).to.be.a('string').that.is.not.empty;
  return [answer.status, answer.body.error];
}

/** The newest audit entry of a type. */
export async function lastEvent(idp: RunningIdp, type: string) {
  return (await idp.audit(`&event_type=${type}`)).at(-1);
}
