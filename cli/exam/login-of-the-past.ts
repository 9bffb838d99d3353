// A login whose access token is over when the application is looked at again (EXM-18). The application has a clock of its own,
// which nobody moves: so it is the login that takes place in the past, and what comes after it in the present. Every token is
// then good when it comes, also for a client that verifies `exp`, `nbf` and `iat`.
import { type Attempt, attempt, type LoginParts } from './login-attempt.ts';
import { pause } from './pause.ts';
import type { Arrival } from './visitor.ts';

export interface LoginOfThePast {
  readonly login: Arrival;
  /** The last page of the login, asked for once more; undefined: the login ended nowhere. */
  readonly later: Attempt | undefined;
}

/** So long the tokens of the login are still good in the present. */
const restSeconds = 5;

/** `inBetween`: done when the login has ended and its access token is over. */
export async function logInInThePast(
  parts: LoginParts,
  lifetimeSeconds: number,
  inBetween: () => Promise<void>,
): Promise<LoginOfThePast> {
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
