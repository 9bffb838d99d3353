// The login page of an entry of oauth.clients[]: links, colours, visible parts and layout.
import { fields } from './field.ts';
import { problemOfColour, problemOfHttpUrl } from './text-formats.ts';
import { checkedOrAbsent, flag, oneOf } from './value-kinds.ts';

const colour = (label: string) =>
  checkedOrAbsent(problemOfColour).register(fields, {
    description: `${label} colour of the login page, as \`#rrggbb\`.`,
    label,
    api: false,
    form: { section: 'login-page', colour: true, hint: '' },
    tool: { description: `${label} colour of the login page, as \`#rrggbb\`. Empty clears it.` },
  });

export const clientLoginPage = {
  logo_uri: checkedOrAbsent(problemOfHttpUrl).register(fields, {
    description: 'Logo on the login page, if `oauth.logos_dir` has none.',
    label: 'Logo address',
    example: '"https://app.example.org/logo.png"',
    api: false,
    form: { section: 'login-page', wide: true, hint: 'Used if oauth.logos_dir has no logo of the client.' },
    tool: false,
  }),
  policy_uri: checkedOrAbsent(problemOfHttpUrl).register(fields, {
    description: "The application's privacy policy. The login page links to it.",
    label: 'Privacy policy address',
    example: '"https://app.example.org/privacy"',
    api: false,
    form: { section: 'login-page', wide: true },
    tool: false,
  }),
  tos_uri: checkedOrAbsent(problemOfHttpUrl).register(fields, {
    description: "The application's terms of service. The login page links to them.",
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
