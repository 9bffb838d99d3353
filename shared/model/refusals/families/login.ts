// Rejections of a login, identical for /login, /authorize, /device and /saml/sso. The pages use gentler words than the
// audit (shared/engine/login/attempt-login.ts).
import { typedClaimsBytesMax } from '#shared/model/domain/typed-claims.ts';
import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { bytesText } from '../quantities.ts';
import { docs, rfc } from '../references.ts';
import { declareRefusals } from '../refusal.ts';

const login = { standard: docs('settings.md#login') } as const;
const user = { ...login, expected: 'The name of a user and exactly the password of its entry.' } as const;
const persona = { ...login, expected: 'The name of a user there is: in persona mode it is enough.' } as const;
const code = {
  expected: 'The six digits the authenticator shows now, at most one step of 30 seconds off.',
  standard: rfc(6238, '5.2'),
} as const;
const inTime = {
  ...login,
  expected: 'The code within five minutes of the password, from the same browser at the same page.',
} as const;

const screens = declareRefusals({
  user_not_chosen: { ...persona, answer: 'no user was chosen' },
  user_unknown: { ...persona, answer: 'unknown user' },
  login_claims_refused: {
    ...login,
    answer: ({ problem }: { readonly problem: string }) => `the claims of this login are refused: ${problem}`,
    expected: `A JSON object of claims that a user could have, of ${bytesText(typedClaimsBytesMax)} at most, or nothing.`,
  },
  username_not_sent: { ...user, answer: 'no username was sent' },
  password_not_sent: { ...user, answer: 'no password was sent' },
  user_credentials_wrong: { ...user, answer: 'wrong username or password' },
  second_factor_not_sent: { ...code, answer: 'no code was sent' },
  second_factor_wrong: { ...code, answer: 'wrong code' },
  login_expired: { ...inTime, answer: 'expired' },
  second_factor_expired: { ...inTime, answer: 'the second factor expired' },
  too_many_second_factors: {
    ...login,
    answer: 'too many pending second factors',
    expected: 'Fewer than 1000 logins that wait for their code.',
  },
});

/** Ends the login permanently. At /authorize the client gets an error response (LOG-24). */
const withdrawn = declareOAuthRefusals({
  login_settings_changed: {
    ...login,
    error: 'access_denied',
    answer: 'The login cannot be completed, because the user or the login settings changed. Please start again.',
    reason: 'user or settings changed during the login',
    expected: 'User, secret and login settings as they were at the password.',
  },
});

export const loginRefusals = { ...screens, ...withdrawn };
