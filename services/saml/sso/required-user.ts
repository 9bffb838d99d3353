import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { textOf } from '#shared/protocol/saml/xml-element.ts';
import { decryptedNameId } from '../encryption/decrypted-name-id.ts';
import { findUserByNameId } from '../find-user-by-name-id.ts';
import type { VerifiedAuthnRequest } from '../protocol/verified-authn-request.ts';

/**
 * The user that the request's Subject names. The assertion must not be about another user (SAML profiles §4.1.4.1).
 * undefined: the request names no user, so that any user may log in.
 */
export async function requiredUser(
  { subject, issuer }: VerifiedAuthnRequest,
  context: ProtocolContext,
): Promise<User | 'unknown' | undefined> {
  if (subject === undefined) return undefined;
  const decrypted = await decryptedNameId(subject.encrypted, context);
  const nameId = subject.nameId ?? (decrypted && textOf(decrypted).trim());
  const user = nameId === undefined ? undefined : await findUserByNameId(nameId, issuer, context);
  return user ?? 'unknown';
}
