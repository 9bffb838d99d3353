// The last replies of a sign-on: the assertion of the logged-in user, or a page because that user was deleted.

import type { AuditNote } from '#shared/engine/exchange/audited.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { userOfLogin } from '#shared/model/configuration/login-claims.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { refused } from '#shared/model/refusals/refusal.ts';
import { takesOwnValue } from '#shared/model/saml-rules/name-id.ts';
import { withoutAddressSecrets } from '#shared/model/secrets/what-is-secret.ts';
import { invalidNameIdPolicy } from '#shared/protocol/saml/status.ts';
import { renderMessagePage } from '#shared/web/pages/message-page.tsx';
import { page } from '#shared/web/pages/page-reply.ts';
import { nameIdValueOf } from '../registered-service-provider.ts';
import { answerWithLogin, type Granted, type Headers } from './answer-service-provider.ts';
import { type AnswerableSignOn, reject } from './sign-on.ts';

export async function succeed(
  signOn: AnswerableSignOn,
  loggedIn: Pick<Granted, 'user' | 'login' | 'format' | 'contextClass'>,
  headers: Headers = {},
): Promise<Reply> {
  const { answerable, context, note } = signOn;
  const { received, acsUrl, serviceProvider } = answerable;
  const user = userOfLogin({ user: loggedIn.user, login: loggedIn.login.claims });
  const granted = { ...loggedIn, user };
  const { username } = user;
  const source = serviceProvider?.name_id_from;
  const isOwn = source !== undefined && takesOwnValue(granted.format);
  const person = { user: granted.user, login: granted.login.claims };
  const ownNameId = isOwn ? nameIdValueOf(person, source, context) : undefined;
  if (isOwn && ownNameId === undefined) {
    const rejection = { status: invalidNameIdPolicy, refused: refused(samlRefusals.name_id_source_empty, { source }) };
    return reject(signOn, rejection, headers, { username });
  }
  const own = serviceProvider?.audiences ?? [];
  const audiences = own.length > 0 ? own : [received.issuer ?? context.snapshot.settings.oauth.audience];
  const audience = audiences.length > 1 ? audiences : audiences[0];
  const reply = await answerWithLogin(answerable, { ...granted, audiences, ownNameId }, context, headers);
  note.succeeded({
    username,
    details: { acs_url: withoutAddressSecrets(acsUrl), sp_issuer: received.issuer ?? null, audience },
  });
  return reply;
}

/** The user of the session, or of the login that was just posted, was deleted. */
export function rejectDeletedUser(
  username: string,
  headers: Headers,
  context: ProtocolContext,
  note: AuditNote,
): Reply {
  note.refused(refused(samlRefusals.saml_session_user_gone), { username });
  const text = renderMessagePage({
    path: context.path,
    status: 401,
    requestId: context.recording?.requestId,
    title: 'The session has ended',
    message: 'Your user no longer exists. Go back to the application and log in again.',
  });
  return page(401, text, headers);
}
