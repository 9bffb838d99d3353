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
    says: 'directory of the configuration files, also --config (default: $IDP_CONFIG_DIR, else ./config)',
  },
} as const satisfies DescribedOptions;

/** The options of every command that runs a process. */
const running = {
  ...configDir,
  profile: {
    type: 'string',
    value: 'NAME',
    says: 'dev, stricter-dev or oauth21 (overrides security_profile)',
  },
  'strict-config': { type: 'boolean', says: 'reject unknown keys (overrides config_validation)' },
  'log-level': {
    type: 'string',
    value: 'LEVEL',
    says: 'DEBUG, INFO, WARNING, ERROR or CRITICAL (overrides logging.level)',
  },
} as const satisfies DescribedOptions;

/** The options of every command that listens. */
const listening = {
  host: { type: 'string', value: 'ADDRESS', says: 'address to bind (overrides server.host, default 127.0.0.1)' },
  port: { type: 'string', value: 'PORT', says: 'port to bind, 0 for a free one (overrides server.port, default 8000)' },
  tls: { type: 'boolean', says: 'use TLS with a certificate of its own authority, like server.tls: auto' },
  ...running,
  'ready-json': {
    type: 'boolean',
    says: 'print {"event":"ready","base_url":…,"pid":…} when ready, instead of text',
  },
  'ready-file': {
    type: 'string',
    value: 'PATH',
    says: 'write the JSON of --ready-json to a file, which exists only while the server is ready',
  },
} as const satisfies DescribedOptions;

/** The options of every command that sends requests to a running instance. */
const asking = {
  url: {
    type: 'string',
    value: 'URL',
    says: 'address of the instance (default: $IDP_URL, else the address in the configuration)',
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
      says: 'number of OIDC frontends, or auto for one per core (default 1)',
    },
    'mcp-port': {
      type: 'string',
      value: 'PORT',
      says: 'port of the MCP server on 127.0.0.1 (default: a free one, printed when ready)',
    },
    declare: {
      type: 'boolean',
      says: 'activate these files for all instances on the same store, even if those use newer files',
    },
    demo: {
      type: 'boolean',
      says: 'also run an example relying party and service provider, on a free port of 127.0.0.1',
    },
    quiet: { type: 'boolean', says: 'print only one line when ready, also in a terminal' },
  },
  oidc: listening,
  saml: listening,
  mcp: { ...running, readonly: { type: 'boolean', says: 'reject all tools that change something' } },
  'validate-config': {
    ...configDir,
    strict: { type: 'boolean', says: 'treat unknown keys and missing files as errors' },
    lines: {
      type: 'boolean',
      says: "print only 'file:line:column level message' for each finding",
    },
    json: { type: 'boolean', says: 'print the findings as JSON, with level, message, file, path, line and column' },
  },
  'config-schema': {
    file: { type: 'string', value: 'NAME', says: 'print only the schema of this file: settings or users' },
  },
  init: {
    'config-dir': {
      type: 'string',
      value: 'DIR',
      says: 'same as the argument (default: $IDP_CONFIG_DIR, else ./config)',
    },
  },
  token: {
    ...asking,
    client: {
      type: 'string',
      value: 'ID[:SECRET]',
      says: 'client of the token (default without --user: a declared client with a secret)',
    },
    user: { type: 'string', value: 'NAME', says: 'issue a token for this user, without a login' },
    claims: { type: 'string', value: 'JSON', says: 'additional claims, such as {"department":"ops"}' },
    exp: { type: 'string', value: 'MINUTES', says: 'lifetime of the token (default: oauth.token_expiry_minutes)' },
    scope: { type: 'string', value: 'NAMES', says: 'scopes, separated by spaces' },
    resource: {
      type: 'string',
      multiple: true,
      value: 'URI',
      says: 'audience of the token (RFC 8707), can be repeated',
    },
    audience: { type: 'string', value: 'TEXT', says: 'aud of the token, any text' },
    'set-claims': { type: 'string', value: 'JSON', says: 'claims of the token, applied last, any name and value' },
    'remove-claims': { type: 'string', value: 'A,B', says: 'names of claims that the token must not have' },
    json: { type: 'boolean', says: 'print the whole response instead of the access token' },
  },
  ca: {
    ...configDir,
    path: { type: 'boolean', says: 'print the path of the certificate instead' },
  },
  health: {
    ...asking,
    timeout: { type: 'string', value: 'SECONDS', says: 'how long to wait for the response (default 3)' },
  },
  exam: {
    client: { type: 'string', value: 'ID', says: 'client_id of the client to test' },
    saml: { type: 'boolean', says: 'test the SAML service provider named by --sp' },
    sp: { type: 'string', value: 'ENTITY', says: 'entity ID of the service provider, the Issuer of its AuthnRequests' },
    'login-url': { type: 'string', value: 'URL', says: 'address at which the application starts a login' },
    idp: { type: 'string', value: 'URL', says: 'address of the instance (default http://127.0.0.1:8000)' },
    sandbox: { type: 'string', value: 'NAME', says: 'sandbox of the instance that the application uses' },
    user: { type: 'string', value: 'NAME', says: 'user who logs in (default: a temporary user for the exam)' },
    password: { type: 'string', value: 'TEXT', says: 'password of --user' },
    'logged-in-when': {
      type: 'string',
      multiple: true,
      value: 'WHAT',
      says: 'what the last page of a login has: url= or text= (a part), status=, cookie=, with commas',
    },
    only: {
      type: 'string',
      multiple: true,
      value: 'NAMES',
      says: 'run only these cases, separated by commas (* matches anything)',
    },
    except: {
      type: 'string',
      multiple: true,
      value: 'NAMES',
      says: 'skip these cases, separated by commas (* matches anything)',
    },
    timeout: {
      type: 'string',
      value: 'SECONDS',
      says: "how long to wait for the client's response, 1 to 120 (default 15)",
    },
    list: { type: 'boolean', says: 'print the cases, the behaviour of a correct client and the standard' },
    json: { type: 'boolean', says: 'print one JSON object instead of lines' },
    junit: { type: 'string', value: 'FILE', says: 'also write a JUnit XML report' },
    browser: { type: 'boolean', says: 'log in with an installed Chromium, for applications that need scripts' },
    insecure: { type: 'boolean', says: 'do not verify certificates' },
    'management-secret': { type: 'string', value: 'TEXT', says: 'management secret of the instance, if it has one' },
    alone: { type: 'boolean', says: 'include cases that affect all clients of the instance' },
    'allow-undecided': { type: 'boolean', says: 'do not fail because of undecided cases' },
  },
} as const satisfies Readonly<Record<string, DescribedOptions>>;

export type CommandName = keyof typeof optionsOf;
