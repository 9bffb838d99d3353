// `npm run judge`: which of the faults that a correct client rejects do real clients reject? Each client runs all its steps
// with each fault. results.json gets the outcomes with the client's version, and docs/faults.md the tables. The results are
// facts about one usual configuration, not a rating. `--only NAME` judges one client. Clients that cannot run here keep
// their earlier results.
import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import {
  type JudgedResult,
  type JudgedResults,
  judgedResultsFile,
  readJudgedResults,
  rowsFor,
  type Verdict,
  withJudgedClients,
} from '#build/judged-clients.ts';
import type { FaultRow } from '#shared/engine/faults/fault-row.ts';
import type { FaultEndpoint } from '#shared/model/domain/fault.ts';
import { faultOf, noFaults, setFault } from '#test/support/faults.ts';
import { judgedClients } from './clients.ts';
import { type JudgedClient, type OpenedClient, type Outcome, type Pace, UnavailableError } from './judged-client.ts';
import { rightUsers, type Surroundings, startSurroundings } from './surroundings.ts';

const document = new URL('../../../docs/faults.md', import.meta.url);
const print = (line: string) => process.stdout.write(`${line}\n`);

const paces: Readonly<Partial<Record<FaultEndpoint, Pace>>> = {
  introspect: 'introspect',
  register: 'register',
  logout: 'logout',
  saml_metadata: 'metadata',
  saml_attribute_query: 'query',
};
/** What a client may cache from one login to the next. */
const remembered: ReadonlySet<FaultEndpoint> = new Set(['discovery', 'jwks', 'saml_metadata']);

/** A fault that applies to several endpoints is judged where tokens are issued. */
function placeOf({ name, at }: FaultRow): { at: FaultEndpoint; pace: Pace } {
  const [first] = at;
  if (at.includes('token') || first === undefined) {
    return { at: 'token', pace: name.startsWith('refresh_') ? 'refresh' : 'login' };
  }
  return { at: first, pace: paces[first] ?? 'login' };
}

async function verdictOf(row: FaultRow, opened: OpenedClient, client: JudgedClient, around: Surroundings) {
  const { at, pace } = placeOf(row);
  // The replayed Response is one that the same client accepted before.
  if (row.name === 'saml_replayed') await opened.go('login', false);
  // Always, because a client that retries must not get the correct response.
  const set = await setFault(around.idp, row.name, { at, times: 'always' });
  const outcome = await opened.go(pace, remembered.has(at));
  const { hits } = await faultOf(around.idp, set);
  await noFaults(around.idp);
  if ('notMet' in outcome || hits === 0) {
    return { verdict: 'not_met', said: 'notMet' in outcome ? outcome.notMet : 'the fault did not fire' } as const;
  }
  return 'refusal' in outcome
    ? ({ verdict: 'rejects', said: outcome.refusal } as const)
    : { verdict: acceptance(row, outcome.user, rightUser(client, pace)), said: outcome.user };
}

function acceptance(row: FaultRow, user: string, right: string | undefined): Verdict {
  if (right !== undefined && user !== right) return { logs_in: user };
  return 'name_id' in row.parameters.shape ? 'right_user' : 'accepts';
}

/** The user that a client must report after a step, or undefined if the step has none. */
function rightUser({ protocol }: JudgedClient, pace: Pace): string | undefined {
  if (pace === 'register' || pace === 'logout') return undefined;
  return pace === 'query' || pace === 'introspect' ? rightUsers.oidc : rightUsers[protocol];
}

async function judge(client: JudgedClient, around: Surroundings): Promise<JudgedResult> {
  const opened = await client.open(around);
  try {
    const paces = new Set(rowsFor(client.protocol).map((row) => placeOf(row).pace));
    for (const pace of paces) expectRight(client, pace, await opened.go(pace, true));
    const verdicts: Record<string, Verdict> = {};
    for (const row of rowsFor(client.protocol)) {
      const { verdict, said } = await verdictOf(row, opened, client, around);
      verdicts[row.name] = verdict;
      print(`${client.name}  ${row.name}: ${typeof verdict === 'string' ? verdict : 'logs in'}, ${said.slice(0, 200)}`);
    }
    expectRight(client, 'login', await opened.go('login', true));
    return { protocol: client.protocol, version: opened.version, verdicts };
  } finally {
    await opened.close();
  }
}

/** Runs first and last: a client that fails without any fault has rejected nothing. */
function expectRight(client: JudgedClient, pace: Pace, outcome: Outcome): void {
  if ('notMet' in outcome && pace !== 'login') return;
  const right = rightUser(client, pace);
  if ('user' in outcome && (right === undefined || outcome.user === right)) return;
  throw new Error(`${client.name}, ${pace} without any fault: ${JSON.stringify(outcome)}`);
}

const { values } = parseArgs({ options: { only: { type: 'string' } } });
const chosen = judgedClients.filter(({ name }) => values.only === undefined || values.only === name);
if (chosen.length === 0) throw new Error(`unknown client ${values.only}`);
const earlier = readJudgedResults();
const found = new Map(Object.entries(earlier));
const around = await startSurroundings();
try {
  for (const client of chosen) {
    try {
      found.set(client.name, await judge(client, around));
    } catch (error) {
      if (!(error instanceof UnavailableError)) throw error;
      print(`skipped: ${client.name}: ${error.message}; its earlier results stay`);
    } finally {
      await noFaults(around.idp);
    }
  }
} finally {
  await around.stop();
}
const results: JudgedResults = Object.fromEntries(
  judgedClients.flatMap(({ name }) => {
    const result = found.get(name);
    return result === undefined ? [] : [[name, result]];
  }),
);
writeFileSync(judgedResultsFile, `${JSON.stringify(results, undefined, 2)}\n`);
writeFileSync(document, withJudgedClients(readFileSync(document, 'utf8'), results));
