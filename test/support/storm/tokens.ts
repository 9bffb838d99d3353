// Token requests during a storm: codes, refresh tokens under rotation and approved device codes are each requested by
// several clients at once, and exactly one gets the tokens. Every access token is live in the other stack at once.

import { authorizePath, challenge, verifier } from '#test/support/authorization-flow.ts';
import { BrowserClient } from '#test/support/browser-client.ts';
import { alice, web } from '#test/support/credentials.ts';
import { callback } from '#test/support/worlds.ts';
import type { Ledger } from './ledger.ts';
import { type Answer, anyStack, type Storm, send, sendAtOnce } from './send-to-stacks.ts';

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

/** Checks that one of the responses is a success and the others are invalid_grant. */
function oneOf(answers: readonly Answer[], kind: keyof Ledger['redeemed'], { ledger }: Storm): Answer | undefined {
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
export async function redeemOneCode(storm: Storm): Promise<void> {
  const code = await newCode(storm);
  if (code !== undefined) oneOf(await sendAtOnce(3, token(redemption(code)), storm), 'codes', storm);
}

/** Its refresh token, used by two at once. Public clients always rotate. */
export async function replayOneRefreshToken(storm: Storm): Promise<void> {
  const code = await newCode(storm);
  if (code === undefined) return;
  const first = await send(token(redemption(code)), storm);
  count([first], storm.ledger);
  const refresh = token({ grant_type: 'refresh_token', refresh_token: first.body.refresh_token, client_id: 'spa' });
  const won = oneOf(await sendAtOnce(2, refresh, storm), 'refreshTokens', storm);
  // The second use revokes the family.
  const form = { grant_type: 'refresh_token', refresh_token: won?.body.refresh_token, client_id: 'spa' };
  const next = await send(token(form), storm);
  count([next], storm.ledger);
  if (next.status !== 400) storm.ledger.faults.push(`a revoked family was refreshed: ${next.status}`);
}

async function newCode(storm: Storm): Promise<string | undefined> {
  const parameters = { client_id: 'spa', code_challenge: challenge, code_challenge_method: 'S256', scope: 'openid' };
  const login = { method: 'POST', path: authorizePath(parameters), form: alice, expect: [302] };
  const answer = await send(login, storm);
  const code = new URL(answer.headers.get('location') ?? 'missing:').searchParams.get('code');
  if (code === null) storm.ledger.faults.push(`/authorize gave no code: ${answer.headers.get('location')}`);
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

/** A device grant: started at one stack, approved on a page of another, polled by two at once. */
export async function pollOneDevice(storm: Storm): Promise<void> {
  const begin = { method: 'POST', path: '/device_authorization', form: {}, headers: web, expect: [200] };
  const { body: device } = await send(begin, storm);
  for (let attempt = 1; ; attempt += 1) {
    const browser = new BrowserClient(anyStack(storm).baseUrl);
    const page = await browser.post('/device', { user_code: device.user_code, ...alice });
    if (page.status === 200 && page.text.includes('approved')) break;
    // Retried like in send-to-stacks.ts: the files were being read, and nothing was done.
    if (page.status === 503 && attempt < 100) continue;
    storm.ledger.faults.push(`/device answered ${page.status} ${page.text}`);
    return;
  }
  const poll = token({ grant_type: deviceGrantType, device_code: device.device_code }, web);
  oneOf(await sendAtOnce(2, poll, storm), 'deviceCodes', storm);
}

/** A token of one stack is active in any, even after key rotations and reloads. */
export async function useOneToken(storm: Storm): Promise<void> {
  const { ledger } = storm;
  const form = { grant_type: 'password', ...alice };
  const made = await send(token(form, web), storm);
  count([made], ledger);
  if (made.status !== 200) {
    ledger.faults.push(`alice got no token: ${made.text}`);
    return;
  }
  const ask = { method: 'POST', path: '/introspect', form: { token: made.body.access_token }, headers: web };
  const { body, text } = await send({ ...ask, expect: [200] }, storm);
  ledger.introspections += 1;
  if (body?.active !== true) {
    const [header, payload] = String(made.body.access_token).split('.', 2);
    const read = (part = '') => Buffer.from(part, 'base64url').toString();
    ledger.faults.push(`a fresh token is not active: ${text} ${read(header)} ${read(payload)}, now ${Date.now()}`);
  }
}
