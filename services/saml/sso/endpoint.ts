// GET and POST /saml/sso: single sign-on in both bindings (section SAM). Reads top-down: receive the request, find where
// its answer goes, see whether it can be answered without a login, take a login one step further, answer.

import { AuditNote, audited } from '#shared/engine/exchange/audited.ts';
import { refuseCrossSite } from '#shared/engine/exchange/cross-site.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/engine/exchange/request.ts';
import { pageOf } from '#shared/engine/exchange/route.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import { attemptLogin, loginFields } from '#shared/engine/login/attempt-login.ts';
import { areSessionsOn, currentLogin, keepLogin } from '#shared/engine/login/browser-sessions.ts';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { strongestMethod } from '#shared/model/domain/authentication-context.ts';
import type { AuthenticationMethod } from '#shared/model/domain/authorization-request.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { type Refused, refused } from '#shared/model/refusals/refusal.ts';
import { formatFor, takesOwnValue } from '#shared/model/saml-rules/name-id.ts';
import { withoutAddressSecrets } from '#shared/model/secrets/what-is-secret.ts';
import { namesHost } from '#shared/protocol/oauth2/unrepaired-uri.ts';
import type { NameIdFormat } from '#shared/protocol/saml/name-formats.ts';
import {
  authnFailed,
  invalidNameIdPolicy,
  noAuthnContext,
  noPassive,
  requestUnsupported,
  type SamlStatus,
  unknownPrincipal,
  unsupportedBinding,
} from '#shared/protocol/saml/status.ts';
import { httpPostBinding } from '#shared/protocol/saml/vocabulary.ts';
import { textOf } from '#shared/protocol/saml/xml-element.ts';
import { renderMessagePage } from '#shared/web/pages/message-page.tsx';
import { page } from '#shared/web/pages/page-reply.ts';
import { decryptedNameId } from '../encryption/decrypted-name-id.ts';
import { findPrincipal } from '../find-principal.ts';
import { selectedService } from '../protocol/attributes.ts';
import { type RequestedAuthnContext, satisfiedClass } from '../protocol/requested-authn-context.ts';
import type { VerifiedAuthnRequest } from '../protocol/verified-authn-request.ts';
import { nameAtSource, registeredAcsUrl } from '../registered-service-provider.ts';
import { isFromAnotherSite } from '../repeat-from-own-origin.ts';
import { answerWithError, answerWithLogin, type Granted } from './answer-service-provider.ts';
import {
  askForCode,
  askForLogin,
  cancelField,
  type RequestToAnswer,
  repeatRequest,
  showStep,
  ssoPath,
} from './ask-for-login.ts';
import { messageDigest, receiveAuthnRequest } from './receive-authn-request.ts';
import { SsoRefusedError, ssoRefused } from './sso-refused.ts';

type Headers = Readonly<Record<string, string | readonly string[]>>;

const auditedAs = { event_type: 'saml_request', endpoint: ssoPath } as const;
const loginAuditedAs = { event_type: 'login', endpoint: ssoPath } as const;

/** What a person types or chooses: the name of the second factor that is due stands in the form by itself. */
const credentials = loginFields.filter((name) => name !== 'pending_second_factor');

export const sso = audited(auditedAs, async (request, context, note) => {
  const isLogin = request.method === 'POST' && [...loginFields, cancelField].some((name) => request.form.has(name));
  if (isLogin) refuseCrossSite(request, context, 'login_for_application');
  try {
    const { received, serviceProvider } = await receiveAuthnRequest(request, context);
    logRequest(received, context);
    const acsUrl = acsUrlOf(received, serviceProvider, context);
    const answerable: RequestToAnswer = { received, acsUrl, serviceProvider };
    return await proceed(answerable, isLogin, request, context, note);
  } catch (error) {
    if (!(error instanceof SsoRefusedError)) throw error;
    note.refused(error);
    throw pageOf('saml_request', error);
  }
});

