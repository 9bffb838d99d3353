// The input of a verdict on one flow: the flow, what its client did before, and what was recorded meanwhile. It is only
// a part of what is stored, because the page of a flow requests its verdict every two seconds.
import { isDelivery, isRepeatable, type KeptExchange } from '#shared/model/domain/exchange.ts';
import type { Exchanges } from '#shared/state/store/ports/index.ts';
import type { ClientHistory } from './client-history.ts';

const readMax = 600;
/** The limit for exchanges recorded after the flow: within them a client fetches the key set again. */
const laterMax = 100;

interface AroundFlow extends Pick<ClientHistory, 'surroundings'> {
  /** No stored exchange from before the flow was left out. */
  readonly reachesBack: boolean;
  /** The flow, and the other exchanges of its client up to its end. */
  readonly own: readonly KeptExchange[];
}

export async function readAroundFlow(store: Exchanges, flow: number): Promise<AroundFlow> {
  const inFlow = (await store.list({ flow }, readMax)).exchanges;
  const last = Math.max(0, ...inFlow.map(({ id }) => id));
  const around = (await store.list({ upTo: last + laterMax }, readMax)).exchanges;
  const read = new Map([...inFlow, ...around].map((exchange) => [exchange.id, exchange]));
  const surroundings = [...read.values()]
    .filter(({ endpoint }) => !isDelivery(endpoint))
    .sort((one, other) => one.id - other.id);
  const isItsClients = ofOneSubject(surroundings.filter((one) => one.flow === flow));
  return {
    surroundings,
    own: surroundings.filter((one) => one.flow === flow || (one.id <= last && isItsClients(one))),
    reachesBack: around.length < readMax,
  };
}

/**
 * Whether an exchange belongs to the one client or service provider that the flow names. With several, it is unknown
 * which exchange is whose.
 */
function ofOneSubject(inFlow: readonly KeptExchange[]): (exchange: KeptExchange) => boolean {
  const [client, ...clients] = new Set(inFlow.flatMap(({ clientId }) => clientId ?? []));
  const [sp, ...sps] = new Set(inFlow.flatMap((one) => one.sp ?? []));
  if (clients.length + sps.length > 0 || (client === undefined) === (sp === undefined)) return () => false;
  return ({ endpoint, clientId, sp: issuer }) =>
    !isRepeatable(endpoint) && (client === undefined ? issuer === sp : clientId === client);
}
