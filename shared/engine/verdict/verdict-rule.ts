// What a rule of the verdict is: one small value (section VER). REST, MCP, the page, the downloads and the documentation
// follow from the list of rows (rules/index.ts).
//
// To add a rule: one row in the file of its family in rules/, with the next clause id, and a client that breaks it and
// one that does not in test/unit/shared/engine/verdict. `occasions` looks at the exchanges of one client and answers for each
// occasion to break the rule whether it was kept; a client that was given none is neither accused nor praised. In doubt a
// rule keeps silent: a false accusation misleads more than a missed one.
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import type { Reference } from '#shared/model/refusals/references.ts';
import type { ClientHistory } from './client-history.ts';

/** The worst first. */
export const severities = ['error', 'warning', 'advice'] as const;
export type Severity = (typeof severities)[number];

/** What a client did wrong on one occasion. */
export interface Breach {
  /** A sentence that says what was seen; a value that it repeats stands in the exchange as sent. */
  readonly detail: string;
  /** Left out: that of the rule. */
  readonly severity?: Severity | undefined;
  /** Exchanges that show it beside the one it was seen at. */
  readonly beside?: readonly KeptExchange[] | undefined;
}

export interface Occasion {
  /** The exchange at which the rule could be broken. */
  readonly at: KeptExchange;
  /** undefined: it was kept. */
  readonly breach?: Breach | undefined;
}

export interface VerdictRule {
  /** Of the contract. */
  readonly clause: `VER-K${string}`;
  /** The name under which findings are told; it never changes its meaning. */
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

/** The occasions of a rule that looks at one exchange after the other. */
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