async function proceed(
  answerable: RequestToAnswer,
  isLogin: boolean,
  request: ParsedRequest,
  context: RequestContext,
  note: AuditNote,
): Promise<Reply> {
  const { received, serviceProvider } = answerable;
  const fail = (status: SamlStatus, refusal: Refused, headers: Headers = {}) => {
    note.refused(refusal);
    return answerWithError(answerable, status, context, headers);
  };
  if (received.protocolBinding !== undefined && received.protocolBinding !== httpPostBinding) {
    return fail(unsupportedBinding, refused(samlRefusals.protocol_binding_not_supported));
  }
  const format = formatFor(received.nameIdFormat, serviceProvider?.name_id_format);
  if (format === undefined) {
    const sent = received.nameIdFormat;
    return fail(invalidNameIdPolicy, refused(samlRefusals.name_id_policy_not_supported, { sent }));
  }
  if (asksForAnotherNamespace(received)) {
    return fail(invalidNameIdPolicy, refused(samlRefusals.name_qualifier_of_another_provider));
  }
  const services = serviceProvider?.attribute_services ?? [];
  if (serviceProvider !== undefined && selectedService(services, received.attributeServiceIndex) === undefined) {
    const sent = received.attributeServiceIndex;
    return fail(requestUnsupported, refused(samlRefusals.attribute_service_index_unknown, { sent }));
  }
  // Its form carries no credentials: programs that fill in forms send the buttons along (LOG-06).
  const isCancelled = isLogin && request.form.has(cancelField) && !credentials.some((name) => request.form.has(name));
  if (isCancelled) return fail(authnFailed, refused(samlRefusals.saml_login_cancelled));
  // Of one that is not registered it never counted (SAM-23).
  const asked = serviceProvider === undefined ? undefined : received.authnContext;
  const unmet = refused(samlRefusals.authn_context_unmet, { sent: asked?.classes ?? [] });
  if (asked !== undefined && !isReachable(asked, reachableMethods(context), context))
    return fail(noAuthnContext, unmet);
  const wanted = await wantedUser(received, context);
  if (wanted === 'unknown') return fail(unknownPrincipal, refused(samlRefusals.subject_unknown));

  const session = await context.session();
  if (!isLogin && !session.presented && isFromAnotherSite(request, context)) return repeatRequest(received, context);

  const login = await currentLogin(context, wanted?.username);
  const present = login && (await userNamed(login.username, context));
  const ended: Headers =
    login !== undefined && present === undefined ? { 'Set-Cookie': session.cookie({ login: undefined }) } : {};
  const user = isWanted(present, wanted) ? present : undefined;
  if (received.isPassive && (received.forceAuthn || user === undefined)) {
    return fail(noPassive, refused(samlRefusals.no_passive), ended);
  }
  // A passive request is never answered by a page for the user, whatever else was posted with it.
  if (isLogin && !received.isPassive) return attempt(answerable, { format, wanted, asked }, request, context, note);
  if (login === undefined || received.forceAuthn) return askForLogin(answerable, context);
  if (present === undefined) return refuseVanishedUser(login.username, ended, context, note);
  if (user === undefined) return askForLogin(answerable, context);
  if (asked === undefined) return succeed(answerable, { user, login, format }, context, note);
  const { settings } = context.snapshot;
  const contextClass = satisfiedClass(asked, login.method, settings);
  if (contextClass !== undefined) return succeed(answerable, { user, login, format, contextClass }, context, note);
  const strongest = strongestMethod(settings, user);
  if (!isReachable(asked, [strongest], context)) return fail(noAuthnContext, unmet);
  if (received.isPassive) return fail(noPassive, refused(samlRefusals.no_passive));
  const raises = areSessionsOn(context) && login.method === 'password' && strongest === 'password+totp';
  return raises ? askForCode(answerable, user, context) : askForLogin(answerable, context);
}

function isReachable(
  asked: RequestedAuthnContext,
  methods: readonly AuthenticationMethod[],
  { snapshot }: RequestContext,
): boolean {
  return methods.some((method) => satisfiedClass(asked, method, snapshot.settings) !== undefined);
}

/** How anybody at all may log in now. */
function reachableMethods({ snapshot }: RequestContext): readonly AuthenticationMethod[] {
  const strongest = strongestMethod(snapshot.settings);
  return strongest === 'persona' ? ['persona'] : [...new Set(['password', strongest] as const)];
}

/** Affiliations and other providers are not known here: only the requester's own namespace is (SAML core §3.4.1.1). */
function asksForAnotherNamespace({ spNameQualifier, issuer }: VerifiedAuthnRequest): boolean {
  return spNameQualifier !== undefined && spNameQualifier !== issuer;
}

/**
 * Whom the request's Subject names: then no assertion may be about anybody else (SAML profiles §4.1.4.1). undefined: it
 * names nobody, and whoever logs in will do.
 */
async function wantedUser(
  { subject, issuer }: VerifiedAuthnRequest,
  context: RequestContext,
): Promise<User | 'unknown' | undefined> {
  if (subject === undefined) return undefined;
  const inside = await decryptedNameId(subject.encrypted, context);
  const nameId = subject.nameId ?? (inside && textOf(inside).trim());
  const user = nameId === undefined ? undefined : await findPrincipal(nameId, issuer, context);
  return user ?? 'unknown';
}

function isWanted(user: User | undefined, wanted: User | undefined): boolean {
  return wanted === undefined || user?.username === wanted.username;
}

