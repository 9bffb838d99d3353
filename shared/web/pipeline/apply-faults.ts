// Runs only while faults are set at the endpoint. Finds the faults that match the request. The first one fires: it
// replaces the endpoint or changes its reply. The response and the audit report it (FLT-15 to FLT-29).

import { entityTagOf } from '#shared/engine/exchange/cached-body.ts';
import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import { json, type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import {
  auditEvent,
  type Endpoint,
  type ManagementContext,
  type ParsedRequest,
} from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { faultNamed } from '#shared/engine/faults/catalogue/index.ts';
import { meetsConditions } from '#shared/engine/faults/conditions.ts';
import type { FaultSite, RequestFacts } from '#shared/engine/faults/fault-row.ts';
import type { HeldAnswers } from '#shared/engine/faults/held-answers.ts';
import { factsOf, type ReadFacts } from '#shared/engine/faults/request-facts.ts';
import { type Candidate, delayOf, isSentToClient, RequestFaults } from '#shared/engine/faults/request-faults.ts';
import { unknownKeyOf } from '#shared/engine/faults/unknown-key.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { latestExpiry } from '#shared/engine/tokens/latest-expiry.ts';
import type { Fault, FaultEndpoint } from '#shared/model/domain/fault.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { rotateAndRecord } from '#shared/state/keys/rotate-and-record.ts';

const faultHeader = 'X-Test-Idp-Fault';

interface FaultStage {
  readonly held: HeldAnswers;
  /** Facts that the service knows about its requests beyond those of OAuth. */
  readonly readFacts?: ReadFacts | undefined;
  /** The response to a rejection. */
  replyOf(error: unknown): Reply;
  /** The last change to a reply: applies what the route says about all of its replies. */
  finished(reply: Reply): Reply;
  /** Calls back when the response is sent or the client has left. */
  onceSent(callback: () => void): void;
}

/** The active faults at the endpoint of a route. Usually undefined. */
export function faultsAt(route: Pick<Route, 'faultyAs'>, { store }: Pick<ManagementContext, 'store'>) {
  const { faultyAs } = route;
  if (faultyAs === undefined) return undefined;
  const inForce = store.faults.inForce();
  if (inForce.length === 0) return undefined;
  const faults = inForce.filter(({ at }) => at.includes(faultyAs));
  return faults.length === 0 ? undefined : { endpoint: faultyAs, faults };
}

export async function answerWithFaults(
  { endpoint: name, faults }: { readonly endpoint: FaultEndpoint; readonly faults: readonly Fault[] },
  endpoint: Endpoint,
  request: ParsedRequest,
  context: ManagementContext,
  parts: FaultStage,
): Promise<Reply> {
  const facts = await factsOf(name, request, context, parts.readFacts);
  const met = await metBy(faults, facts, request, context);
  const candidates = await Promise.all(met.map((fault) => candidateOf(fault, name, facts, context)));
  const activeFaults = new RequestFaults({
    candidates: candidates.filter((candidate) => candidate !== undefined),
    claim: (id) => context.store.faults.claim(id),
    hold: parts.held.acquire,
    canRotateKey: async () => (await context.keys.rotationRefusal()) === undefined,
    rotateKey: () => rotateKey(request, context),
    replyOf: parts.replyOf,
    request,
  });
  const replaced = await activeFaults.before();
  const faultyContext = {
    ...context,
    fault: activeFaults,
    signer: activeFaults.signer(context.signer),
    outputHooks: activeFaults.outputHooks,
  };
  const reply = await (replaced === undefined
    ? answered(endpoint, request, faultyContext, activeFaults, parts)
    : undefined);
  parts.onceSent(() => activeFaults.release());
  const { fired } = activeFaults;
  const unanswered = () => refusalReply(httpRefusals.server_error, { requestId: context.requestId });
  if (fired === undefined) return parts.finished(reply ?? unanswered());
  context.recording?.fired(fired.row.name);
  if (!activeFaults.isInEntry) await recordFired(fired, request, context);
  return marked(
    made(fired, () => reply ?? unanswered(), parts),
    fired,
  );
}

async function answered(
  endpoint: Endpoint,
  request: ParsedRequest,
  context: ManagementContext,
  inHand: RequestFaults,
  parts: FaultStage,
): Promise<Reply> {
  let reply: Reply;
  try {
    reply = await endpoint(request, context);
  } catch (error) {
    reply = parts.replyOf(error);
  }
  await inHand.settle({ reply });
  return reply;
}

/**
 * The matching faults in the order of their creation. A request that matches a fault except for `nth` is counted
 * (FLT-07).
 */
async function metBy(
  faults: readonly Fault[],
  facts: RequestFacts,
  request: ParsedRequest,
  { store }: ManagementContext,
): Promise<readonly Fault[]> {
  const met = faults.filter(({ when }) => meetsConditions(when, facts, request));
  const counted = met.filter(({ when }) => (when.nth ?? 1) > 1).map(({ id }) => id);
  if (counted.length === 0) return met;
  const numbers = await store.faults.meet(counted);
  return met.filter(({ id, when }) => (when.nth ?? 1) <= (numbers.get(id) ?? 1));
}

async function candidateOf(
  fault: Fault,
  endpoint: FaultEndpoint,
  facts: RequestFacts,
  context: ManagementContext,
): Promise<Candidate | undefined> {
  const row = faultNamed(fault.fault);
  if (row === undefined) return undefined;
  const { delay_ms: _, ...parameters } = fault.parameters;
  const site: FaultSite = {
    ...{ endpoint, facts },
    issuer: context.issuer,
    baseUrl: context.baseUrl,
    materialUrl: `${context.baseUrl}/api/faults/${fault.id}/material`,
    now: context.clock.now(),
    random: context.random,
    store: context.store,
    usernames: [...context.snapshot.users.keys()],
    hasUser: async (username) => (await findEffectiveUser(context.snapshot, context.store, username)) !== undefined,
    tokensEndAt: latestExpiry(context.snapshot.settings, context.clock.now()),
    activeKey: await context.keys.signingKey(),
    unknownKey: fault.unknownKey === undefined ? undefined : unknownKeyOf(fault.unknownKey, fault.createdAt),
  };
  return { fault, row, site, transform: row.transform(parameters) };
}

/** The reply with the fired fault applied. `reply`: the endpoint's reply, unless the fault replaces it. */
function made(fired: Candidate, reply: () => Reply, parts: FaultStage): Reply {
  const { transform, site } = fired;
  if (transform.hookPoint === 'answer') return parts.finished(transform.instead(site));
  if (transform.hookPoint === 'refusal' && !isSentToClient(fired)) {
    const { status, headers } = transform.form?.(site) ?? { status: 400 };
    const { error, description } = transform;
    return parts.finished(json(status, { error, error_description: description }, headers));
  }
  const right = parts.finished(reply());
  if (transform.hookPoint !== 'sending') return right;
  return withOwnEntityTag(transform.change(right, site) ?? right, right, fired.fault);
}

/** Once the fault has ended, a cache must not treat the changed reply as the correct one (RFC 9110 §8.8.1). */
function withOwnEntityTag(changed: Reply, right: Reply, { id }: Fault): Reply {
  const { ETag: tag } = right.headers;
  const { halfOfBody, uncountedBytes } = changed.delivery ?? {};
  const isWhole = halfOfBody === undefined && uncountedBytes === undefined;
  const readAs = ['Content-Type', 'Content-Encoding'];
  const isReadAlike = readAs.every((name) => changed.headers[name] === right.headers[name]);
  const isRight = isWhole && isReadAlike && changed.body === right.body;
  return tag === undefined || isRight ? changed : withHeaders(changed, { ETag: entityTagOf(`${tag} ${id}`) });
}

function marked(reply: Reply, { fault, row }: Candidate): Reply {
  const named = fault.quiet ? reply : withHeaders(reply, { [faultHeader]: row.name });
  const delay = delayOf(fault);
  const { sentOften: _, ...once } = named;
  if (delay === 0) return once;
  const { delivery } = reply;
  return { ...once, delivery: { ...delivery, afterMilliseconds: delay + (delivery?.afterMilliseconds ?? 0) } };
}

async function rotateKey(request: ParsedRequest, context: ManagementContext): Promise<SigningKey> {
  await rotateAndRecord(
    context,
    (event) => auditEvent(request, context, { ...event, endpoint: request.path }),
    (error) => {
      throw error;
    },
  );
  return context.keys.signingKey();
}

/** For requests that write no audit entry of their own (FLT-29). */
async function recordFired(
  { fault, row, site }: Candidate,
  request: ParsedRequest,
  context: ManagementContext,
): Promise<void> {
  const { username, client_id } = site.facts;
  const details = { name: row.name, id: fault.id, fault: { name: row.name, id: fault.id } };
  const event = { event_type: 'fault_fired', status: 'success', endpoint: request.path, username, client_id } as const;
  await context.audit.record(auditEvent(request, context, { ...event, details }), { done: true });
}
