// The state of one request to /saml/sso: the received message, where its response goes, and the class that it requires.
import type { AuditNote } from '#shared/engine/exchange/audited.ts';
import type { Reply } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveUser } from '#shared/engine/identities/effective-identities.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import type { Refused } from '#shared/model/refusals/refusal.ts';
import type { SamlStatus } from '#shared/protocol/saml/status.ts';
import type { RequestedAuthnContext } from '../protocol/requested-authn-context.ts';
import { type AnswerableRequest, answerWithError, type Headers } from './answer-service-provider.ts';
import type { RequestToAnswer } from './ask-for-login.ts';

/** A sign-on that is answered: from an AuthnRequest, or IdP-initiated. */
export interface AnswerableSignOn {
  readonly answerable: AnswerableRequest;
  readonly context: ProtocolContext;
  readonly note: AuditNote;
}

export interface SignOn extends AnswerableSignOn {
  readonly answerable: RequestToAnswer;
  /** The login form was posted with the AuthnRequest. */
  readonly isLogin: boolean;
  /** Only a registered service provider can require a class (SAM-23). */
  readonly requiredContext: RequestedAuthnContext | undefined;
  readonly request: ParsedRequest;
}

/** An error that the service provider receives as a Response. */
export interface SamlRejection {
  readonly status: SamlStatus;
  readonly refused: Refused;
}

/** Sends the error to the service provider, and audits it. */
export function reject(
  { answerable, context, note }: AnswerableSignOn,
  { status, refused }: SamlRejection,
  headers: Headers = {},
  audited: { readonly username?: string } = {},
): Promise<Reply> {
  note.refused(refused, audited);
  return answerWithError(answerable, { ...status, message: refused.message }, context, headers);
}

export async function userNamed(username: string, { snapshot, store }: ProtocolContext): Promise<User | undefined> {
  return (await findEffectiveUser(snapshot, store, username))?.user;
}

/** `required`: the user that the Subject of the request names. */
export function isRequiredUser(user: User | undefined, required: User | undefined): boolean {
  return required === undefined || user?.username === required.username;
}
