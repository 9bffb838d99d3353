// The screen after a start in a terminal (PKG-19 to PKG-23). It shows all addresses, the accounts to log in with, and a
// command to paste that works with the active configuration.
import { stripVTControlCharacters } from 'node:util';
import { takesMethod } from '#shared/model/configuration/client-authentication.ts';
import type { LoadedConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import type { ReadyUrls } from './announce-ready.ts';

type Declared = Pick<LoadedConfiguration, 'clients' | 'users'>;
type DeclaredClient = Declared['clients'] extends ReadonlyMap<string, infer Client> ? Client : never;

/** Values that are published in the documentation. Any other secret is never shown (PKG-21). */
export const publishedDemoValues: ReadonlySet<string> = new Set([
  ...['demo-secret', 'demo-post-secret', 'demo-app-secret'],
  ...['admin', 'alice', 'bob', 'carol'],
]);

const columnsMax = 100;

interface FirstScreen {
  readonly version: string;
  readonly urls: ReadyUrls;
  /** undefined: the files could not be read again. */
  readonly declared: Declared | undefined;
  readonly colours: boolean;
}

/** The lines, with a line feed after the last one. */
export function firstScreen({
  version,
  urls: { baseUrl, mcpUrl, demoUrl, caFile },
  declared,
  colours,
}: FirstScreen): string {
  const bold = (text: string) => (colours ? `\u001b[1m${text}\u001b[22m` : text);
  const command = commandToPaste(baseUrl, caFile, declared);
  // Shown even if the command cannot use this client, because another program may log in with it.
  const client = command.client ?? bestShown(declared?.clients, ({ client_secret }) => client_secret);
  const user = bestShown(declared?.users, ({ password }) => password);
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['Discovery', `${baseUrl}/.well-known/openid-configuration`],
    ['Web UI', `${baseUrl}/`],
    ['SAML metadata', `${baseUrl}/saml/metadata`],
    ['MCP', mcpUrl],
    ['Demonstration', demoUrl],
    ['Client', client === undefined ? undefined : describe(client.client_id, 'secret', client.client_secret)],
    ['User', user === undefined ? undefined : describe(user.username, 'password', user.password)],
  ];
  const lines = [
    bold(`test-idp ${version} is ready: ${baseUrl}`),
    '',
    ...rows.flatMap(([name, value]) => (value === undefined ? [] : [`  ${name.padEnd(15)}${value}`])),
    '',
  ];
  // Only the command is never cut off: a part of it would not work.
  return `${[...lines.map(withinColumns), `  ${bold(command.line)}`, '', 'Stop with Ctrl-C.'].join('\n')}\n`;
}

/** no-color.org, and terminals that report no colour support (PKG-23). */
export function takesColours({ NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>): boolean {
  return (NO_COLOR ?? '') === '' && TERM !== 'dumb';
}

/**
 * A token request if some client can get a token with a line that fits, else the discovery document. With the secret in
 * the form the line would be too long, and curl could not prompt for the secret.
 */
function commandToPaste(baseUrl: string, caFile: string | undefined, declared: Declared | undefined) {
  // Other programs do not trust this program's authority. Its path has a separate line, which the shell continues.
  const curl = caFile === undefined ? 'curl' : `curl --cacert ${shellWord(caFile)} \\\n   `;
  const clients = [...(declared?.clients.values() ?? [])]
    .filter((client) => takesMethod(client, 'client_secret_basic'))
    .sort(publishedFirst(({ client_secret }) => client_secret));
  for (const client of clients) {
    const tokenCommand = tokenArguments(baseUrl, client);
    if (tokenCommand.length + '  curl '.length <= columnsMax) return { line: `${curl} ${tokenCommand}`, client };
  }
  return { line: `${curl} ${shellWord(`${baseUrl}/.well-known/openid-configuration`)}`, client: undefined };
}

/** RFC 6749 §2.3.1: both are form-encoded before they are joined. Without the secret curl prompts for it. */
function tokenArguments(baseUrl: string, { client_id, client_secret }: DeclaredClient): string {
  const secret = publishedOnly(client_secret);
  const words = [client_id, ...(secret === undefined ? [] : [secret])].map(formEncoded);
  const user = shellWord(words.join(':'));
  return `-u ${user} -d grant_type=client_credentials ${shellWord(`${baseUrl}/token`)}`;
}

function describe(name: string, what: string, value: string | undefined): string {
  if (value === undefined) return `${shown(name)}, without ${what}`;
  return `${shown(name)}, ${what} ${publishedOnly(value) ?? 'from the configuration'}`;
}

function publishedOnly(value: string | undefined): string | undefined {
  return value !== undefined && publishedDemoValues.has(value) ? value : undefined;
}

/** Entries whose secret may be shown come first. Among equals the order of the file is kept. */
function publishedFirst<Entry>(secretOf: (entry: Entry) => string | undefined) {
  const rank = (entry: Entry) => (publishedOnly(secretOf(entry)) === undefined ? 1 : 0);
  return (one: Entry, other: Entry) => rank(one) - rank(other);
}

function bestShown<Entry>(
  entries: ReadonlyMap<string, Entry> | undefined,
  secretOf: (entry: Entry) => string | undefined,
) {
  return [...(entries?.values() ?? [])].sort(publishedFirst(secretOf))[0];
}

function formEncoded(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1);
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A name may contain any character, including a line feed or an escape sequence. */
function shown(name: string): string {
  return /[\p{C}\p{Zl}\p{Zp}]/u.test(name) ? JSON.stringify(name).replaceAll(/[^ -~]/g, '?') : name;
}

function withinColumns(line: string): string {
  return stripVTControlCharacters(line).length <= columnsMax ? line : `${line.slice(0, columnsMax - 1)}…`;
}
