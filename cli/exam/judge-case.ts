// The result of one case and whether it is good. Pure: computed from the observations (EXM-12 to EXM-15).
import type { CorrectClient } from '#shared/engine/faults/fault-row.ts';
import type { Arrival } from './visitor.ts';

export type CaseResult = 'accepted' | 'rejected' | 'crashed' | 'skipped' | 'undecided';

export interface Observed {
  readonly arrival: Arrival;
  /** How often the fault fired. */
  readonly hits: number;
  /** Another fault that fired where this one should have. Of several faults only the one set first fires (FLT-16). */
  readonly instead?: string | undefined;
  /** Whether the last page shows a logged-in user. undefined: there is no page. */
  readonly isLoggedIn: boolean | undefined;
  /** Only for responses with another user's name: the name on the last page. */
  readonly named?: 'foreign' | 'own' | 'neither' | undefined;
  /** The client began another login after the faulty one, and the last page belongs to that login. */
  readonly loggedInAgain: boolean;
}

export interface Finding {
  readonly result: CaseResult;
  /** One sentence without full stop. Never contains a value of the protocol. */
  readonly reason: string;
}

export function findingOf(expected: CorrectClient, observed: Observed): Finding {
  const { arrival, hits } = observed;
  if (hits === 0) {
    const why = observed.instead;
    return undecided(
      why === undefined
        ? 'the fault never fired: this login had nothing that the fault changes'
        : `the fault never fired: ${why}, which was set outside the exam, fired instead`,
    );
  }
  if (arrival.end === 'stuck') return undecided(`the login did not end: ${arrival.reason}`);
  if (arrival.end !== 'page') {
    const what = arrival.end === 'late' ? 'did not respond in time' : 'closed the connection without a response';
    if (arrival.at === 'instance') return rejected('the browser never returned to the client');
    return { result: 'crashed', reason: `the client ${what}` };
  }
  const { page, at } = arrival;
  if (at === 'instance') return rejected(`the login ended at the identity provider with status ${page.status}`);
  if (page.status >= 500) {
    const isRelayed = expected === 'recover' && [502, 503, 504].includes(page.status);
    return { result: isRelayed ? 'rejected' : 'crashed', reason: `the client returned ${page.status}` };
  }
  if (observed.isLoggedIn === undefined) return undecided('the last page does not show whether a user is logged in');
  if (observed.loggedInAgain) return rejected('the client cancelled this login and started another one');
  // Checked first: an application may send an unknown name to a page that the login without fault does not have.
  if (observed.named === 'foreign' && page.status < 400) {
    return { result: 'accepted', reason: 'the last page shows the name of the other user' };
  }
  if (!observed.isLoggedIn) return rejected(`no user is logged in at ${page.url.pathname} (status ${page.status})`);
  switch (observed.named) {
    case 'own':
      return rejected('the client rejected the other user: the last page shows the correct user');
    case 'neither':
      return undecided('a user is logged in, but the last page names neither user');
    default:
      return { result: 'accepted', reason: 'logged in as without the fault' };
  }
}

/** undefined: the case was not decided. */
export function isGood(expected: CorrectClient, result: CaseResult): boolean | undefined {
  if (result === 'skipped' || result === 'undecided') return undefined;
  switch (expected) {
    case 'reject':
      return result === 'rejected';
    case 'accept':
      return result === 'accepted';
    // The person who runs the exam decides whether the login after a `recover` worked.
    case 'recover':
    case 'either':
      return result !== 'crashed';
  }
}

function undecided(reason: string): Finding {
  return { result: 'undecided', reason };
}

function rejected(reason: string): Finding {
  return { result: 'rejected', reason };
}
