// GET and POST /saml/sso: single sign-on in both bindings (section SAM). In order: receive the request, find the
// address for the response, check the request, then respond by the browser's session or posted login.

import { type AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { refuseCrossSite } from '#shared/engine/exchange/cross-site.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { pageOf } from '#shared/engine/exchange/route.ts';
import { loginFields } from '#shared/engine/login/attempt-login.ts';
import { automaticUser } from '#shared/engine/login/automatic-login.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { refused } from '#shared/model/refusals/refusal.ts';
import { unknownPrincipal } from '#shared/protocol/saml/status.ts';
import type { VerifiedAuthnRequest } from '../protocol/verified-authn-request.ts';
import { isFromAnotherSite } from '../repeat-from-own-origin.ts';
import { acsUrlOf } from './acs-url.ts';
import { answerAutomaticLogin, answerByLogin } from './answer-by-login.ts';
import { cancelField, repeatRequest, ssoPath } from './ask-for-login.ts';
import { checkSignOn } from './check-sign-on.ts';
import { receiveAuthnRequest } from './receive-authn-request.ts';
import { requiredUser } from './required-user.ts';
import { reject, type SignOn } from './sign-on.ts';
import { SsoRefusedError } from './sso-refused.ts';

const auditedAs = { event_type: 'saml_request', endpoint: ssoPath } as const;

export const sso = audited(auditedAs, async (request, context, note) => {
  const isLogin = request.method === 'POST' && [...loginFields, cancelField].some((name) => request.form.has(name));
  if (isLogin) refuseCrossSite(request, context, 'login_for_application');
  try {
    return await signOnWith(await receiveSignOn(isLogin, request, context, note));
  } catch (error) {
    if (!(error instanceof SsoRefusedError)) throw error;
    note.refused(error);
    throw pageOf('saml_request', error);
  }
});

/** @throws SsoRefusedError when there is no address that a response may go to */
async function receiveSignOn(
  isLogin: boolean,
  request: ParsedRequest,
  context: ProtocolContext,
  note: AuditNote,
): Promise<SignOn> {
  const { received, serviceProvider } = await receiveAuthnRequest(request, context);
  logRequest(received, context);
  const acsUrl = acsUrlOf(received, serviceProvider, context);
  const requiredContext = serviceProvider === undefined ? undefined : received.authnContext;
  return { answerable: { received, acsUrl, serviceProvider }, isLogin, requiredContext, request, context, note };
}

async function signOnWith(signOn: SignOn): Promise<Reply> {
  const { answerable, isLogin, request, context } = signOn;
  const rejection = checkSignOn(signOn);
  if (rejection !== undefined) return reject(signOn, rejection);
  const required = await requiredUser(answerable.received, context);
  if (required === 'unknown') {
    return reject(signOn, { status: unknownPrincipal, refused: refused(samlRefusals.subject_unknown) });
  }
  const automatic = await automaticUserOf(signOn, required);
  if (automatic !== undefined) return answerAutomaticLogin(signOn, automatic, required);
  const session = await context.session();
  if (!isLogin && !session.presented && isFromAnotherSite(request, context)) {
    return repeatRequest(answerable.received, request.query.value('login_hint'), context);
  }
  return answerByLogin(signOn, required);
}

/** The user of a login without a page (LIN-01, LIN-02). undefined: a page is needed, or credentials were posted. */
async function automaticUserOf(
  { isLogin, request, context }: SignOn,
  required: User | undefined,
): Promise<string | undefined> {
  if (isLogin || context.snapshot.settings.login.auto_login_user === undefined) return undefined;
  return required?.username ?? (await automaticUser(request.query.value('login_hint'), context));
}

function logRequest({ issuer, binding, id, violations }: VerifiedAuthnRequest, context: ProtocolContext): void {
  if (violations.length > 0) {
    context.log.warn(
      { requestId: context.requestId, violations },
      'other identity providers may reject this AuthnRequest',
    );
  }
  const { logging } = context.snapshot.settings;
  if (!logging.log_saml_requests) return;
  const who = logging.verbose_logging ? { issuer, id } : {};
  context.log.info({ binding, ...who }, 'SAML request');
}
