// A login form that was posted together with the AuthnRequest.
import { AuditNote } from '#shared/engine/exchange/audited.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import { attemptLogin } from '#shared/engine/login/attempt-login.ts';
import { keepLogin } from '#shared/engine/login/browser-sessions.ts';
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

const loginAuditedAs = { event_type: 'login', endpoint: ssoPath } as const;

export async function answerPostedLogin(
  signOn: SignOn,
  format: NameIdFormat,
  required: User | undefined,
): Promise<Reply> {
  const { answerable, requiredContext, request, context, note } = signOn;
  const { message, binding } = answerable.received;
  const purpose = messageDigest(message, binding);
  const step = await attemptLogin(request.form, context, { surface: ssoPath, purpose });
  // The login has a separate audit entry beside that of the request (AUD-23).
  const loginNote = new AuditNote();
  if (step.step !== 'completed') {
    const { username, refused: failure } = step;
    if (failure !== undefined) loginNote.refused(failure, { username });
    await loginNote.write(loginAuditedAs, request, context);
    return showStep(step, answerable, context);
  }
  const { username, method, authenticatedAt, claims } = step.login;
  const user = await userNamed(username, context);
  if (user === undefined) return rejectDeletedUser(username, {}, context, note);
  // The session is stored before the response is built.
  loginNote.succeeded({ username }, { done: true });
  note.joinedBy(loginNote, loginAuditedAs, request, context);
  const { cookie, sid } = await keepLogin(step.login, request, context);
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
