/**
 * Modular crypt format of bcrypt: revision, cost from 04 to 31 (the only valid ones), 22 characters of salt and 31 of
 * hash.
 */
const bcryptHash = /^\$2[aby]\$(?:0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;

/** Whether a stored password is checked as a hash, in every profile (CFG-48, LIN-10). */
export function isBcryptHash(stored: string): boolean {
  return bcryptHash.test(stored);
}
