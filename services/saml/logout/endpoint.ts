// GET and POST /saml/slo: Single Logout (section SLO; SAML profiles §4.4). A LogoutRequest ends the sessions that it
// names and starts notifying the other participants. A LogoutResponse continues the logout, and so does a browser that
// returns without a message.

import { AuditNote } from '#shared/engine/exchange/audited.ts';
import { notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import { type ParsedRequest, type ProtocolContext, requestFacts } from '#shared/engine/exchange/request.ts';
import { pageOf } from '#shared/engine/exchange/route.ts';
import { endSessions } from '#shared/engine/login/end-sessions.ts';
import { framesFor } from '#shared/engine/logout/front-channel.ts';
import type { SamlLogout } from '#shared/model/domain/saml-logout.ts';
import {
  assertionsGiven,
  type GivenAssertion,
  isSameName,
  type LogoutInitiator,
  limitsOfMemory,
  logoutSteps,
  marksOfSameName,
  requestedStepIndex,
  withoutAnswer,
} from '#shared/model/domain/saml-logout.ts';
import { sessionLimits } from '#shared/model/domain/session.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { type Refused, refused } from '#shared/model/refusals/refusal.ts';
import {
  type LogoutMessageProblem,
  nameIdIn,
  readLogoutRequest,
  readLogoutResponse,
} from '#shared/model/saml-rules/logout-messages.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { requestDenied, type SamlStatus, success, unknownPrincipal } from '#shared/protocol/saml/status.ts';
import type { SessionWithParticipants } from '#shared/state/store/ports/index.ts';
import { withBrowserCookie } from '#shared/web/pages/login/login-step-reply.ts';
import { renderFrontChannelPage } from '#shared/web/pages/logout/front-channel-page.tsx';
import { pageFraming } from '#shared/web/pages/page-reply.ts';
import { decryptedNameId } from '../encryption/decrypted-name-id.ts';
import { isFromAnotherSite, repeatFromHere } from '../repeat-from-own-origin.ts';
import { checkRelayState, SsoRefusedError, ssoRefused } from '../sso/sso-refused.ts';
import { answerInitiator, auditedAs, continueLogout, noteTold, settleLogoutStep } from './continue-logout.ts';
import {
  claimedIssuer,
  type LogoutParameter,
  logoutParameterOf,
  messageOf,
  type ReceivedLogoutMessage,
  receiveLogoutMessage,
  relayStateOf,
} from './receive-logout-message.ts';
import { sloUrl } from './slo-url.ts';

export async function singleLogout(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const parameter = logoutParameterOf(request);
  try {
    checkRelayState(relayStateOf(request));
    if (parameter !== undefined && isFromAnotherSite(request, context)) return repeated(parameter, request, context);
    if (parameter === undefined) return await comeBack(request, context);
    const received = await receiveLogoutMessage(parameter, request, context);
    const reply = await (parameter === 'SAMLRequest' ? takeRequest : takeResponse)(received, request, context);
    return await withBrowserCookie(reply, context);
  } catch (error) {
    if (!(error instanceof SsoRefusedError)) throw error;
    const note = new AuditNote();
    note.refused(error, { details: { sp_issuer: claimedIssuer(request, context) ?? null } });
    await note.write(auditedAs, request, context);
    throw pageOf('saml_logout', error);
  }
}

function repeated(parameter: LogoutParameter, request: ParsedRequest, { path }: ProtocolContext): Reply {
  const relayState = relayStateOf(request);
  return repeatFromHere('logout', {
    path,
    action: path('/saml/slo'),
    recipient: '',
    fields: [
      [parameter, messageOf(request, parameter) ?? ''],
      ...(relayState === undefined ? [] : [['RelayState', relayState] as const]),
    ],
  });
}

async function takeRequest(
  { serviceProvider, binding, root, relayState }: ReceivedLogoutMessage,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<Reply> {
  const logoutRequest = wellFormed(readLogoutRequest(root));
  const { entity_id } = serviceProvider;
  const nameIdFound = logoutRequest.nameId ?? (await decryptedNameId(logoutRequest.encryptedId, context));
  const nameId = nameIdFound && nameIdIn(nameIdFound);
  const initiator: LogoutInitiator = {
    ...{ entity_id, request_id: logoutRequest.id, relay_state: relayState, binding },
    name_id: nameId ?? { value: '', format: undefined, name_qualifier: undefined, sp_name_qualifier: undefined },
    session_indexes: logoutRequest.sessionIndexes,
  };
  const refuse = async (status: SamlStatus, why: Refused) => {
    await noteRequest({ entity_id, status, refusal: why }, request, context);
    return answerInitiator(initiator, { ...status, message: why.message }, context);
  };
  const { clock } = context;
  if (logoutRequest.notOnOrAfter !== undefined && logoutRequest.notOnOrAfter <= clock.now()) {
    return refuse(requestDenied, refused(samlRefusals.saml_logout_expired));
  }
  const named = nameId === undefined ? [] : await sessionsNamed(initiator, context);
  const isNobody = named.length === 0 && !(nameId !== undefined && (await isRemembered(initiator, context)));
  if (isNobody) {
    return refuse(unknownPrincipal, refused(samlRefusals.saml_logout_unknown));
  }
  const ended: SessionWithParticipants[] = [];
  for (const { sid } of named) {
    context.recording?.belongsTo(`session:${sid}`);
    const ender = { ...requestFacts(request, context), endpoint: auditedAs.endpoint };
    ended.push(...(await endSessions({ sid }, 'logout', ender, { ...context, teller: context })).ended);
  }
  await noteRequest({ entity_id, status: success, ended, username: ended[0]?.username }, request, context);
  const logout: SamlLogout = {
    id: context.random.token(16),
    browser: (await context.session()).browser,
    username: ended[0]?.username ?? '',
    begunAt: clock.now(),
    initiator,
    address: undefined,
    unfollowed: undefined,
    steps: logoutSteps(ended, entity_id),
    ended: false,
  };
  context.recording?.belongsTo(`logout:${logout.id}`);
  await context.store.samlLogouts.begin(logout, clock.now());
  // OpenID Connect clients come first (SLO-19), because the browser returns from them without a message. Frames reach
  // this browser alone, so clients of another browser's sessions get none (Front-Channel Logout §3).
  const { browserMark } = await context.session();
  const frames = await framesFor(
    ended.filter(({ browser }) => browser === browserMark),
    context,
  );
  return frames.length > 0 ? framesBefore(frames, context) : continueLogout(logout, request, context);
}

function framesBefore(frames: readonly string[], { path }: ProtocolContext): Reply {
  return notStored(pageFraming(200, renderFrontChannelPage({ frames, goOn: path('/saml/slo'), path }), frames));
}

/** The sessions that a request names (SLO-09, SLO-10). */
async function sessionsNamed(
  initiator: LogoutInitiator,
  context: ProtocolContext,
): Promise<readonly SessionWithParticipants[]> {
  const { store, snapshot, clock } = context;
  const { entity_id } = initiator;
  const sessions = await store.sessions.list({ entity_id }, sessionLimits(snapshot.settings), clock.now());
  const means = meantBy(initiator, context);
  const matching = sessions.filter((session) => assertionsGiven([session]).some(means));
  if (initiator.session_indexes.length > 0) return matching;
  const usernames = new Set(matching.map(({ username }) => username));
  return sessions.filter(({ username }) => usernames.has(username));
}

/** The named sessions ended or expired a moment ago, so none is left to end (SLO-04, SLO-23). */
async function isRemembered(initiator: LogoutInitiator, context: ProtocolContext): Promise<boolean> {
  const { store, snapshot, clock } = context;
  const { entity_id } = initiator;
  const means = meantBy(initiator, context);
  const now = clock.now();
  const ours = effectiveSamlAddresses(snapshot.settings.saml, context).entity_id;
  const indexes = await store.samlLogouts.endedUnder(marksOfSameName(initiator, ours), now);
  const sessionIndexes = new Set(initiator.session_indexes);
  if (indexes.some((index) => sessionIndexes.size === 0 || sessionIndexes.has(index))) return true;
  const limits = limitsOfMemory(sessionLimits(snapshot.settings));
  return assertionsGiven(await store.sessions.list({ entity_id, includeEnded: true }, limits, now)).some(means);
}

function meantBy(
  { entity_id, name_id, session_indexes }: LogoutInitiator,
  context: ProtocolContext,
): (given: GivenAssertion) => boolean {
  const ours = effectiveSamlAddresses(context.snapshot.settings.saml, context).entity_id;
  return (given) =>
    given.entity_id === entity_id &&
    isSameName(name_id, given.name_id, { ours, serviceProvider: entity_id }) &&
    (session_indexes.length === 0 || session_indexes.includes(given.session_index));
}

async function takeResponse(
  { serviceProvider, root }: ReceivedLogoutMessage,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<Reply> {
  const { inResponseTo, isSuccess } = wellFormed(readLogoutResponse(root));
  const { entity_id } = serviceProvider;
  const logout = (await ofThisBrowser(context)).find((each) => {
    const step = each.steps[requestedStepIndex(each, inResponseTo ?? '')];
    return step?.entity_id === entity_id;
  });
  if (logout === undefined || inResponseTo === undefined) throw ssoRefused(samlRefusals.saml_logout_not_asked);
  return continueLogout(
    await settleLogoutStep(logout, inResponseTo, isSuccess ? 'told' : 'failed', request, context),
    request,
    context,
  );
}

/** The notified participant did not send the browser back with a response (SLO-18). */
async function comeBack(request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { store, clock } = context;
  const present = (await ofThisBrowser(context))[0];
  if (present === undefined) throw ssoRefused(samlRefusals.saml_logout_none_under_way, { address: sloUrl(context) });
  const unanswered = present.steps.filter(({ outcome }) => outcome === 'asked');
  const logout = (await store.samlLogouts.change(present.id, clock.now(), withoutAnswer)) ?? present;
  for (const step of unanswered) await noteTold(logout, { ...step, outcome: 'failed' }, request, context);
  return continueLogout(logout, request, context);
}

async function ofThisBrowser(context: ProtocolContext): Promise<readonly SamlLogout[]> {
  const { browser } = await context.session();
  const recent = await context.store.samlLogouts.recent(context.clock.now());
  return recent.filter((logout) => logout.browser === browser && !logout.ended);
}

function wellFormed<Message>(read: Message | LogoutMessageProblem): Message {
  if (typeof read !== 'string') return read;
  throw ssoRefused(samlRefusals[read as LogoutMessageProblem]);
}

interface RequestNote {
  readonly entity_id: string;
  readonly status: SamlStatus;
  readonly refusal?: Refused;
  readonly ended?: readonly SessionWithParticipants[];
  readonly username?: string | undefined;
}

async function noteRequest(
  { entity_id, status: { top, nested }, refusal, ended = [], username }: RequestNote,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<void> {
  const note = new AuditNote();
  const sids = ended.map(({ sid }) => sid);
  const details = {
    sp_issuer: entity_id,
    sid: sids.length > 1 ? sids : (sids[0] ?? null),
    saml_status: nested === undefined ? top : `${top}/${nested}`,
  };
  if (refusal === undefined) note.succeeded({ username, details });
  else note.refused(refusal, { details });
  await note.write(auditedAs, request, context);
}
