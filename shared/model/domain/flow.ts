// Exchanges that belong together: which flow one joins, what kind of flow it is and how it ended (REC-16, REC-17). Pure;
// the store keeps nothing of a flow but its number at each exchange.
import type { Instant } from '#shared/base/clock.ts';
import { type GrantFlowKind, knownGrants } from '#shared/model/oauth-rules/grants.ts';
import { type ExchangeFacts, type FlowKeys, isDelivery, isRepeatable, type KeptExchange } from './exchange.ts';

/** Those of the grants, then those of no grant. */
export type FlowKind = GrantFlowKind | 'saml' | 'other';
export const flowKinds: readonly FlowKind[] = [
  ...new Set<FlowKind>([...knownGrants.map(({ flow }) => flow.kind), 'saml', 'other']),
];

export const flowOutcomes = ['completed', 'refused', 'open'] as const;
export type FlowOutcome = (typeof flowOutcomes)[number];

/** A request that names nothing joins the newest flow of its address begun so lately. */
export const joinedByAddressMilliseconds = 10_000;

export interface JoinedFlow {
  /** undefined: it begins one. */
  readonly flow: number | undefined;
  /** Others that turn out to be no flows of their own. */
  readonly absorbed: readonly AbsorbedFlow[];
}

interface AbsorbedFlow {
  readonly other: number;
  /** The one that it is part of. */
  readonly flow: number;
}

/**
 * An exchange joins the flow that began first of those whose keys it names. A key that it makes itself is known where what came of it
 * was recorded first, as several workers may: then the flows of all its keys are one. `named`, `made`: the flows of the keys.
 */
export function flowToJoin(named: readonly number[], made: readonly number[]): JoinedFlow {
  const known = [...new Set([...named, ...made])];
  if (known.length === 0) return { flow: undefined, absorbed: [] };
  const flow = Math.min(...known);
  const others = made.length === 0 ? [] : known.filter((each) => each !== flow);
  return { flow, absorbed: others.map((other) => ({ other, flow })) };
}

/**
 * The keys that an exchange makes, as far as they can be known before it is recorded. A fault answers what belongs to others, whose
 * flows stay theirs.
 */
export function keysMadeFirst({
  fault,
  keys,
}: Pick<ExchangeFacts, 'fault'> & { readonly keys: FlowKeys }): readonly string[] {
  return fault === undefined ? keys.made : [];
}

/** What is needed of an exchange to say what its flow is. */
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

/** The first one that an exchange of the flow fits decides; a device's flow may have requests of a browser to /authorize. */
const kindRules: readonly KindRule[] = [
  ['saml', ({ endpoint }) => ['saml_sso', 'saml_attribute_query', 'saml_slo'].includes(endpoint)],
  ...grantRules.filter(([kind]) => kind === 'device'),
  ...grantRules,
];

function kindOfFlow(steps: readonly FlowStep[]): FlowKind {
  return kindRules.find(([, fits]) => steps.some(fits))?.[0] ?? 'other';
}

/** The last step that decides says how it stands; a code that nobody has redeemed leaves a flow open. */
function outcomeOfFlow(steps: readonly FlowStep[]): FlowOutcome {
  const told = steps.filter(({ endpoint }) => !isRepeatable(endpoint) && !isDelivery(endpoint));
  const last = (told.length === 0 ? steps : told).at(-1);
  if (last === undefined || last.decision === 'asked') return 'open';
  if (last.decision === 'refused') return 'refused';
  const leadsOn = ['authorize', 'pushed_authorization_request', 'device_authorization', 'device'].includes(
    last.endpoint,
  );
  const isDone = steps.some(({ endpoint, decision }) => endpoint === 'token' && decision === 'accepted');
  return leadsOn && !isDone ? 'open' : 'completed';
}

/** `recorded`: in the order recorded, which is not that of the requests where several workers record. */
export function flowOf(recorded: readonly [FlowStep, ...FlowStep[]]): Flow {
  const steps = recorded.toSorted((one, other) => one.at - other.at);
  const [first = recorded[0]] = steps;
  // Who is told of its end took part; the flow is not theirs.
  const asked = steps.filter(({ endpoint }) => !isDelivery(endpoint));
  const lastSaid = <Value>(read: (step: FlowStep) => Value | undefined): Value | undefined =>
    (asked.length === 0 ? steps : asked).map(read).findLast((value) => value !== undefined);
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
