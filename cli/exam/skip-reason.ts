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
  if (particulars.device === true) return 'browser logins have no device that requests tokens';
  if (!habits.endpoints.has(at)) return `the login without a fault sent no request to ${at}`;
  if (namesNoClient(one) && sandbox === undefined && !alone) {
    return 'it would affect other clients. Use --sandbox or --alone';
  }
  if (particulars.maxAge === true && !habits.maxAge) return 'the client does not send max_age';
  if (particulars.refreshes === true) {
    if (sandbox === undefined) return 'it moves the clock, which requires --sandbox';
    if (habits.refreshes !== true) return habits.refreshes;
  }
  if (particulars.foreign === 'other_user' && other === undefined)
    return 'it requires a second user, and no other user exists';
  return undefined;
}
