// One case: sets its fault for the examined client and user, and runs one login with it (EXM-07).

import type { CorrectClient } from '#shared/engine/faults/fault-row.ts';
import type { FaultCondition } from '#shared/model/domain/fault.ts';
import { type ExamCase, namesNoClient } from './cases.ts';
import { RefusedError } from './examined-instance.ts';
import type { Finding } from './judge-case.ts';
import type { Login } from './login.ts';

interface CaseOutcome {
  readonly finding: Finding;
  readonly flow: string | null;
}

export async function runCase(one: ExamCase, expected: CorrectClient, login: Login): Promise<CaseOutcome> {
  const { fault, at, particulars } = one;
  const foreign = login.foreignName(particulars.foreign);
  const wish = {
    ...{ fault, at },
    times: at === 'discovery' || at === 'jwks' ? ('always' as const) : 1,
    when: conditionOf(one, login),
    parameters: parametersOf(one, login, foreign),
  };
  try {
    return particulars.refreshes === true
      ? await login.judged(wish, expected, foreign, (set) => login.goAndRefresh(set), true)
      : await login.judged(wish, expected, foreign, () => login.go());
  } catch (error) {
    if (!(error instanceof RefusedError) || error.status === 401) throw error;
    return { finding: { result: 'undecided', reason: `the fault could not be set: ${error.message}` }, flow: null };
  }
}

/** Which requests the fault applies to, as far as requests to the endpoint identify them. */
function conditionOf(one: ExamCase, { condition }: Login): FaultCondition {
  const { affectsOthers, refreshes } = one.particulars;
  // A fault that rotates the key at a token request must fire at a request of this client.
  if (namesNoClient(one) && affectsOthers !== true) return {};
  return refreshes === true ? { ...condition, grant_type: 'refresh_token' } : condition;
}

/**
 * Parameters that differ from the catalogue's defaults: names that the last page is searched for, and times that fit
 * --timeout.
 */
function parametersOf(
  { fault, particulars }: ExamCase,
  { parts }: Login,
  foreign: string | undefined,
): Readonly<Record<string, unknown>> {
  const { timeoutSeconds } = parts.options;
  const third = Math.max(1, Math.floor(timeoutSeconds / 3));
  switch (fault) {
    case 'delay':
      return { ms: Math.min(5000, third * 1000) };
    case 'hang':
      return { seconds: third };
    case 'slow_drip':
      return { bytes_per_second: Math.min(10_000, Math.ceil(30_000 / timeoutSeconds)) };
  }
  if (particulars.foreign === 'other_user') return { username: foreign };
  return particulars.foreign === 'forged_name_id' ? { name_id: foreign } : {};
}
