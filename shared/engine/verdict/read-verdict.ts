// Reads a verdict: its subject, the exchanges of that subject, and what is known of them (VER-01).
import type { Instant } from '#shared/base/clock.ts';
import { nextTurn } from '#shared/base/scheduling/event-loop-turns.ts';
import {
  type FindsClients,
  type FindsServiceProviders,
  findEffectiveClient,
  findEffectiveServiceProvider,
} from '#shared/engine/identities/effective-identities.ts';
import { flowId } from '#shared/engine/recorder/show-exchange.ts';
import { isPublicClient } from '#shared/model/configuration/client-authentication.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { isDelivery, isRepeatable, type KeptExchange } from '#shared/model/domain/exchange.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { readAroundFlow } from './around-flow.ts';
import { type ClientHistory, faultyOnes, type Subject } from './client-history.ts';
import { type Judged, judging } from './judge.ts';
import { verdictRules } from './rules/index.ts';

export interface Verdict extends Judged {
  readonly subject: Subject;
}

export interface VerdictQuestion {
  readonly clientId?: string | undefined;
  readonly sp?: string | undefined;
  /** The number of a flow. */
  readonly flow?: number | undefined;
  /** A cursor. */
  readonly after?: number | undefined;
}

export interface VerdictContext {
  readonly store: Pick<RuntimeStore, 'exchanges' | 'recorderSwitch'> & FindsClients & FindsServiceProviders;
  readonly snapshot: ConfigurationSnapshot;
  /** The time of the namespace: registrations expire by it. */
  readonly now: Instant;
  readonly realNow: Instant;
  /**
   * Called often: yields to the event loop now and then, and throws once the caller no longer waits for the verdict.
   */
  turn?(): Promise<void>;
}

/** A page of the verdicts on all subjects. */
export interface VerdictPage {
  readonly verdicts: readonly Verdict[];
  /** The number of subjects. */
  readonly subjects: number;
}

/** The verdict on the subject that the query names, on one flow, or on every subject seen. */
export async function readVerdicts(question: VerdictQuestion, context: VerdictContext): Promise<readonly Verdict[]> {
  return (await readVerdictPage(question, context, (all) => all)).verdicts;
}

/** Judges the subjects that `pick` selects, in the order of their first exchange. */
export async function readVerdictPage(
  question: VerdictQuestion,
  context: VerdictContext,
  pick: <One>(all: readonly One[]) => readonly One[],
): Promise<VerdictPage> {
  const { after = 0, flow } = question;
  if (flow !== undefined) return { verdicts: [await readVerdictOfFlow({ ...question, flow }, context)], subjects: 1 };
  const surroundings = (await readAll(context)).filter(({ endpoint }) => !isDelivery(endpoint));
  const around = { surroundings, faulty: faultyOnes(surroundings), isWhole: await isAllThere(context.store) };
  const isSelected = ({ id }: KeptExchange) => id > after;
  const parts = partsBySubject(surroundings, question);
  const verdicts: Verdict[] = [];
  for (const { subject, own } of pick(parts)) {
    verdicts.push(await judged({ subject, own, isSelected }, around, context));
  }
  return { verdicts, subjects: parts.length };
}

/** It is unknown what arrived while the recorder was switched off. */
async function isAllThere({ exchanges, recorderSwitch }: VerdictContext['store']): Promise<boolean> {
  return recorderSwitch.state() === undefined && (await exchanges.isWhole());
}

/**
 * The verdict on one flow, knowing what its client did shortly before. A state that never changes is found that way.
 */
export async function readVerdictOfFlow(
  { flow, clientId, sp, after = 0 }: VerdictQuestion & { readonly flow: number },
  context: VerdictContext,
): Promise<Verdict> {
  const { surroundings, own, reachesBack } = await readAroundFlow(context.store.exchanges, flow);
  const isOfSubject = (one: KeptExchange) =>
    (clientId === undefined || one.clientId === clientId) && (sp === undefined || one.sp === sp);
  const part: Part = {
    subject: { client_id: clientId ?? null, sp: sp ?? null, flow: flowId(flow) },
    own: own.filter((one) => isOfSubject(one)),
    isSelected: (one) => one.flow === flow && one.id > after && isOfSubject(one),
  };
  const isWhole = reachesBack && (await isAllThere(context.store));
  return judged(part, { surroundings, faulty: faultyOnes(surroundings), isWhole }, context);
}

