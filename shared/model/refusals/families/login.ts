// Rejections of a login, identical for /login, /authorize, /device and /saml/sso. The pages use gentler words than the
// audit (shared/engine/login/attempt-login.ts).
import { typedClaimsBytesMax } from '#shared/model/domain/typed-claims.ts';
import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { bytesText } from '../quantities.ts';
import { docs, rfc } from '../references.ts';
import { declareRefusals } from '../refusal.ts';

const login = { standard: docs('settings.md#login') } as const;
const user = { ...login, expected: 'The name of a user, and exactly the password of the user entry.' } as const;
const persona = { ...login, expected: 'The name of an existing user. Persona mode needs no password.' } as const;
const code = {
  expected: 'The current six digits of the authenticator, at most 30 seconds early or late.',
  standard: rfc(6238, '5.2'),
} as const;
const inTime = {
  ...login,
  expected: 'The code within five minutes after the password, from the same browser and the same page.',
} as const;

const screens = declareRefusals({
  user_not_chosen: { ...persona, answer: 'no user was chosen' },
  user_unknown: { ...persona, answer: 'unknown user' },
  login_claims_refused: {
    ...login,
    answer: ({ problem }: { readonly problem: string }) => `the typed claims are invalid: ${problem}`,
    expected: `A JSON object of claims of at most ${bytesText(typedClaimsBytesMax)}, or an empty field.`,
  },
  username_not_sent: { ...user, answer: 'the username is missing' },
  password_not_sent: { ...user, answer: 'the password is missing' },
  user_credentials_wrong: { ...user, answer: 'wrong username or password' },
  second_factor_not_sent: { ...code, answer: 'the code is missing' },
  second_factor_wrong: { ...code, answer: 'wrong code' },
  login_expired: { ...inTime, answer: 'expired' },
  second_factor_expired: { ...inTime, answer: 'the second factor expired' },
  too_many_second_factors: {
    ...login,
    answer: 'too many pending second factors',
    expected: 'Fewer than 1000 logins that wait for a code.',
  },
});

/** Ends the login permanently. At /authorize the client gets an error response (LOG-24). */
const withdrawn = declareOAuthRefusals({
  login_settings_changed: {
    ...login,
    error: 'access_denied',
    answer: 'The login cannot be completed because the user or the login settings changed. Start again.',
    reason: 'the user or the settings changed during the login',
    expected: 'No change of user, second factor or login settings between password and code.',
  },
});

export const loginRefusals = { ...screens, ...withdrawn };
