// The section `login` of settings.yaml: how a person logs in.
import * as z from 'zod';
import { fields } from '../field.ts';
import { filledText, flag, oneOf, section, wholeNumber } from '../value-kinds.ts';

/** The login methods, weakest first. */
export const authenticationMethods = ['persona', 'password', 'password+totp'] as const;

const acrValue = section({ value: filledText(), method: oneOf(authenticationMethods) });

const defaultAcrValues: z.output<typeof acrValue>[] = [
  { value: '0', method: 'persona' },
  { value: 'https://refeds.org/profile/sfa', method: 'password' },
  { value: 'https://refeds.org/profile/mfa', method: 'password+totp' },
];

const acrValues = z.array(acrValue, 'must be a list of {value, method}').superRefine((values, context) => {
  const refuse = (index: number, message: string) => context.addIssue({ code: 'custom', path: [index], message });
  const before = new Set<string>();
  let strongest = -1;
  for (const [index, { value, method }] of values.entries()) {
    if (before.has(value)) refuse(index, 'repeats a value');
    const strength = authenticationMethods.indexOf(method);
    if (strength < strongest) refuse(index, 'is weaker than an earlier one. List the weakest first');
    before.add(value);
    strongest = Math.max(strongest, strength);
  }
});

export const loginSettings = section({
  mode: oneOf(['password', 'persona'])
    .default('password')
    .register(fields, {
      description: 'In `persona` mode, users choose an account from a list, without a password.',
      label: 'Mode',
      form: { section: 'login' },
      name: 'login_mode',
      sandbox: true,
      yaml: 'unless-default',
    }),
  totp: flag(false).register(fields, {
    description: 'Require a second factor from users with a `totp_secret`.',
    label: 'Second factor (TOTP)',
    form: { section: 'login' },
    sandbox: true,
    yaml: 'unless-default',
  }),
  auto_login: flag(false).register(fields, {
    description: 'In persona mode, `login_hint=persona-auto-login:<username>` logs in without a page.',
    label: 'Automatic login in persona mode',
    form: { section: 'login' },
    tool: { description: 'In persona mode, login_hint=persona-auto-login:<user> logs in without a page.' },
    sandbox: true,
    yaml: 'unless-default',
  }),
  auto_login_user: filledText()
    .optional()
    .register(fields, {
      description: 'Every login is this user, without a page. A `login_hint` that names another user logs in that one.',
      tool: { description: 'Every login is this user, without a page.' },
      label: 'User of every login, without a page',
      form: { section: 'login' },
      sandbox: true,
      yaml: 'unless-default',
      example: 'alice',
    }),
  two_step: flag(false).register(fields, {
    description: 'Ask for the username first, then for the password.',
    label: 'Username first, then password',
    form: { section: 'login' },
    sandbox: true,
    yaml: 'unless-default',
  }),
  session: oneOf(['off', 'on'])
    .default('off')
    .register(fields, {
      description: 'Whether a login creates a session, which later requests to /authorize use (docs/sessions.md).',
      label: 'Sessions',
      name: 'login_session',
      form: {
        section: 'login',
        choices: { off: 'off: every application asks for a login', on: 'on: one login for all applications' },
      },
      api: false,
      sandbox: true,
      yaml: 'unless-default',
    }),
  session_lifetime_minutes: wholeNumber(1, 43_200)
    .default(480)
    .register(fields, {
      description: 'Lifetime of a session after the login, in minutes.',
      label: 'Session, minutes',
      form: { section: 'login' },
      api: false,
      sandbox: true,
      yaml: 'unless-default',
    }),
  session_idle_minutes: wholeNumber(0, 43_200)
    .default(60)
    .register(fields, {
      description: 'Lifetime of a session after its last use, in minutes. 0 means no limit.',
      label: 'Unused session, minutes',
      form: { section: 'login' },
      api: false,
      sandbox: true,
      yaml: 'unless-default',
    }),
  acr: acrValues.prefault(defaultAcrValues).register(fields, {
    description: '`acr` value of each login method while sessions are on, the weakest first.',
    label: 'Authentication context (acr)',
    name: 'login_acr',
    form: {
      section: 'login',
      json: true,
      rank: 2,
      hint: 'acr value of each login method while sessions are on, as a JSON list, the weakest first. The methods are `persona`, `password` and `password+totp`.',
    },
    api: false,
    sandbox: true,
    yaml: 'unless-default',
    example: '[{"value": "urn:example:bronze", "method": "password"}]',
  }),
  consent: oneOf(['never', 'first', 'always'])
    .default('never')
    .register(fields, {
      description: "When users are asked to allow an application's access.",
      label: 'Consent',
      name: 'login_consent',
      form: {
        section: 'login',
        choices: {
          never: 'never',
          first: 'first: at the first login, and for new scopes',
          always: 'always: at every login',
        },
      },
      api: false,
      sandbox: true,
      yaml: 'unless-default',
    }),
  edit_claims: flag(false).register(fields, {
    description: 'In persona mode, allow custom claims for a single login (docs/claims.md).',
    label: 'Claims entered at login',
    form: { section: 'login' },
    api: false,
    sandbox: true,
    yaml: 'unless-default',
  }),
});
