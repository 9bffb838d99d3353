// The clients that log in. Each has a program in programs/, which is the first example of its documentation with our
// values.

/** How a program is run, and thus the language of its library. */
export type Language = 'JavaScript' | 'Python' | 'Go' | 'Java' | 'Ruby' | 'Rust';
export const languages: readonly Language[] = ['JavaScript', 'Python', 'Go', 'Java', 'Ruby', 'Rust'];

export type ProviderName = 'http' | 'https' | 'implicit' | 'named';

interface ProviderKind {
  readonly over: 'http' | 'https';
  /** The changes to the shipped settings.yaml, by the path of the key. */
  readonly set?: Readonly<Record<string, readonly string[]>>;
  /** The changes to the shipped users.yaml. */
  readonly setUsers?: Readonly<Record<string, string>>;
}

export const providers: Readonly<Record<ProviderName, ProviderKind>> = {
  http: { over: 'http' },
  https: { over: 'https' },
  implicit: { over: 'http', set: { 'oauth.response_types': ['code', 'id_token'] } },
  named: { over: 'http', setUsers: { 'users.alice.attributes.name': 'Alice Maria Almeida' } },
};

export interface ClientRow {
  /** The name in its package registry. */
  readonly name: string;
  readonly language: Language;
  /** A file in programs/ or ruby/, a package in go/, a module in java/ or the binary of rust/. */
  readonly program: string;
  /** The https provider if the library accepts no other by default. */
  readonly provider: ProviderName;
  /** A client of the shipped files. */
  readonly clientId: 'demo-client' | 'demo-public';
  /** The options besides issuer, client id, secret and callback, with the library's own names. Most rows have none. */
  readonly said?: Readonly<Record<string, string | boolean | readonly string[]>>;
}

const confidential = { provider: 'http', clientId: 'demo-client' } as const;
const inJavaScript = { ...confidential, language: 'JavaScript' } as const;
const inPython = { ...confidential, language: 'Python' } as const;
const inGo = { ...confidential, language: 'Go' } as const;
const inJava = { ...confidential, language: 'Java' } as const;
const inRuby = { ...confidential, language: 'Ruby' } as const;
const inRust = { ...confidential, language: 'Rust' } as const;
/** For libraries that request no scope, or only openid, by default. */
const scope = 'openid profile email';

export const clientRows: readonly ClientRow[] = [
  { ...inJavaScript, name: 'openid-client', program: 'openid-client.mjs', provider: 'https', said: { scope } },
  { ...inJavaScript, name: '@auth/express', program: 'auth-js.mjs' },
  { ...inJavaScript, name: 'express-openid-connect', program: 'express-openid-connect.mjs' },
  {
    ...inJavaScript,
    name: 'express-openid-connect',
    program: 'express-openid-connect.mjs',
    provider: 'implicit',
  },
  {
    ...inJavaScript,
    name: 'express-openid-connect',
    program: 'express-openid-connect.mjs',
    said: { response_type: 'code' },
  },
  { ...inJavaScript, name: 'passport-openidconnect', program: 'passport-openidconnect.mjs' },
  {
    ...inJavaScript,
    name: 'passport-openidconnect',
    program: 'passport-openidconnect.mjs',
    said: { scope: ['profile', 'email'] },
  },
  { ...inJavaScript, name: 'better-auth', program: 'better-auth.mjs' },
  {
    ...inJavaScript,
    name: '@azure/msal-node',
    program: 'msal-node.mjs',
    provider: 'https',
    said: { protocolMode: 'OIDC', scopes: ['email'] },
  },
  { ...inJavaScript, name: 'oidc-client-ts', program: 'oidc-client-ts.mjs', clientId: 'demo-public' },
  { ...inJavaScript, name: 'oidc-client-ts', program: 'oidc-client-ts.mjs', clientId: 'demo-public', said: { scope } },
  {
    ...inJavaScript,
    name: 'oidc-client-ts',
    program: 'oidc-client-ts.mjs',
    clientId: 'demo-public',
    said: { loadUserInfo: true },
  },
  { ...inPython, name: 'Authlib', program: 'authlib.flask.py', said: { scope } },
  {
    ...inPython,
    name: 'requests-oauthlib',
    program: 'requests-oauthlib.flask.py',
    provider: 'https',
    said: { scope: scope.split(' ') },
  },
  { ...inPython, name: 'social-auth-app-django', program: 'social-auth.django.py' },
  {
    ...inPython,
    name: 'mozilla-django-oidc',
    program: 'mozilla-django-oidc.django.py',
    said: { OIDC_RP_SIGN_ALGO: 'RS256' },
  },
  { ...inPython, name: 'django-allauth', program: 'django-allauth.django.py' },
  { ...inGo, name: 'github.com/coreos/go-oidc/v3', program: 'go-oidc', said: { Scopes: scope.split(' ') } },
  { ...inGo, name: 'github.com/zitadel/oidc/v3', program: 'zitadel-oidc', said: { scopes: scope.split(' ') } },
  { ...inGo, name: 'github.com/oauth2-proxy/oauth2-proxy/v7', program: 'oauth2-proxy', said: { 'email-domain': '*' } },
  { ...inGo, name: 'github.com/int128/kubelogin', program: 'kubelogin' },
  {
    ...inGo,
    name: 'github.com/int128/kubelogin',
    program: 'kubelogin',
    said: { 'oidc-extra-scope': ['profile', 'email'] },
  },
  { ...inGo, name: 'github.com/dexidp/dex', program: 'dex', said: { type: 'oidc' } },
  {
    ...inGo,
    name: 'github.com/dexidp/dex',
    program: 'dex',
    said: { type: 'saml', entityIssuer: 'dex', usernameAttr: 'email', emailAttr: 'email' },
  },
  {
    ...inGo,
    name: 'github.com/dexidp/dex',
    program: 'dex',
    provider: 'named',
    said: { type: 'saml', entityIssuer: 'dex', usernameAttr: 'name', emailAttr: 'email' },
  },
  { ...inJava, name: 'spring-security-oauth2-client', program: 'spring-security' },
  { ...inJava, name: 'spring-security-oauth2-client', program: 'spring-security', said: { scope: scope.split(' ') } },
  { ...inJava, name: 'oauth2-oidc-sdk', program: 'nimbus', said: { scope: ['openid'] } },
  { ...inRuby, name: 'gitlab-omniauth-openid-connect', program: 'omniauth.rb', provider: 'https' },
  { ...inRust, name: 'openidconnect', program: 'openidconnect-rs' },
];
