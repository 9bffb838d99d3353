// The options of every command with their help text. The parser and the help use the same list, so that they never
// differ.

/** The form that util.parseArgs takes, plus the text for people. */
interface DescribedOption {
  readonly type: 'string' | 'boolean';
  /** It may be repeated, and each value counts. */
  readonly multiple?: true;
  /** The placeholder for the value in the help, such as DIR. */
  readonly value?: string;
  /** One line without full stop. */
  readonly says: string;
}

export type DescribedOptions = Readonly<Record<string, DescribedOption>>;

const configDir = {
  'config-dir': {
    type: 'string',
    value: 'DIR',
    says: 'where settings.yaml and users.yaml are (default: $IDP_CONFIG_DIR, else ./config; also --config)',
  },
} as const satisfies DescribedOptions;

/** The options of every command that runs a process. */
const running = {
  ...configDir,
  profile: {
    type: 'string',
    value: 'NAME',
    says: 'dev, stricter-dev or oauth21 instead of security_profile in the files',
  },
  'strict-config': { type: 'boolean', says: 'refuse unknown keys, whatever config_validation says' },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    says: 'DEBUG, INFO, WARNING, ERROR or CRITICAL instead of logging.level',
  },
} as const satisfies DescribedOptions;

/** The options of every command that listens. */
const listening = {
  host: { type: 'string', value: 'ADDRESS', says: 'instead of server.host (default 127.0.0.1)' },
  port: { type: 'string', value: 'PORT', says: 'instead of server.port (default 8000); 0 takes a free one' },
  tls: { type: 'boolean', says: 'speak TLS with a certificate of its own authority, as server.tls: auto does' },
  ...running,
  'ready-json': {
    type: 'boolean',
    says: 'when ready, print {"event":"ready","base_url":…,"pid":…} instead of a line for people',
  },
  'ready-file': { type: 'string', value: 'PATH', says: 'the same JSON as a file, which is there while it answers' },
} as const satisfies DescribedOptions;

/** The options of every command that sends requests to a running instance. */
const asking = {
  url: {
    type: 'string',
    value: 'URL',
    says: 'the instance to ask (default: $IDP_URL, else the address that the configuration names)',
  },
  ...configDir,
} as const satisfies DescribedOptions;

/** By command. All of them also take --help, -h and --version. */
export const optionsOf = {
  start: {
    ...listening,
    'oidc-workers': {
      type: 'string',
      value: 'N',
      says: 'OIDC frontends that share the address: a number, or auto for one a core (default 1)',
    },
    'mcp-port': {
      type: 'string',
      value: 'PORT',
      says: 'port of the MCP server on 127.0.0.1 (default: a free one, named when ready)',
    },
    declare: {
      type: 'boolean',
      says: 'activate these files for all that share the store, even if they were superseded before',
    },
    demo: {
      type: 'boolean',
      says: 'also run a relying party and a service provider to log in at, on a free port of 127.0.0.1',
    },
    quiet: { type: 'boolean', says: 'one line when ready, in a terminal too' },
  },
  oidc: listening,
  saml: listening,
  mcp: { ...running, readonly: { type: 'boolean', says: 'refuse every tool that changes something' } },
  'validate-config': {
    ...configDir,
    strict: { type: 'boolean', says: 'unknown keys and missing files fail' },
    lines: {
      type: 'boolean',
      says: "print 'file:line:column level message' for each finding and nothing else",
    },
    json: { type: 'boolean', says: 'print the findings as JSON: level, message, file, path, line and column apart' },
  },
  'config-schema': { file: { type: 'string', value: 'NAME', says: 'settings or users' } },
  init: {
    'config-dir': {
      type: 'string',
      value: 'DIR',
      says: 'the same as the argument (default: $IDP_CONFIG_DIR, else ./config)',
    },
  },
  token: {
    ...asking,
    client: {
      type: 'string',
      value: 'ID[:SECRET]',
      says: 'whose token (default: a declared client with a secret); with --user whom it is bound to',
    },
    user: { type: 'string', value: 'NAME', says: "a user's token, without a login" },
    claims: { type: 'string', value: 'JSON', says: 'claims to add, such as {"department":"ops"}' },
    exp: { type: 'string', value: 'MINUTES', says: 'lifetime (default: oauth.token_expiry_minutes)' },
    scope: { type: 'string', value: 'NAMES', says: 'scopes, separated by spaces' },
    resource: {
      type: 'string',
      multiple: true,
      value: 'URI',
      says: 'whom the token is for (RFC 8707); may be given several times',
    },
    json: { type: 'boolean', says: 'the whole response instead of the access token' },
  },
  ca: {
    ...configDir,
    path: { type: 'boolean', says: 'print where it lies instead' },
  },
  health: {
    ...asking,
    timeout: { type: 'string', value: 'SECONDS', says: 'how long to wait for the answer (default 3)' },
  },
  exam: {
    client: { type: 'string', value: 'ID', says: 'the client that is examined' },
    saml: { type: 'boolean', says: 'a SAML service provider is examined, which --sp names' },
    sp: { type: 'string', value: 'ENTITY', says: 'its entity ID, as its AuthnRequests name their Issuer' },
    'login-url': { type: 'string', value: 'URL', says: 'where the application begins a login' },
    idp: { type: 'string', value: 'URL', says: 'the instance (default http://127.0.0.1:8000)' },
    sandbox: { type: 'string', value: 'NAME', says: 'the sandbox of it that the application uses' },
    user: { type: 'string', value: 'NAME', says: 'who logs in (default: a user made for the exam, gone at its end)' },
    password: { type: 'string', value: 'TEXT', says: 'the password of --user' },
    'logged-in-when': {
      type: 'string',
      multiple: true,
      value: 'WHAT',
      says: 'what the last page of a login has, with commas: url= or text= (part of it), status=, cookie=',
    },
    only: {
      type: 'string',
      multiple: true,
      value: 'NAMES',
      says: 'these cases alone, with commas; * stands for anything',
    },
    except: { type: 'string', multiple: true, value: 'NAMES', says: 'all but these' },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      says: 'how long the client may take to answer, 1 to 120 (default 15)',
    },
    list: { type: 'boolean', says: 'print the cases with what a correct client does, and the standard' },
    json: { type: 'boolean', says: 'one JSON object in place of the lines' },
    junit: { type: 'string', value: 'FILE', says: 'write a JUnit XML suite as well' },
    browser: { type: 'boolean', says: 'log in with an installed Chromium, for applications that need script' },
    insecure: { type: 'boolean', says: 'verify no certificates' },
    'management-secret': { type: 'string', value: 'TEXT', says: 'of an instance that has one' },
    alone: { type: 'boolean', says: 'nobody else uses the instance: include what every client would meet' },
    'allow-undecided': { type: 'boolean', says: 'cases that could not be decided do not fail' },
  },
} as const satisfies Readonly<Record<string, DescribedOptions>>;

export type CommandName = keyof typeof optionsOf;
