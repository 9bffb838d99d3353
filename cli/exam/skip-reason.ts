// Why a case is not run (EXM-09, EXM-11, EXM-18).

import { type ClientBehaviour, type ExamCase, namesNoClient } from './cases.ts';
import type { ExamOptions } from './exam-options.ts';
import type { Names } from './login-attempt.ts';

export function skipReason(
  one: ExamCase,
  { sandbox, alone }: Pick<ExamOptions, 'sandbox' | 'alone'>,
  habits: ClientBehaviour,
  { other }: Pick<Names, 'other'>,
): string | undefined {
  const { at, particulars } = one;
  if (particulars.device === true) return 'no device asks for tokens in a login by a browser';
  if (!habits.endpoints.has(at)) return `the login without fault asked nothing of ${at}`;
  if (namesNoClient(one) && sandbox === undefined && !alone) {
    return 'it would meet other clients, too: it takes --sandbox or --alone';
  }
  if (particulars.maxAge === true && !habits.maxAge) return 'the client does not ask with max_age';
  if (particulars.refreshes === true) {
    if (sandbox === undefined) return 'it moves the clock, which takes --sandbox';
    if (habits.refreshes !== true) return habits.refreshes;
  }
  if (particulars.foreign === 'other_user' && other === undefined)
    return 'there is no other user whose code could be used';
  return undefined;
}
