// The section `logout` of settings.yaml: whether a logout asks the user, and which participants it notifies (LGO-01).
import { fields } from '../field.ts';
import { flag, oneOf, section, wholeNumber } from '../value-kinds.ts';

export const logoutSettings = section({
  confirmation: oneOf(['unsure', 'always', 'never'])
    .default('unsure')
    .register(fields, {
      description:
        'When a logout asks the user to confirm: if the requester is uncertain (`unsure`), always or never. Needs `login.session: on`.',
      label: 'Ask before a logout',
      form: { section: 'logout' },
      name: 'logout_confirmation',
      api: false,
      sandbox: true,
      yaml: 'unless-default',
    }),
  delivery_timeout_ms: wholeNumber(100, 60_000)
    .default(5000)
    .register(fields, {
      description: "Timeout for a client's response to a logout token, in milliseconds.",
      label: 'Logout token timeout, milliseconds',
      form: { section: 'logout' },
      name: 'logout_delivery_timeout_ms',
      api: false,
      sandbox: true,
      yaml: 'unless-default',
    }),
  delivery_retries: wholeNumber(0, 5)
    .default(2)
    .register(fields, {
      description: 'How many times to resend a failed logout token: after 1, 2, 4, 8 and 16 seconds.',
      label: 'Logout token, retries',
      form: { section: 'logout' },
      name: 'logout_delivery_retries',
      api: false,
      sandbox: true,
      yaml: 'unless-default',
    }),
  verify_tls: flag(true).register(fields, {
    description: 'Send logout tokens only to servers with a trusted certificate.',
    label: 'Verify certificates of clients',
    form: { section: 'logout' },
    name: 'logout_verify_tls',
    api: false,
    sandbox: true,
    yaml: 'unless-default',
  }),
  revoke_refresh_tokens: flag(false).register(fields, {
    description: 'The end of a session revokes its refresh tokens, unless their scope has `offline_access`.',
    label: 'A logout revokes refresh tokens',
    form: { section: 'logout' },
    name: 'logout_revoke_refresh_tokens',
    api: false,
    sandbox: true,
    yaml: 'unless-default',
  }),
}).prefault({});
