// Token traffic in a storm: codes, refresh tokens under rotation and approved device codes are each asked for by
// several at once, and exactly one may have them; every access token is live in the other stack the moment it is made.

import { authorizePath, challenge, verifier } from '#test/support/authorization-flow.ts';
import { BrowserClient } from '#test/support/browser-client.ts';
import { alice, web } from '#test/support/credentials.ts';
import { callback } from '#test/support/worlds.ts';
import type { Ledger } from './ledger.ts';
import { type Answer, anyStack, send, sendAtOnce, type Weather } from './weather.ts';

const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

function token(form: Readonly<Record<string, string>>, headers = {}) {
  return { method: 'POST', path: '/token', form, headers, expect: [200, 400] };
}

function count(answers: readonly Answer[], ledger: Ledger): void {
  for (const { status } of answers) {
    if (status === 200) ledger.tokens += 1;
    else ledger.tokenRefusals += 1;
  }
}

/** Notes that one of the answers is a success and the others say invalid_grant. */
function oneOf(answers: readonly Answer[], kind: keyof Ledger['redeemed'], { ledger }: Weather): Answer | undefined {
  count(answers, ledger);
  const won = answers.filter(({ status }) => status === 200);
  if (won.length !== 1) ledger.faults.push(`of ${kind} one was spent ${won.length} times`);
  for (const { status, body, text } of answers) {
    if (status !== 200 && body?.error !== 'invalid_grant') ledger.faults.push(`${kind}: ${status} ${text}`);
  }
  ledger.redeemed[kind] += 1;
  return won[0];
}

/** A code of the public client, redeemed by three at once. */
export async function redeemOneCode(weather: Weather): Promise<void> {
  const code = await newCode(weather);
  if (code !== undefined) oneOf(await sendAtOnce(3, token(redemption(code)), weather), 'codes', weather);
}

/** Its refresh token, used by two at once: rotation is in force for public clients. */
export async function replayOneRefreshToken(weather: Weather): Promise<void> {
  const code = await newCode(weather);
  if (code === undefined) return;
  const first = await send(token(redemption(code)), weather);
  count([first], weather.ledger);
  const refresh = token({ grant_type: 'refresh_token', refresh_token: first.body.refresh_token, client_id: 'spa' });
  const won = oneOf(await sendAtOnce(2, refresh, weather), 'refreshTokens', weather);
  // The family is revoked with the second use.
  const form = { grant_type: 'refresh_token', refresh_token: won?.body.refresh_token, client_id: 'spa' };
  const next = await send(token(form), weather);
  count([next], weather.ledger);
  if (next.status !== 400) weather.ledger.faults.push(`a revoked family was refreshed: ${next.status}`);
}

async function newCode(weather: Weather): Promise<string | undefined> {
  const parameters = { client_id: 'spa', code_challenge: challenge, code_challenge_method: 'S256', scope: 'openid' };
  const login = { method: 'POST', path: authorizePath(parameters), form: alice, expect: [302] };
  const answer = await send(login, weather);
  const code = new URL(answer.headers.get('location') ?? 'missing:').searchParams.get('code');
  if (code === null) weather.ledger.faults.push(`/authorize gave no code: ${answer.headers.get('location')}`);
  return code ?? undefined;
}

function redemption(code: string) {
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: callback,
    client_id: 'spa',
    code_verifier: verifier,
  };
}

/** A device grant: begun at one stack, approved on a page of another, polled by two at once. */
export async function pollOneDevice(weather: Weather): Promise<void> {
  const begin = { method: 'POST', path: '/device_authorization', form: {}, headers: web, expect: [200] };
  const { body: device } = await send(begin, weather);
  for (let attempt = 1; ; attempt += 1) {
    const browser = new BrowserClient(anyStack(weather).baseUrl);
    const page = await browser.post('/device', { user_code: device.user_code, ...alice });
    if (page.status === 200 && page.text.includes('approved')) break;
    // As weather.ts tries again: the files were being read, and nothing was done.
    if (page.status === 503 && attempt < 100) continue;
    weather.ledger.faults.push(`/device answered ${page.status} ${page.text}`);
    return;
  }
  const poll = token({ grant_type: deviceGrantType, device_code: device.device_code }, web);
  oneOf(await sendAtOnce(2, poll, weather), 'deviceCodes', weather);
}

/** A token of one stack is active in any, whatever keys were rotated and files reloaded meanwhile. */
export async function useOneToken(weather: Weather): Promise<void> {
  const { ledger } = weather;
  const form = { grant_type: 'password', ...alice };
  const made = await send(token(form, web), weather);
  count([made], ledger);
  const ask = { method: 'POST', path: '/introspect', form: { token: made.body.access_token }, headers: web };
  const { body, text } = await send({ ...ask, expect: [200] }, weather);
  ledger.introspections += 1;
  if (body?.active !== true) ledger.faults.push(`a fresh token is not active: ${text}`);
}
