// What a verdict on one flow goes by: the flow, what its client did before, and what was recorded meanwhile. That is a piece
// of what is kept and not all of it, since the page of a flow asks for its verdict every other second.
import { isDelivery, isRepeatable, type KeptExchange } from '#shared/model/domain/exchange.ts';
import type { Exchanges } from '#shared/state/store/ports/index.ts';
import type { ClientHistory } from './client-history.ts';

const readMax = 600;
/** Of those recorded after the flow: within them a client fetches the key set again. */
const laterMax = 100;

interface AroundFlow extends Pick<ClientHistory, 'surroundings'> {
  /** Nothing that is kept from before the flow was left out. */
  readonly reachesBack: boolean;
  /** The flow, and what else its client did up to its end. */
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

/** Whether an exchange is of the one client or service provider that the flow names; of several nobody knows whose is what. */
function ofOneSubject(inFlow: readonly KeptExchange[]): (exchange: KeptExchange) => boolean {
  const [client, ...clients] = new Set(inFlow.flatMap(({ clientId }) => clientId ?? []));
  const [sp, ...sps] = new Set(inFlow.flatMap((one) => one.sp ?? []));
  if (clients.length + sps.length > 0 || (client === undefined) === (sp === undefined)) return () => false;
  return ({ endpoint, clientId, sp: issuer }) =>
    !isRepeatable(endpoint) && (client === undefined ? issuer === sp : clientId === client);
}
