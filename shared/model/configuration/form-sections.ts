// The sections of the web forms, in order. A field names its section (`form.section`). A section without fields is not
// shown.

export interface FormSectionNotes {
  readonly id: string;
  readonly title: string;
  readonly lead?: string;
}

export const settingsSections: readonly FormSectionNotes[] = [
  { id: 'issuer', title: 'Issuer', lead: 'Who issues the tokens.' },
  { id: 'tokens', title: 'Tokens' },
  { id: 'claims', title: 'Claims', lead: 'What tokens and UserInfo say of a person.' },
  { id: 'login', title: 'Login' },
  { id: 'logout', title: 'Logout' },
  { id: 'saml', title: 'SAML' },
];

export const clientSections: readonly FormSectionNotes[] = [
  { id: 'identity', title: 'Identity' },
  { id: 'rights', title: 'What it may do' },
  {
    id: 'keys',
    title: 'Its keys',
    lead: 'Public keys for private_key_jwt and for signed request objects.',
  },
  {
    id: 'logout',
    title: 'Logout',
    lead: 'While login.session is on: how the client hears that a session it took part in has ended.',
  },
  {
    id: 'claims',
    title: 'Claims',
    lead: 'What every token made for this client says, unless the user has a claim of that name.',
  },
  {
    id: 'login-page',
    title: 'Its login page',
    lead: 'Colours are # and six hexadecimal digits, such as #0b6b5d; the header’s also colours buttons and links. A logo lies in oauth.logos_dir, named like the client.',
  },
];

export const serviceProviderSections: readonly FormSectionNotes[] = [
  {
    id: 'identity',
    title: 'Identity',
    lead: 'What is left blank below is as its metadata file says, else as usual.',
  },
  { id: 'login', title: 'Login', lead: 'Where Responses go, what is signed, and which requests are taken.' },
  { id: 'subject', title: 'Name and attributes', lead: 'What an assertion says of the person.' },
  { id: 'begun-here', title: 'Logins begun here' },
  { id: 'logout', title: 'Logout' },
  { id: 'encryption', title: 'Encryption' },
];

export const userSections: readonly FormSectionNotes[] = [
  {
    id: 'login',
    title: 'Login',
    lead: 'A TOTP secret is written in users.yaml alone: the page of the user makes one, with a QR code.',
  },
  { id: 'profile', title: 'Profile' },
  { id: 'authorities', title: 'Authorities', lead: 'What a resource server reads from the token.' },
  {
    id: 'attributes',
    title: 'Attributes',
    lead: 'Anything else about the user. Detect takes a JSON list or object as such, all else as text. A row without name or value is dropped.',
  },
  {
    id: 'claims',
    title: 'Claims',
    lead: 'Standard claims of OpenID Connect, and claims of any other name that go into every token.',
  },
];