async function judged(
  { subject, own, isSelected }: Part,
  around: Pick<ClientHistory, 'surroundings' | 'faulty' | 'isWhole'>,
  context: VerdictContext,
): Promise<Verdict> {
  const history: ClientHistory = {
    ...around,
    exchanges: own.filter(({ id }) => !around.faulty.has(id)),
    now: context.realNow,
    client: await registrationOf(
      subject.client_id ?? own.find(({ clientId }) => clientId !== undefined)?.clientId,
      context,
    ),
    isRegisteredProvider: await isRegisteredProvider(subject.sp ?? own.find(({ sp }) => sp !== undefined)?.sp, context),
  };
  return { subject, ...(await judgedInTurns(history, isSelected, context)) };
}

/** Judging pauses between steps, so that other requests are not delayed. */
async function judgedInTurns(
  history: ClientHistory,
  isSelected: Part['isSelected'],
  { turn = nextTurn }: VerdictContext,
): Promise<Judged> {
  const steps = judging(verdictRules, history, isSelected);
  for (;;) {
    const step = steps.next();
    await turn();
    if (step.done === true) return step.value;
  }
}

export function isAboutOne({ clientId, sp, flow }: VerdictQuestion): boolean {
  return [clientId, sp, flow].some((one) => one !== undefined);
}

const readAtOnce = 500;

/** In the order recorded, in pieces, so that other requests are not delayed. */
async function readAll({ store, turn = nextTurn }: VerdictContext): Promise<readonly KeptExchange[]> {
  const pieces: (readonly KeptExchange[])[] = [];
  for (let upTo: number | undefined; ; ) {
    const { exchanges } = await store.exchanges.list({ upTo }, readAtOnce);
    pieces.unshift(exchanges);
    if (exchanges.length < readAtOnce) return pieces.flat();
    upTo = Math.min(...exchanges.map(({ id }) => id)) - 1;
    await turn();
  }
}

interface Part {
  readonly subject: Subject;
  /** What is known of the subject. */
  readonly own: readonly KeptExchange[];
  /** Whether the verdict judges that exchange. */
  isSelected(exchange: KeptExchange): boolean;
}

const nobody: Subject = { client_id: null, sp: null, flow: null };

function partsBySubject(
  all: readonly KeptExchange[],
  { clientId, sp }: VerdictQuestion,
): readonly Pick<Part, 'subject' | 'own'>[] {
  const known = new Map<string, { readonly subject: Subject; readonly own: KeptExchange[] }>();
  const partOf = (subject: Subject) => {
    const key = JSON.stringify([subject.client_id, subject.sp]);
    const part = known.get(key) ?? { subject, own: [] };
    known.set(key, part);
    return part;
  };
  const isSelected = ({ client_id, sp: issuer }: Subject) =>
    (clientId === undefined && sp === undefined) ||
    (clientId !== undefined && client_id === clientId) ||
    (sp !== undefined && issuer === sp);
  if (clientId !== undefined) partOf({ ...nobody, client_id: clientId });
  else if (sp !== undefined) partOf({ ...nobody, sp });
  const clientOfFlow = onlyClients(all);
  for (const exchange of all) {
    const subject = subjectOf(exchange, clientOfFlow);
    if (subject !== undefined && isSelected(subject)) partOf(subject).own.push(exchange);
  }
  return [...known.values()];
}

/** The sender, as the exchange itself names it, or as its whole flow does. */
function subjectOf(
  { clientId, sp, flow, endpoint }: KeptExchange,
  clientOfFlow: ReadonlyMap<number, string | undefined>,
): Subject | undefined {
  if (isRepeatable(endpoint)) return undefined;
  if (clientId !== undefined) return { ...nobody, client_id: clientId };
  if (sp !== undefined) return { ...nobody, sp };
  const client = clientOfFlow.get(flow);
  if (client !== undefined) return { ...nobody, client_id: client };
  return endpoint === 'saml_sso' ? nobody : undefined;
}

/** undefined: the flow names several clients, and the sender of the rest is unknown. */
function onlyClients(all: readonly KeptExchange[]): ReadonlyMap<number, string | undefined> {
  const clients = new Map<number, string | undefined>();
  for (const { flow, clientId } of all) {
    if (clientId === undefined) continue;
    clients.set(flow, clients.has(flow) && clients.get(flow) !== clientId ? undefined : clientId);
  }
  return clients;
}

async function registrationOf(
  clientId: string | null | undefined,
  { store, snapshot, now }: VerdictContext,
): Promise<ClientHistory['client']> {
  if (clientId === null || clientId === undefined) return undefined;
  const found = await findEffectiveClient(snapshot, store, clientId, now);
  return found && { isPublic: isPublicClient(found.client), isDocument: found.origin === 'cimd' };
}

async function isRegisteredProvider(
  entityId: string | null | undefined,
  { store, snapshot }: VerdictContext,
): Promise<boolean> {
  if (entityId === null || entityId === undefined) return false;
  return (await findEffectiveServiceProvider(snapshot, store, entityId)) !== undefined;
}
