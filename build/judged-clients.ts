// How real clients handled the faults that a correct client rejects, as `npm run judge` measured it, and its tables in
// docs/faults.md. The results are stored in test/interop/judge/results.json, because judging needs tools that a build
// does not have.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { faultCatalogue } from '#shared/engine/faults/catalogue/index.ts';
import type { FaultRow } from '#shared/engine/faults/fault-row.ts';
import { withWrittenPart } from './documents/written-part.ts';

const protocols = ['oidc', 'saml'] as const;
export type Protocol = (typeof protocols)[number];

/**
 * `right_user`: the client accepts the response, but logs in the right user despite the forged name. `logs_in`: it logs
 * in another user. `not_met`: the client has no such feature, or never gets the response.
 */
const verdict = z.union([
  z.enum(['rejects', 'accepts', 'right_user', 'not_met']),
  z.strictObject({ logs_in: z.string() }),
]);
export type Verdict = z.output<typeof verdict>;

const judgedResult = z.strictObject({
  protocol: z.enum(protocols),
  version: z.string(),
  /** By the name of the fault. */
  verdicts: z.record(z.string(), verdict),
});
export type JudgedResult = z.output<typeof judgedResult>;

/** By the name of the client. */
const judgedResults = z.record(z.string(), judgedResult);
export type JudgedResults = z.output<typeof judgedResults>;

export const judgedResultsFile = new URL('../test/interop/judge/results.json', import.meta.url);

export function readJudgedResults(): JudgedResults {
  return judgedResults.parse(JSON.parse(readFileSync(judgedResultsFile, 'utf8')));
}

/** The rows by which clients of a protocol are judged. */
export function rowsFor(protocol: Protocol): readonly FaultRow[] {
  return faultCatalogue.filter((row) => row.client === 'reject' && protocolOf(row) === protocol);
}

function protocolOf({ at }: FaultRow): Protocol {
  return at.every((endpoint) => endpoint.startsWith('saml_')) ? 'saml' : 'oidc';
}

const part = {
  path: 'docs/faults.md',
  begin: '<!-- judged: written by `npm run judge` and `npm run docs` -->',
  end: '<!-- end of judged -->',
};

/** The document with its current tables. @throws Error when it has no place for them */
export function withJudgedClients(document: string, results: JudgedResults): string {
  const tables = protocols.map((protocol) => tableOf(protocol, results)).join('\n');
  return withWrittenPart(document, part, tables);
}

const titles: Readonly<Record<Protocol, string>> = { oidc: 'OpenID Connect', saml: 'SAML' };

function tableOf(protocol: Protocol, results: JudgedResults): string {
  const clients = Object.entries(results).filter(([, client]) => client.protocol === protocol);
  const head = ['Fault', ...clients.map(([name, { version }]) => `${name} ${version}`)];
  const lines = rowsFor(protocol).map(({ name }) => [
    `\`${name}\``,
    ...clients.map(([, { verdicts }]) => wordsOf(verdicts[name] ?? 'not_met')),
  ]);
  const table = [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
  return [`### ${titles[protocol]}`, '', ...table, ''].join('\n');
}

const words = { rejects: 'rejects', accepts: '**accepts**', right_user: 'right user', not_met: '—' } as const;

function wordsOf(given: Verdict): string {
  return typeof given === 'string' ? words[given] : `**logs in \`${given.logs_in}\`**`;
}
