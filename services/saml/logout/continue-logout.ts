// Continues a logout: notifies the next participant, and after the last one responds to the initiator (SLO-14 to
// SLO-18). The state is in the store, so that any front end can continue a logout that another one began.

import { AuditNote } from '#shared/engine/exchange/audited.ts';
import { hooked } from '#shared/engine/exchange/output-hooks.ts';
import { notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveServiceProvider } from '#shared/engine/identities/effective-identities.ts';
import { logOutBySoap } from '#shared/engine/logout/soap-logout.ts';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import type { LogoutService } from '#shared/model/configuration/service-provider-entry.ts';
import {
  endedLogout,
  type LogoutInitiator,
  type LogoutStep,
  type SamlLogout,
  settledStep,
  withNextRequest,
} from '#shared/model/domain/saml-logout.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { refused } from '#shared/model/refusals/refusal.ts';
import { logoutRequest, logoutResponse } from '#shared/model/saml-rules/logout-messages.ts';
import { signingAlgorithms } from '#shared/model/saml-rules/response-form.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { freshIdentifier } from '#shared/protocol/saml/identifiers.ts';
import { documentMoment } from '#shared/protocol/saml/instants.ts';
import { partialLogout, type SamlStatus, success } from '#shared/protocol/saml/status.ts';
import { logoutOutcomePage } from './outcome-page.tsx';
import { sendByBrowser } from './send-logout-message.ts';

export const auditedAs = { event_type: 'saml_logout', endpoint: '/saml/slo' } as const;

export async function continueLogout(
  begun: SamlLogout,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<Reply> {
  const { store, clock, random } = context;
  context.recording?.belongsTo(`logout:${begun.id}`);
  for (let logout = begun; ; ) {
    const requestId = freshIdentifier(random);
    const asking = await store.samlLogouts.change(logout.id, clock.now(), (now) => withNextRequest(now, requestId));
    if (asking === undefined) return end(logout.id, request, context);
    const step = asking.steps.find((each) => each.request_id === requestId);
    const sent = step && (await tell(step, requestId, logout, context));
    if (sent !== undefined && typeof sent !== 'string') return sent;
    logout = await settleLogoutStep(asking, requestId, sent === 'told' ? 'told' : 'failed', request, context);
  }
}

/** Stores the outcome of the participant that was notified. Returns the logout as it is then. */
export async function settleLogoutStep(
  logout: SamlLogout,
  requestId: string,
  outcome: 'told' | 'failed',
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<SamlLogout> {
  const { store, clock } = context;
  const change = (now: SamlLogout) => settledStep(now, requestId, outcome);
  const settled = await store.samlLogouts.change(logout.id, clock.now(), change);
  const step = settled?.steps.find((each) => each.request_id === requestId);
  if (step !== undefined) await noteTold(logout, step, request, context);
  return settled ?? logout;
}

export async function noteTold(
  { username }: SamlLogout,
  { entity_id: sp, outcome }: LogoutStep,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<void> {
  const found = await findEffectiveServiceProvider(context.snapshot, context.store, sp);
  const binding = found && (frontChannelOf(found.serviceProvider) ?? found.serviceProvider.slo[0])?.binding;
  const known = { username, details: { sp, binding: binding ?? null, outcome } };
  const note = new AuditNote();
  if (outcome === 'told') note.succeeded(known);
  else note.refused(refused(samlRefusals.saml_logout_not_confirmed), known);
  await note.write(auditedAs, request, context);
}

/** A page or redirect that leads the browser to the participant, or the outcome of a direct notification. */
async function tell(
  step: LogoutStep,
  requestId: string,
  { id, username }: SamlLogout,
  context: ProtocolContext,
): Promise<Reply | 'told' | 'failed'> {
  const found = await findEffectiveServiceProvider(context.snapshot, context.store, step.entity_id);
  if (found === undefined) return 'failed';
  const { serviceProvider } = found;
  const front = frontChannelOf(serviceProvider);
  const direct = serviceProvider.slo.find(({ binding }) => binding === 'SOAP');
  const address = (front ?? direct)?.url;
  if (address === undefined) return 'failed';
  const right = logoutRequest({ ...head(context), id: requestId, destination: address }, step);
  const root = await hooked(right, context.outputHooks.samlLogoutRequest);
  if (front === undefined) {
    const about = { flows: context.recording?.flows ?? [`logout:${id}` as const], username };
    const { isConfirmed } = await logOutBySoap(root, { serviceProvider, address, about }, context);
    return isConfirmed === true ? 'told' : 'failed';
  }
  const { entity_id, title = entity_id } = serviceProvider;
  const algorithms = signingAlgorithms(context.snapshot.settings.saml, serviceProvider);
  return sendByBrowser(
    {
      parameter: 'SAMLRequest',
      root,
      algorithms,
      address,
      binding: front.binding,
      relayState: undefined,
      recipient: title,
    },
    context,
  );
}

type FrontChannel = LogoutService & { readonly binding: 'HTTP-POST' | 'HTTP-Redirect' };

function frontChannelOf(
  { slo }: Pick<ServiceProvider, 'slo'>,
  preferred?: FrontChannel['binding'],
): FrontChannel | undefined {
  const front = slo.filter((each): each is FrontChannel => each.binding !== 'SOAP');
  return front.find(({ binding }) => binding === preferred) ?? front[0];
}

async function end(id: string, request: ParsedRequest, context: ProtocolContext): Promise<Reply> {
  const { store, clock } = context;
  const now = clock.now();
  const ended = await store.samlLogouts.change(id, now, endedLogout);
  const logout = ended ?? (await store.samlLogouts.recent(now)).find((each) => each.id === id);
  if (logout === undefined) return logoutOutcomePage(undefined, context);
  const { initiator, steps, address, username } = logout;
  const failed = steps.filter(({ outcome }) => outcome === 'failed').length;
  if (ended !== undefined) {
    const note = new AuditNote();
    const participants = steps.map(({ entity_id }) => entity_id);
    note.succeeded({ username, details: { initiator: initiator?.entity_id ?? null, participants, failed } });
    await note.write(auditedAs, request, context);
  }
  if (initiator !== undefined)
    return answerInitiator(initiator, failed === 0 ? success : partialLogout, context, logout);
  if (address !== undefined) return notStored({ status: 302, headers: { Location: address }, body: '' });
  return logoutOutcomePage(logout, context);
}

/**
 * Sends the response to the initiator's `response_url`, by the binding of its request if it has that (SLO-12). A page
 * if it has no address.
 */
export async function answerInitiator(
  { entity_id, request_id, relay_state: relayState, binding }: LogoutInitiator,
  status: SamlStatus,
  context: ProtocolContext,
  logout?: SamlLogout,
): Promise<Reply> {
  const found = await findEffectiveServiceProvider(context.snapshot, context.store, entity_id);
  const service = found && frontChannelOf(found.serviceProvider, binding);
  if (found === undefined || service === undefined) return logoutOutcomePage(logout, context);
  const address = service.response_url ?? service.url;
  const root = logoutResponse({ ...head(context), destination: address }, request_id, status);
  const recipient = found.serviceProvider.title ?? entity_id;
  const algorithms = signingAlgorithms(context.snapshot.settings.saml, found.serviceProvider);
  return sendByBrowser(
    { parameter: 'SAMLResponse', root, algorithms, address, binding: service.binding, relayState, recipient },
    context,
  );
}

function head(context: ProtocolContext) {
  return {
    id: freshIdentifier(context.random),
    at: documentMoment(context.clock.now()),
    entityId: effectiveSamlAddresses(context.snapshot.settings.saml, context).entity_id,
  };
}
