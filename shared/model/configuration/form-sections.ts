// The sections of the web forms, in order. A field names its section (`form.section`). A section without fields is not
// shown.

export interface FormSectionNotes {
  readonly id: string;
  readonly title: string;
  readonly lead?: string;
}

export const settingsSections: readonly FormSectionNotes[] = [
  { id: 'issuer', title: 'Issuer', lead: 'The issuer of all tokens.' },
  { id: 'tokens', title: 'Tokens' },
  { id: 'claims', title: 'Claims', lead: 'The claims in tokens and UserInfo.' },
  { id: 'login', title: 'Login' },
  { id: 'logout', title: 'Logout' },
  { id: 'saml', title: 'SAML' },
];

export const clientSections: readonly FormSectionNotes[] = [
  { id: 'identity', title: 'Identity' },
  { id: 'rights', title: 'Permissions' },
  { id: 'tokens', title: 'Tokens' },
  {
    id: 'keys',
    title: 'Keys',
    lead: 'Public keys for private_key_jwt and for signed request objects.',
  },
  {
    id: 'logout',
    title: 'Logout',
    lead: 'How the client is notified that a session has ended, while login.session is on.',
  },
  {
    id: 'claims',
    title: 'Claims',
    lead: 'Claims in every token for this client. Claims of the user override them.',
  },
  {
    id: 'login-page',
    title: 'Login page',
    lead: 'Write colours as # and six hexadecimal digits, such as #0b6b5d. The header colour is also that of buttons and links. Put a logo into oauth.logos_dir, named like the client.',
  },
];

export const serviceProviderSections: readonly FormSectionNotes[] = [
  {
    id: 'identity',
    title: 'Identity',
    lead: 'Blank fields below have the value from the metadata file, or the default.',
  },
  { id: 'login', title: 'Login', lead: 'The Response’s address and signatures, and which requests are accepted.' },
  { id: 'subject', title: 'Name and attributes', lead: 'The user’s name and attributes in an assertion.' },
  { id: 'begun-here', title: 'Logins that start here' },
  { id: 'logout', title: 'Logout' },
  { id: 'encryption', title: 'Encryption' },
];

export const userSections: readonly FormSectionNotes[] = [
  {
    id: 'login',
    title: 'Login',
    lead: 'The user’s page can create a TOTP secret with a QR code. Write it into users.yaml.',
  },
  { id: 'profile', title: 'Profile' },
  { id: 'authorities', title: 'Authorities', lead: 'The values that a resource server reads from the token.' },
  {
    id: 'attributes',
    title: 'Attributes',
    lead: 'Anything else about the user. Detect reads a JSON list or object as JSON, and anything else as text. Rows without name or value are ignored.',
  },
  {
    id: 'claims',
    title: 'Claims',
    lead: 'Standard claims of OpenID Connect, and custom claims, which go into every token.',
  },
];
