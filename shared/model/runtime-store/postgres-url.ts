// The address of a PostgreSQL server in `runtime.url`: libpq's connection URI, of which hosts, user, password, database
// and the TLS parameters are read (PGS-01 to PGS-05). Loads no library, because the supervisor uses it too.

export interface PostgresHost {
  /** A name, an address, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;
type SslMode = (typeof sslModes)[number];

export interface PostgresAddress {
  /** Tried in this order. The one that accepts writes is used (PGS-35). */
  readonly hosts: readonly [PostgresHost, ...PostgresHost[]];
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  /** undefined: depends on the host, see `sslModeOf`. */
  readonly sslMode: SslMode | undefined;
  /** Paths, relative to the configuration directory. */
  readonly sslFiles: Readonly<Partial<Record<SslFile, string>>>;
  readonly sslPassphrase: string | undefined;
}

const sslFileNames = ['sslrootcert', 'sslcert', 'sslkey'] as const;
type SslFile = (typeof sslFileNames)[number];

const parameterNames = ['host', 'sslmode', ...sslFileNames, 'sslpassword'];
const defaultPort = 5432;
const form = 'such as postgres://user:password@host:5432/database';

class UrlProblem extends Error {}

/** The problem never contains the password. */
export function readPostgresUrl(url: string): PostgresAddress | { readonly problem: string } {
  try {
    return read(url);
  } catch (error) {
    if (error instanceof UrlProblem) return { problem: error.message };
    if (error instanceof URIError)
      return { problem: 'contains a % that is not percent-encoding. Write %25 for the character' };
    throw error;
  }
}

function read(url: string): PostgresAddress {
  const parts = /^postgres(?:ql)?:\/\/(?:([^@/?#]*)@)?([^/?#@]*)(?:\/([^?#]*))?(?:\?([^#]*))?$/.exec(url);
  if (parts === null) throw new UrlProblem(`must be a postgres URL, ${form}`);
  const [, credentials = '', authority = '', path = '', query = ''] = parts;
  const parameters = parametersOf(query);
  const colon = credentials.indexOf(':');
  const user = decodeURIComponent(colon < 0 ? credentials : credentials.slice(0, colon));
  if (user === '') throw new UrlProblem(`must name the user, ${form}`);
  const database = decodeURIComponent(path);
  if (database === '') throw new UrlProblem(`must name the database, ${form}`);
  const [first, ...others] = hostsOf(authority, parameters.get('host'));
  if (first === undefined)
    throw new UrlProblem(`must name a host, ${form}, or the directory of a socket as ?host=/run/postgresql`);
  return {
    hosts: [first, ...others],
    ...{ user, database },
    password: colon < 0 ? undefined : decodeURIComponent(credentials.slice(colon + 1)),
    sslMode: sslModeIn(parameters.get('sslmode')),
    sslFiles: Object.fromEntries(
      sslFileNames.flatMap((name) => {
        const file = parameters.get(name);
        return file === undefined ? [] : [[name, file]];
      }),
    ),
    sslPassphrase: parameters.get('sslpassword'),
  };
}

function parametersOf(query: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const parameter of query.split('&').filter((each) => each !== '')) {
    const equals = parameter.indexOf('=');
    const name = equals < 0 ? parameter : parameter.slice(0, equals);
    if (!parameterNames.includes(name)) {
      throw new UrlProblem(`has an unknown parameter. Known: ${parameterNames.join(', ')}`);
    }
    found.set(name, equals < 0 ? '' : decodeURIComponent(parameter.slice(equals + 1)));
  }
  return found;
}

function sslModeIn(text: string | undefined): SslMode | undefined {
  const mode = sslModes.find((each) => each === text);
  if (text !== undefined && mode === undefined)
    throw new UrlProblem(`must have one of these values for sslmode: ${sslModes.join(', ')}`);
  return mode;
}

function hostsOf(authority: string, parameter: string | undefined): PostgresHost[] {
  if (parameter === undefined)
    return authority
      .split(',')
      .filter((each) => each !== '')
      .map(hostOf);
  // In libpq the parameter takes precedence. The port of a socket is then before the path.
  const { port } = hostOf(authority === '' ? 'unused' : authority.replace(/^(?=:)/, 'unused'));
  return parameter
    .split(',')
    .filter((each) => each !== '')
    .map((host) => ({ host, port }));
}

function hostOf(text: string): PostgresHost {
  const parts = /^(?:\[([^\]]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/.exec(text);
  const port = Number(parts?.[3] ?? defaultPort);
  if (parts === null || port < 1 || port > 65_535) throw new UrlProblem(`must have hosts as host:port, ${form}`);
  return { host: decodeURIComponent(parts[1] ?? parts[2] ?? ''), port };
}

export function isSocketDirectory(host: string): boolean {
  return host.startsWith('/');
}

/** By default, traffic that leaves the machine is encrypted and the server must authenticate (PGS-04). */
export function sslModeOf({ sslMode }: Pick<PostgresAddress, 'sslMode'>, { host }: PostgresHost): SslMode {
  if (isSocketDirectory(host)) return 'disable';
  if (sslMode !== undefined) return sslMode;
  const isLoopback = host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
  return isLoopback ? 'disable' : 'verify-full';
}

/** For messages: the location without password and parameters (PGS-05). */
export function shownPostgresUrl(url: string): string {
  const address = readPostgresUrl(url);
  if ('problem' in address) return 'postgres:';
  const hosts = address.hosts.map(shownHost).join(',');
  return `postgres://${encodeURIComponent(address.user)}@${hosts}/${encodeURIComponent(address.database)}`;
}

export function shownHost({ host, port }: PostgresHost): string {
  if (isSocketDirectory(host)) return encodeURIComponent(host);
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** A different password, host or TLS option for the same database does not make it another store (PGS-09). */
export function isSameDatabase(one: string, other: string): boolean {
  const [known, candidate] = [readPostgresUrl(one), readPostgresUrl(other)];
  return !('problem' in known) && !('problem' in candidate) && known.database === candidate.database;
}
