// A login for an AuthnRequest: with the form that was posted together with it, or without a page.
import { AuditNote } from '#shared/engine/exchange/audited.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import { attemptLogin } from '#shared/engine/login/attempt-login.ts';
import { keepLogin } from '#shared/engine/login/browser-sessions.ts';
import type { CompletedLogin } from '#shared/engine/login/login-step.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { refused } from '#shared/model/refusals/refusal.ts';
import type { NameIdFormat } from '#shared/protocol/saml/name-formats.ts';
import { noAuthnContext, unknownPrincipal } from '#shared/protocol/saml/status.ts';
import { satisfiedClass } from '../protocol/requested-authn-context.ts';
import { showStep, ssoPath } from './ask-for-login.ts';
import { unmetContext } from './authn-context.ts';
import { messageDigest } from './receive-authn-request.ts';
import { isRequiredUser, reject, type SignOn, userNamed } from './sign-on.ts';
import { rejectDeletedUser, succeed } from './succeed.ts';

interface CompletedFor {
  readonly format: NameIdFormat;
  /** The user that the request names. */
  readonly required: User | undefined;
  readonly isAutomatic?: boolean;
}

const loginAuditedAs = { event_type: 'login', endpoint: ssoPath } as const;

export async function answerPostedLogin(
  signOn: SignOn,
  format: NameIdFormat,
  required: User | undefined,
): Promise<Reply> {
  const { answerable, request, context } = signOn;
  const { message, binding } = answerable.received;
  const purpose = messageDigest(message, binding);
  const step = await attemptLogin(request.form, context, { surface: ssoPath, purpose });
  if (step.step !== 'completed') {
    const { username, refused: failure } = step;
    const loginNote = new AuditNote();
    if (failure !== undefined) loginNote.refused(failure, { username });
    await loginNote.write(loginAuditedAs, request, context);
    return showStep(step, answerable, context);
  }
  return answerCompletedLogin(signOn, step.login, { format, required });
}

/** The response to a login that was just completed, on a page or without one. */
export async function answerCompletedLogin(
  signOn: SignOn,
  completed: CompletedLogin,
  { format, required, isAutomatic = false }: CompletedFor,
): Promise<Reply> {
  const { requiredContext, request, context, note } = signOn;
  const { username, method, authenticatedAt, claims } = completed;
  const user = await userNamed(username, context);
  if (user === undefined) return rejectDeletedUser(username, {}, context, note);
  // The login has a separate audit entry beside that of the request (AUD-23).
  const loginNote = new AuditNote();
  // The session is stored before the response is built.
  const details = isAutomatic ? { details: { auto_login: true } } : {};
  loginNote.succeeded({ username, ...details }, { done: true });
  note.joinedBy(loginNote, loginAuditedAs, request, context);
  const { cookie, sid } = await keepLogin(completed, request, context);
  const login = { username, method, at: authenticatedAt, sid, claims };
  const headers = { 'Set-Cookie': cookie };
  if (!isRequiredUser(user, required)) {
    const rejection = { status: unknownPrincipal, refused: refused(samlRefusals.subject_is_another_user) };
    return reject(signOn, rejection, headers);
  }
  const contextClass = requiredContext && satisfiedClass(requiredContext, method, context.snapshot.settings);
  if (requiredContext !== undefined && contextClass === undefined) {
    return reject(signOn, { status: noAuthnContext, refused: unmetContext(requiredContext) }, headers);
  }
  return succeed(signOn, { user, login, format, contextClass }, headers);
}
