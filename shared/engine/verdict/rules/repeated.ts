// Values that must be new in each authorization request. A browser that loads the same address again repeats them too, and
// that is not the client's doing.
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import { type ClientHistory, parameter, partsOf, shown, tokenRequests, transactions } from '../client-history.ts';
import type { Occasion, VerdictRule } from '../verdict-rule.ts';

/** Enough of those that had a value before. */
const comparedMax = 20;

/** The second transaction is the first occasion to repeat a value. */
export function repeated(name: 'code_challenge' | 'state' | 'nonce'): VerdictRule['occasions'] {
  return (history) => {
    const redeemed = redeemedFlows(history);
    const known = new Map<string, KeptExchange[]>();
    const occasions: Occasion[] = [];
    for (const at of transactions(history)) {
      const value = parameter(at, name);
      if (value === undefined) continue;
      const earlier = known.get(value) ?? [];
      const same = earlier.find((one) => !mayBeReload(one, at, redeemed));
      const detail = `The ${name} ${shown(value)} stands in more than one authorization request.`;
      if (same !== undefined) occasions.push({ at, breach: { detail, beside: [same] } });
      else if (known.size > 0 && earlier.length === 0) occasions.push({ at });
      if (earlier.length < comparedMax) known.set(value, [...earlier, at]);
    }
    return occasions;
  };
}

/** The very same request by the same browser, where not both logins were gone through with. */
function mayBeReload(first: KeptExchange, second: KeptExchange, redeemed: ReadonlySet<number>): boolean {
  if (redeemed.has(first.flow) && redeemed.has(second.flow)) return false;
  const [one, other] = [first.said.noticed?.browser, second.said.noticed?.browser];
  if (one === undefined || other === undefined || one.id !== other.id) return false;
  // What a person typed is posted beside it (D39), and is none of the request's.
  return JSON.stringify(partsOf(first).query) === JSON.stringify(partsOf(second).query);
}

function redeemedFlows(history: ClientHistory): ReadonlySet<number> {
  return new Set(
    tokenRequests(history)
      .filter(({ grantType }) => grantType === 'authorization_code')
      .map(({ flow }) => flow),
  );
}
