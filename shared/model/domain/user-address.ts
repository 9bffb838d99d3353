import { addressMadeOf, type User } from '#shared/model/configuration/user-entry.ts';

/** The user's e-mail address, or one made of the name for a user without (SAM-36). As the index of the store has it. */
export function addressOf(user: User): string {
  return user.email === '' ? addressMadeOf(user.username) : user.email;
}
