// The only password check of the product: the login surfaces and the password grant use it (LOG-02, LOG-10, CFG-46 to
// CFG-49, LIN-10). It does not handle second factors and modes.

import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { isBcryptHash } from '#shared/protocol/bcrypt-hash.ts';
import { secretsEqual } from '#shared/protocol/secrets-equal.ts';
import { matchesHash } from './hashed-passwords/compare-hash.ts';

/**
 * Whether `password`, exactly as typed, is the user's. Always false for a user without a password.
 * @throws ClientGoneError when the client disconnects before a hash was compared
 */
export async function checkPassword(
  user: User,
  password: string,
  { snapshot, log, disconnected }: Pick<ProtocolContext, 'snapshot' | 'log' | 'disconnected'>,
): Promise<boolean> {
  const stored = user.password;
  if (stored === undefined) return false;
  if (isBcryptHash(stored)) return matchesHash(password, stored, disconnected());
  if (!snapshot.rules.passwordHashing) return secretsEqual(password, stored);
  const { logging, session } = snapshot.settings;
  const who = logging.verbose_logging ? { username: user.username } : {};
  if (session.enforce_password_check) {
    log.warn(who, 'the stored password is not a bcrypt hash, so it never matches');
    return false;
  }
  log.warn(who, 'the stored password is not a bcrypt hash, so it is compared as plain text');
  return secretsEqual(password, stored);
}
