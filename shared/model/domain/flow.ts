// Exchanges that belong together: which flow an exchange joins, the kind of flow and its outcome (REC-16, REC-17).
// Pure. The store keeps only the flow number of each exchange.
import type { Instant } from '#shared/base/clock.ts';
import { type GrantFlowKind, knownGrants } from '#shared/model/oauth-rules/grants.ts';
import { type ExchangeFacts, type FlowKeys, isDelivery, isRepeatable, type KeptExchange } from './exchange.ts';

/** The kinds of the grants, then those without a grant. */
export type FlowKind = GrantFlowKind | 'saml' | 'other';
export const flowKinds: readonly FlowKind[] = [
  ...new Set<FlowKind>([...knownGrants.map(({ flow }) => flow.kind), 'saml', 'other']),
];

export const flowOutcomes = ['completed', 'refused', 'open'] as const;
export type FlowOutcome = (typeof flowOutcomes)[number];

/** A request that names nothing joins the newest flow of its address that began within this time. */
export const joinedByAddressMilliseconds = 10_000;

export interface JoinedFlow {
  /** undefined: it begins a flow. */
  readonly flow: number | undefined;
  /** Other flows that turn out to be part of this one. */
  readonly absorbed: readonly AbsorbedFlow[];
}

interface AbsorbedFlow {
  readonly other: number;
  /** The flow that it is part of. */
  readonly flow: number;
}

/**
 * An exchange joins the earliest flow among those whose keys it names. With several workers, a key that the exchange
 * creates may be known already, because its consequences were recorded first. Then the flows of all its keys become
 * one. `named`, `made`: the flows of the keys.
 */
export function flowToJoin(named: readonly number[], made: readonly number[]): JoinedFlow {
  const known = [...new Set([...named, ...made])];
  if (known.length === 0) return { flow: undefined, absorbed: [] };
  const flow = Math.min(...known);
  const others = made.length === 0 ? [] : known.filter((each) => each !== flow);
  return { flow, absorbed: others.map((other) => ({ other, flow })) };
}

/**
 * The keys that an exchange creates, as far as they can be known before it is recorded. A fault may return what belongs
 * to other flows, and those flows stay separate.
 */
export function keysCreatedByExchange({
  fault,
  keys,
}: Pick<ExchangeFacts, 'fault'> & { readonly keys: FlowKeys }): readonly string[] {
  return fault === undefined ? keys.made : [];
}

/** The data of an exchange that is needed to determine the kind and outcome of its flow. */
export type FlowStep = Pick<KeptExchange, 'id' | 'flow'> &
  Pick<
    ExchangeFacts,
    'endpoint' | 'at' | 'status' | 'clientId' | 'username' | 'sp' | 'grantType' | 'decision' | 'fault'
  >;

export interface Flow {
  readonly id: number;
  readonly kind: FlowKind;
  readonly clientId: string | undefined;
  readonly username: string | undefined;
  readonly sp: string | undefined;
  readonly startedAt: Instant;
  readonly endedAt: Instant;
  readonly outcome: FlowOutcome;
  readonly exchanges: number;
  readonly faults: readonly string[];
}

type KindRule = readonly [FlowKind, (step: FlowStep) => boolean];

const grantRules: readonly KindRule[] = knownGrants.map(({ type, flow: { kind, endpoints } }) => [
  kind,
  ({ endpoint, grantType }) => endpoints.includes(endpoint) || grantType === type,
]);

/**
 * The first rule that matches an exchange of the flow decides. A device flow may contain a browser's requests to
 * /authorize.
 */
const kindRules: readonly KindRule[] = [
  ['saml', ({ endpoint }) => ['saml_sso', 'saml_attribute_query', 'saml_slo'].includes(endpoint)],
  ...grantRules.filter(([kind]) => kind === 'device'),
  ...grantRules,
];

function kindOfFlow(steps: readonly FlowStep[]): FlowKind {
  return kindRules.find(([, fits]) => steps.some(fits))?.[0] ?? 'other';
}

/** The last deciding step gives the outcome. A code that was not redeemed leaves a flow open. */
function outcomeOfFlow(steps: readonly FlowStep[]): FlowOutcome {
  const decisive = steps.filter(({ endpoint }) => !isRepeatable(endpoint) && !isDelivery(endpoint));
  const last = (decisive.length === 0 ? steps : decisive).at(-1);
  if (last === undefined || last.decision === 'asked') return 'open';
  if (last.decision === 'refused') return 'refused';
  const leadsOn = ['authorize', 'pushed_authorization_request', 'device_authorization', 'device'].includes(
    last.endpoint,
  );
  const isDone = steps.some(({ endpoint, decision }) => endpoint === 'token' && decision === 'accepted');
  return leadsOn && !isDone ? 'open' : 'completed';
}

/** `recorded`: in the order recorded, which differs from the request order where several workers record. */
export function flowOf(recorded: readonly [FlowStep, ...FlowStep[]]): Flow {
  const steps = recorded.toSorted((one, other) => one.at - other.at);
  const [first = recorded[0]] = steps;
  // Participants that are notified of its end took part, but the flow is not theirs.
  const requests = steps.filter(({ endpoint }) => !isDelivery(endpoint));
  const lastSaid = <Value>(read: (step: FlowStep) => Value | undefined): Value | undefined =>
    (requests.length === 0 ? steps : requests).map(read).findLast((value) => value !== undefined);
  return {
    id: first.flow,
    kind: kindOfFlow(steps),
    clientId: lastSaid(({ clientId }) => clientId),
    username: lastSaid(({ username }) => username),
    sp: lastSaid(({ sp }) => sp),
    startedAt: first.at,
    endedAt: (steps.at(-1) ?? first).at,
    outcome: outcomeOfFlow(steps),
    exchanges: steps.length,
    faults: [...new Set(steps.flatMap(({ fault }) => fault ?? []))],
  };
}
