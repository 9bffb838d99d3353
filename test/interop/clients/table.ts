// The table of docs/clients.md, generated only from the results.
import { type ClientRow, providers } from './client-rows.ts';
import type { Measured } from './log-in.ts';

const begin = '<!-- clients: written by `npm run clients` -->';
const end = '<!-- end of clients -->';

const columns: readonly (readonly [title: string, cell: (measured: Measured, row: ClientRow) => string])[] = [
  ['Client', ({ version }, { name }) => `${name} ${version}`],
  ['Provider at', (_, { provider }) => placeOf(providers[provider])],
  ['Further settings', (_, { said = {} }) => saidIn(said)],
  ['`response_type`', ({ responseType }) => (responseType === '' ? '' : `\`${responseType}\``)],
  ['`scope`', ({ scope }) => (scope === '' ? '' : `\`${scope}\``)],
  ['PKCE', (measured) => ofOpenidConnect(measured, measured.pkce)],
  ['`nonce`', (measured) => ofOpenidConnect(measured, measured.nonce)],
  ['Secret in', ({ secret }) => secret ?? ''],
  ['Reads UserInfo', (measured) => ofOpenidConnect(measured, measured.readsUserinfo)],
  ['Shows', ({ outcome }) => shown(outcome)],
];

/** Empty for a client that logs in by SAML. */
function ofOpenidConnect({ responseType }: Measured, is: boolean): string {
  if (responseType === '') return '';
  return is ? 'yes' : 'no';
}

function placeOf({ over, set, setUsers }: (typeof providers)[ClientRow['provider']]): string {
  const changed = { ...set, ...setUsers };
  return Object.keys(changed).length === 0 ? over : `${over}, with ${saidIn(changed)}`;
}

function saidIn(said: NonNullable<ClientRow['said']>): string {
  const pairs = Object.entries(said).map(([name, value]) => `${name}: ${[value].flat().join(' ')}`);
  return pairs.map((pair) => `\`${pair}\``).join(', ');
}

function shown(outcome: Measured['outcome']): string {
  if ('refusal' in outcome) return `the error \`${outcome.refusal}\``;
  const { name, email } = outcome;
  return name === '' && email === '' ? 'neither name nor address' : `${name}, ${email}`;
}

/** A Markdown table with one row for each client. */
export function tableOf(measured: ReadonlyMap<ClientRow, Measured>): string {
  const lines = [...measured].map(([row, result]) => columns.map(([, cell]) => cell(result, row)));
  const all = [columns.map(([title]) => title), columns.map(() => '---'), ...lines];
  return all.map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

/** Returns the document with the current table. @throws Error if it has no place for the table */
export function withTable(document: string, table: string): string {
  const from = document.indexOf(begin);
  const to = document.indexOf(end);
  if (from < 0 || to < from) throw new Error(`docs/clients.md must have the lines ${begin} and ${end}`);
  return `${document.slice(0, from)}${begin}\n\n${table}\n${document.slice(to)}`;
}
