import { addressMadeOf, type User } from '#shared/model/configuration/user-entry.ts';

/** The user's e-mail address, or one derived from the name (SAM-36). Identical to the one in the store's index. */
export function addressOf(user: User): string {
  return user.email === '' ? addressMadeOf(user.username) : user.email;
}
