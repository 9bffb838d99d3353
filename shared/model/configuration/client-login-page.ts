// The login page of an entry of oauth.clients[]: links, colours, visible parts and layout.
import { fields } from './field.ts';
import { problemOfColour, problemOfHttpUrl } from './text-formats.ts';
import { checkedOrAbsent, flag, oneOf } from './value-kinds.ts';

const colour = (label: string) =>
  checkedOrAbsent(problemOfColour).register(fields, {
    description: `${label} of the login page, as \`#rrggbb\`.`,
    label,
    api: false,
    form: { section: 'login-page', colour: true, hint: '' },
    tool: { description: `${label} of the login page as \`#rrggbb\`; empty clears it.` },
  });

export const clientLoginPage = {
  logo_uri: checkedOrAbsent(problemOfHttpUrl).register(fields, {
    description: 'The logo on the login page, where `oauth.logos_dir` has none.',
    label: 'Logo address',
    example: '"https://app.example.org/logo.png"',
    api: false,
    form: { section: 'login-page', wide: true, hint: 'Where oauth.logos_dir has no logo of the client.' },
    tool: false,
  }),
  policy_uri: checkedOrAbsent(problemOfHttpUrl).register(fields, {
    description: 'How the application uses data of people; linked on the login page.',
    label: 'Privacy policy address',
    example: '"https://app.example.org/privacy"',
    api: false,
    form: { section: 'login-page', wide: true },
    tool: false,
  }),
  tos_uri: checkedOrAbsent(problemOfHttpUrl).register(fields, {
    description: 'The terms of service of the application; linked on the login page.',
    label: 'Terms of service address',
    example: '"https://app.example.org/terms"',
    api: false,
    form: { section: 'login-page', wide: true },
    tool: false,
  }),
  background_color: colour('Background'),
  header_color: colour('Header'),
  footer_color: colour('Footer'),
  show_client_id: flag(true).register(fields, {
    description: 'Show the client_id on the login page.',
    label: 'Show the client_id',
    api: false,
    form: { section: 'login-page', hint: '' },
  }),
  show_description: flag(false).register(fields, {
    description: 'Show the description on the login page.',
    label: 'Show the description',
    api: false,
    form: { section: 'login-page', hint: '' },
  }),
  layout: oneOf(['vertical', 'horizontal'])
    .default('vertical')
    .register(fields, {
      description: 'Layout of the login page.',
      label: 'Layout',
      api: false,
      form: {
        section: 'login-page',
        wide: true,
        hint: '',
        blank: '',
        choices: {
          vertical: 'Vertical: the client above the form',
          horizontal: 'Horizontal: the client beside the form',
        },
      },
    }),
};
