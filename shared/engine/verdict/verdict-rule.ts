// A rule of the verdict is one small value (section VER). REST, MCP, the page, the downloads and the documentation are
// derived from the list of rows (rules/index.ts).
//
// To add a rule: one row in the file of its family in rules/, with the next clause id, and a client that breaks it and
// one that does not in test/unit/shared/engine/verdict. `occasions` reads the exchanges of one client. For each
// occasion to break the rule, it returns whether the rule was kept. A client without an occasion gets neither a finding
// nor a pass. In doubt a rule reports nothing: a false finding misleads more than a missed one.
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import type { Reference } from '#shared/model/refusals/references.ts';
import type { ClientHistory } from './client-history.ts';

/** The worst first. */
export const severities = ['error', 'warning', 'advice'] as const;
export type Severity = (typeof severities)[number];

/** What a client did wrong on one occasion. */
export interface Breach {
  /** A sentence that describes the observation. Its values are in the exchange as sent. */
  readonly detail: string;
  /** Left out: the rule's severity. */
  readonly severity?: Severity | undefined;
  /** Further exchanges that show it, except the one where it was found. */
  readonly beside?: readonly KeptExchange[] | undefined;
}

export interface Occasion {
  /** The exchange at which the rule could be broken. */
  readonly at: KeptExchange;
  /** undefined: the rule was kept. */
  readonly breach?: Breach | undefined;
}

export interface VerdictRule {
  /** The clause of the contract. */
  readonly clause: `VER-K${string}` | `SHV-${string}`;
  /** The name in findings. Its meaning never changes. */
  readonly id: string;
  readonly severity: Severity;
  /** What was done wrong, in a few words. */
  readonly title: string;
  readonly standard: Reference;
  /** What to do about it. */
  readonly remedy: string;
  occasions(history: ClientHistory): Iterable<Occasion>;
}

/** `undefined`: kept; `'none'`: no occasion. */
export type Judgement = Breach | undefined | 'none';

/** The occasions of a rule that judges each exchange separately. */
export function occasionsAt(
  select: (history: ClientHistory) => readonly KeptExchange[],
  judge: (exchange: KeptExchange, history: ClientHistory) => Judgement,
): VerdictRule['occasions'] {
  return function* (history) {
    for (const at of select(history)) {
      const breach = judge(at, history);
      if (breach !== 'none') yield { at, breach };
    }
  };
}