/** The request's own address, which needs no registration, else the configured one (SAM-20, SAM-21). */
function acsUrlOf(
  received: VerifiedAuthnRequest,
  serviceProvider: ServiceProvider | undefined,
  context: RequestContext,
): string {
  if (serviceProvider !== undefined) return registeredAcsUrl(serviceProvider, received);
  const acsUrl = received.acsUrl ?? context.snapshot.settings.saml.default_acs_url;
  if (acsUrl === '') {
    throw ssoRefused(samlRefusals.assertion_consumer_service_missing);
  }
  if (!namesHost(acsUrl) || !URL.canParse(acsUrl)) {
    throw ssoRefused(samlRefusals.assertion_consumer_service_wrong);
  }
  return acsUrl;
}

async function attempt(
  answerable: RequestToAnswer,
  {
    format,
    wanted,
    asked,
  }: {
    readonly format: NameIdFormat;
    readonly wanted: User | undefined;
    readonly asked: RequestedAuthnContext | undefined;
  },
  request: ParsedRequest,
  context: RequestContext,
  note: AuditNote,
): Promise<Reply> {
  const { message, binding } = answerable.received;
  const purpose = messageDigest(message, binding);
  const step = await attemptLogin(request.form, context, { surface: ssoPath, purpose });
  // The login has an entry of its own beside that of the request (AUD-23).
  const loginNote = new AuditNote();
  if (step.step !== 'completed') {
    const { username, refused: failure } = step;
    if (failure !== undefined) loginNote.refused(failure, { username });
    await loginNote.write(loginAuditedAs, request, context);
    return showStep(step, answerable, context);
  }
  const { username, method, authenticatedAt, claims } = step.login;
  const user = await userNamed(username, context);
  if (user === undefined) return refuseVanishedUser(username, {}, context, note);
  // Its session stands before there is an answer.
  loginNote.succeeded({ username }, { done: true });
  note.joinedBy(loginNote, loginAuditedAs, request, context);
  const { cookie, sid } = await keepLogin(step.login, request, context);
  const login = { username, method, at: authenticatedAt, sid, claims };
  const headers = { 'Set-Cookie': cookie };
  if (!isWanted(user, wanted)) {
    note.refused(refused(samlRefusals.subject_is_another_user));
    return answerWithError(answerable, unknownPrincipal, context, headers);
  }
  const contextClass = asked && satisfiedClass(asked, method, context.snapshot.settings);
  if (asked !== undefined && contextClass === undefined) {
    note.refused(refused(samlRefusals.authn_context_unmet, { sent: asked.classes }));
    return answerWithError(answerable, noAuthnContext, context, headers);
  }
  return succeed(answerable, { user, login, format, contextClass }, context, note, headers);
}

async function succeed(
  answerable: RequestToAnswer,
  granted: Pick<Granted, 'user' | 'login' | 'format' | 'contextClass'>,
  context: RequestContext,
  note: AuditNote,
  headers: Headers = {},
): Promise<Reply> {
  const { received, acsUrl, serviceProvider } = answerable;
  const source = serviceProvider?.name_id_from;
  const isOwn = source !== undefined && takesOwnValue(granted.format);
  const person = { user: granted.user, login: granted.login.claims };
  const ownNameId = isOwn ? nameAtSource(person, source, context) : undefined;
  if (isOwn && ownNameId === undefined) {
    note.refused(refused(samlRefusals.name_id_source_empty, { source }), { username: granted.user.username });
    return answerWithError(answerable, invalidNameIdPolicy, context, headers);
  }
  const audience = received.issuer ?? context.snapshot.settings.oauth.audience;
  const reply = await answerWithLogin(answerable, { ...granted, audience, ownNameId }, context, headers);
  note.succeeded({
    username: granted.user.username,
    details: { acs_url: withoutAddressSecrets(acsUrl), sp_issuer: received.issuer ?? null, audience },
  });
  return reply;
}

function refuseVanishedUser(username: string, headers: Headers, context: RequestContext, note: AuditNote): Reply {
  note.refused(refused(samlRefusals.saml_session_user_gone), { username });
  const text = renderMessagePage({
    path: context.path,
    status: 401,
    requestId: context.recording?.requestId,
    title: 'The session has ended',
    message: 'The user who was logged in no longer exists. Go back to the application and log in again.',
  });
  return page(401, text, headers);
}

async function userNamed(username: string, { snapshot, store }: RequestContext): Promise<User | undefined> {
  return (await findEffectiveUser(snapshot, store, username))?.user;
}

function logRequest({ issuer, binding, id, violations }: VerifiedAuthnRequest, context: RequestContext): void {
  if (violations.length > 0) {
    context.log.warn({ requestId: context.requestId, violations }, 'this AuthnRequest may be refused elsewhere');
  }
  const { logging } = context.snapshot.settings;
  if (!logging.log_saml_requests) return;
  const who = logging.verbose_logging ? { issuer, id } : {};
  context.log.info({ binding, ...who }, 'SAML request');
}
