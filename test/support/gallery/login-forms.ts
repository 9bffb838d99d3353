// The forms of logins, devices, codes and the management secret, in every outcome.
import { type FormRow, steps } from './form-row.ts';
import { authorize, logIn, press } from './steps.ts';
import { longText } from './world.ts';

export const loginForms: readonly FormRow[] = [
  // logins
  { form: 'POST /login', outcome: 'success', reach: 'logged-in', told: /Log out/ },
  {
    form: 'POST /login',
    outcome: 'refusal',
    reach: 'login-refused',
    told: /username or password is wrong/,
    kept: { username: 'alice' },
  },
  {
    form: 'POST /login',
    outcome: 'refusal',
    reach: 'login-password-missing',
    told: /Enter your password/,
    at: ['password'],
    kept: { username: 'alice' },
  },
  {
    form: 'POST /authorize',
    outcome: 'refusal',
    reach: 'authorize-refused',
    told: /username or password is wrong/,
    kept: { username: 'alice' },
  },
  {
    form: 'POST /authorize',
    outcome: 'conflict',
    reach: {
      room: 'password',
      steps: async (page, { idp }) => {
        await page.goto(idp.baseUrl + authorize('kiosk'));
        await page
          .locator('[name=transaction_id]')
          .first()
          .evaluate((field) => field.setAttribute('value', 'gone'));
        await logIn(page, 'alice', 'wonderland');
      },
    },
    told: /is not a pending authorization request/,
  },
  { form: 'POST /saml/sso', outcome: 'refusal', reach: 'saml-refused', told: /is wrong/, kept: { username: 'alice' } },
  { form: 'POST /device', outcome: 'success', reach: 'device-approved', told: /Device approved/ },
  { form: 'POST /device', outcome: 'success', reach: 'device-denied', told: /Request denied/ },
  { form: 'POST /device', outcome: 'refusal', reach: 'device-refused', told: /is wrong/, kept: { username: 'alice' } },
  {
    form: 'POST /device',
    outcome: 'refusal',
    reach: 'device-code-missing',
    told: /Enter the code/,
    at: ['user_code'],
    kept: { username: 'alice' },
  },
  { form: 'POST /device', outcome: 'refusal', reach: 'device-wrong-code', told: /invalid or expired/ },
  { form: 'POST /device', outcome: 'conflict', reach: 'device-used-code', told: /already used/ },
  { form: 'POST /login', outcome: 'refusal', reach: 'persona-unknown', told: /This user does not exist/ },
  {
    form: 'POST /login',
    outcome: 'success',
    reach: steps('persona', '/login', (page) => page.locator('.persona').first().click()),
    told: /Log out/,
  },
  {
    form: 'POST /device',
    outcome: 'refusal',
    reach: 'persona-claims-refused',
    told: /must not be in claims/,
    at: ['login_claims'],
    kept: { login_claims: `{"sub": ${JSON.stringify(longText)}}` },
  },
  {
    form: 'POST /login',
    outcome: 'success',
    reach: 'persona-400-found',
    told: /132 of 132 matches among 401 users/,
    kept: { fill_username: 'ito' },
  },
  {
    form: 'POST /login',
    outcome: 'refusal',
    reach: 'persona-400-nobody',
    told: /No user has this name/,
    kept: { fill_username: 'xyzzy' },
  },
  {
    form: 'POST /login',
    outcome: 'success',
    reach: steps('two_step', '/login', async (page) => {
      await page.getByLabel('Username').fill('alice');
      await press(page, 'Continue');
      await page.getByLabel('Password').fill('wonderland');
      await press(page, 'Log in');
    }),
    told: /Log out/,
  },
  { form: 'POST /login', outcome: 'refusal', reach: 'two-step-refused', told: /is wrong/ },
  { form: 'POST /login', outcome: 'refusal', reach: 'code-refused', told: /code is wrong/, at: ['totp_code'] },
  { form: 'POST /logout', outcome: 'success', reach: 'logout-agreed', told: /You are logged out/ },
  { form: 'POST /logout', outcome: 'success', reach: 'logout-not-agreed', told: /You are still logged in/ },
  { form: 'POST /logout', outcome: 'conflict', reach: 'logout-answered-too-late', told: /This question has expired/ },
  { form: 'POST /saml/sso', outcome: 'conflict', reach: 'code-ended', told: /login expired/ },
  { form: 'POST /management/unlock', outcome: 'success', reach: 'unlocked', told: /Writing unlocked/ },
  { form: 'POST /management/unlock', outcome: 'refusal', reach: 'unlock-refused', told: /management secret is wrong/ },
  {
    form: 'POST /users/:username/delete',
    outcome: 'refusal',
    reach: 'locked',
    told: /unlock writing /,
  },
  { form: 'POST /settings', outcome: 'refusal', reach: 'cross-site', told: /came from another site/ },
];
