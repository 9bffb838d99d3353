// A login whose access token has expired when the application's page is requested again (EXM-18). The exam cannot move
// the application's clock. So the login takes place in the past, and what follows in the present. Every token is then
// valid on arrival, also for a client that verifies `exp`, `nbf` and `iat`.
import { type Attempt, attempt, type LoginParts } from './login-attempt.ts';
import { pause } from './pause.ts';
import type { Arrival } from './visitor.ts';

export interface PastLogin {
  readonly login: Arrival;
  /** The last page of the login, requested again. undefined: the login reached no page. */
  readonly later: Attempt | undefined;
}

/** How long the login's tokens are still valid in the present. */
const restSeconds = 5;

/** `inBetween`: called when the login has ended and its access token has expired. */
export async function logInWithPastClock(
  parts: LoginParts,
  lifetimeSeconds: number,
  inBetween: () => Promise<void>,
): Promise<PastLogin> {
  const { options, instance, visitor, signal } = parts;
  const visit = await visitor.begin();
  try {
    const present = await instance.clock();
    let login: Arrival;
    await instance.setClockBack(present, Math.max(0, lifetimeSeconds - restSeconds));
    try {
      login = await visit.go(options.loginUrl);
    } finally {
      await instance.returnClock(present);
    }
    if (login.end !== 'page') return { login, later: undefined };
    const { url } = login.page;
    await pause((Math.min(lifetimeSeconds, restSeconds) + 1) * 1000, signal);
    await inBetween();
    return { login, later: await attempt(parts, () => visit.go(url)) };
  } finally {
    await visit.close();
  }
}
