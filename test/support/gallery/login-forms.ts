// The forms of logins, devices, codes and the management secret, in every outcome.
import { type FormRow, steps } from './form-row.ts';
import { authorize, logIn, press } from './steps.ts';

export const loginForms: readonly FormRow[] = [
  // logins
  { form: 'login', outcome: 'success', reach: 'logged-in', told: /Log out/ },
  {
    form: 'login',
    outcome: 'refusal',
    reach: 'login-refused',
    told: /username or the password is wrong/,
    kept: { username: 'alice' },
  },
  {
    form: 'login',
    outcome: 'refusal',
    reach: 'login-password-missing',
    told: /Enter your password/,
    at: ['password'],
    kept: { username: 'alice' },
  },
  {
    form: 'authorize',
    outcome: 'refusal',
    reach: 'authorize-refused',
    told: /username or the password is wrong/,
    kept: { username: 'alice' },
  },
  {
    form: 'authorize',
    outcome: 'conflict',
    reach: {
      room: 'password',
      steps: async (page, { idp }) => {
        await page.goto(idp.baseUrl + authorize('kiosk'));
        await page.locator('[name=transaction_id]').evaluate((field) => field.setAttribute('value', 'gone'));
        await logIn(page, 'alice', 'wonderland');
      },
    },
    told: /names no pending authorization request/,
  },
  { form: 'saml', outcome: 'refusal', reach: 'saml-refused', told: /is wrong/, kept: { username: 'alice' } },
  { form: 'device', outcome: 'success', reach: 'device-approved', told: /Device approved/ },
  { form: 'device', outcome: 'success', reach: 'device-denied', told: /Request denied/ },
  { form: 'device', outcome: 'refusal', reach: 'device-refused', told: /is wrong/, kept: { username: 'alice' } },
  {
    form: 'device',
    outcome: 'refusal',
    reach: 'device-code-missing',
    told: /Enter the code/,
    at: ['user_code'],
    kept: { username: 'alice' },
  },
  { form: 'device', outcome: 'refusal', reach: 'device-wrong-code', told: /invalid or expired/ },
  { form: 'device', outcome: 'conflict', reach: 'device-used-code', told: /already used/ },
  { form: 'persona', outcome: 'refusal', reach: 'persona-unknown', told: /no user of that name/ },
  {
    form: 'persona',
    outcome: 'success',
    reach: steps('persona', '/login', (page) => page.locator('.persona').first().click()),
    told: /Log out/,
  },
  {
    form: 'persona search',
    outcome: 'success',
    reach: 'persona-400-found',
    told: /60 of 132 found/,
    kept: { fill_username: 'ito' },
  },
  {
    form: 'persona search',
    outcome: 'refusal',
    reach: 'persona-400-nobody',
    told: /Nobody is found/,
    kept: { fill_username: 'xyzzy' },
  },
  {
    form: 'two steps',
    outcome: 'success',
    reach: steps('two_step', '/login', async (page) => {
      await page.getByLabel('Username').fill('alice');
      await press(page, 'Continue');
      await page.getByLabel('Password').fill('wonderland');
      await press(page, 'Log in');
    }),
    told: /Log out/,
  },
  { form: 'two steps', outcome: 'refusal', reach: 'two-step-refused', told: /is wrong/ },
  { form: 'code', outcome: 'refusal', reach: 'code-refused', told: /code is wrong/, at: ['totp_code'] },
  { form: 'code', outcome: 'conflict', reach: 'code-ended', told: /login expired/ },
  { form: 'unlock', outcome: 'success', reach: 'unlocked', told: /Writing unlocked/ },
  { form: 'unlock', outcome: 'refusal', reach: 'unlock-refused', told: /management secret is wrong/ },
  { form: 'any, locked', outcome: 'refusal', reach: 'locked', told: /unlock it with the management secret/ },
  { form: 'any, cross-site', outcome: 'refusal', reach: 'cross-site', told: /came from another site/ },
];
