// Values that must be new in each authorization request. A browser that reloads the same address also repeats them,
// which is not the client's fault.
import type { KeptExchange } from '#shared/model/domain/exchange.ts';
import { type ClientHistory, parameter, partsOf, shown, tokenRequests, transactions } from '../client-history.ts';
import type { Occasion, VerdictRule } from '../verdict-rule.ts';

/** At most this many earlier transactions with the same value are compared. */
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
      const detail = `The ${name} ${shown(value)} occurs in more than one authorization request.`;
      if (same !== undefined) occasions.push({ at, breach: { detail, beside: [same] } });
      else if (known.size > 0 && earlier.length === 0) occasions.push({ at });
      if (earlier.length < comparedMax) known.set(value, [...earlier, at]);
    }
    return occasions;
  };
}

/** The same request by the same browser, where at most one of the two logins was completed. */
function mayBeReload(first: KeptExchange, second: KeptExchange, redeemed: ReadonlySet<number>): boolean {
  if (redeemed.has(first.flow) && redeemed.has(second.flow)) return false;
  const [one, other] = [first.content.noticed?.browser, second.content.noticed?.browser];
  if (one === undefined || other === undefined || one.id !== other.id) return false;
  // What a person typed is posted with it (D39), and does not belong to the request.
  return JSON.stringify(partsOf(first).query) === JSON.stringify(partsOf(second).query);
}

function redeemedFlows(history: ClientHistory): ReadonlySet<number> {
  return new Set(
    tokenRequests(history)
      .filter(({ grantType }) => grantType === 'authorization_code')
      .map(({ flow }) => flow),
  );
}
