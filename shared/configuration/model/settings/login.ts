// The section `login` of settings.yaml: how a person logs in.
import { fields } from '../field.ts';
import { flag, oneOf, section } from '../kinds.ts';

export const loginSettings = section({
  mode: oneOf(['password', 'persona'])
    .default('password')
    .register(fields, {
      description: '`persona`: the user is chosen from a list, without a password.',
      label: 'Mode',
      form: { section: 'login' },
      name: 'login_mode',
      sandbox: true,
      yaml: 'unless-default',
    }),
  totp: flag(false).register(fields, {
    description: 'Ask users with a `totp_secret` for a second factor.',
    label: 'Second factor (TOTP)',
    form: { section: 'login' },
    sandbox: true,
    yaml: 'unless-default',
  }),
  auto_login: flag(false).register(fields, {
    description: 'In persona mode: log in without asking where one user can be meant.',
    label: 'Automatic login in persona mode',
    form: { section: 'login' },
    sandbox: true,
    yaml: 'unless-default',
  }),
  two_step: flag(false).register(fields, {
    description: 'Ask for the username first, then for the password.',
    label: 'Username first, then password',
    form: { section: 'login' },
    sandbox: true,
    yaml: 'unless-default',
  }),
});
