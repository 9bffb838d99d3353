// The pages of /saml/sso for a browser that has to log in first: the forms, which carry the request, and the page that
// repeats another site's request from here.

import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { initialStep } from '#shared/engine/login/attempt-login.ts';
import { missingAutomaticUser } from '#shared/engine/login/automatic-login.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import type { ShownStep } from '#shared/web/pages/login/login-screens.tsx';
import { loginStepReply } from '#shared/web/pages/login/login-step-reply.ts';
import type { Binding } from '../protocol/bindings.ts';
import type { SamlMessage, VerifiedAuthnRequest } from '../protocol/verified-authn-request.ts';
import { repeatFromHere } from '../repeat-from-own-origin.ts';
import type { AnswerableRequest } from './answer-service-provider.ts';
import { messageDigest, originalVerbField } from './receive-authn-request.ts';
import { requesterSentence } from './requester.tsx';

export const ssoPath = '/saml/sso';
/** Cancels the login (SSO-39). */
export const cancelField = 'cancel';

/** A request of a service provider together with the address for its response. */
export interface RequestToAnswer extends AnswerableRequest {
  readonly received: VerifiedAuthnRequest;
}

/** `name`: the name to fill in (LIN-08, LIN-09). */
export async function askForLogin(
  answerable: RequestToAnswer,
  name: string | undefined,
  context: ProtocolContext,
): Promise<Reply> {
  const { received } = answerable;
  if (received.proof === 'redirect_signature') await rememberRedirect(received, context);
  const message = await missingAutomaticUser(context);
  return showStep({ ...initialStep(context, name), message }, answerable, context);
}

/**
 * The login form is posted without the query's signature, so the verified message is stored for this browser (SAM-28).
 */
async function rememberRedirect({ message }: VerifiedAuthnRequest, context: ProtocolContext): Promise<void> {
  const { browser } = await context.session();
  await context.store.verifiedAuthnRequests.record(browser, messageDigest(message, 'GET'), context.clock.now());
}

export function showStep(
  step: ShownStep,
  { received, acsUrl, serviceProvider }: RequestToAnswer,
  context: ProtocolContext,
) {
  const { message, binding, issuer } = received;
  const hidden = messageFields(message, binding);
  const lead = requesterSentence(serviceProvider?.title ?? issuer, acsUrl);
  const cancel = { action: ssoPath, hidden: [...hidden, [cancelField, '1'] as const] };
  return loginStepReply({ step, action: ssoPath, hidden, lead, cancel }, context);
}

/** The session proved the password, so only the code is required (SPM-19). */
export async function askForCode(
  answerable: RequestToAnswer,
  { username }: User,
  context: ProtocolContext,
): Promise<Reply> {
  const { received } = answerable;
  if (received.proof === 'redirect_signature') await rememberRedirect(received, context);
  const now = context.clock.now();
  const id = context.random.token();
  const { browser } = await context.session();
  const purpose = messageDigest(received.message, received.binding);
  const pending = { id, browser, surface: ssoPath, purpose, username, passwordVerifiedAt: now } as const;
  if ((await context.store.secondFactors.record(pending, now)) === 'full') {
    return askForLogin(answerable, username, context);
  }
  return showStep({ step: 'second_factor', id, username, message: undefined, refused: undefined }, answerable, context);
}

export function repeatRequest(
  { message, binding, issuer }: VerifiedAuthnRequest,
  loginHint: string | undefined,
  { path }: ProtocolContext,
): Reply {
  const query = loginHint === undefined ? '' : `?${new URLSearchParams({ login_hint: loginHint })}`;
  return repeatFromHere('repeat', {
    path,
    action: path(ssoPath + query),
    recipient: issuer ?? '',
    fields: messageFields(message, binding),
  });
}

/** RelayState only if it was sent, because another one would come back (SRE-10). */
function messageFields(
  { samlRequest, relayState }: SamlMessage,
  binding: Binding,
): readonly (readonly [name: string, value: string])[] {
  const carried = relayState === undefined ? [] : [['RelayState', relayState] as const];
  return [['SAMLRequest', samlRequest], ...carried, [originalVerbField, binding]];
}
