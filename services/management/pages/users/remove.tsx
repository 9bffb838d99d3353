// /users/<username>/delete: the confirmation and the removal from users.yaml (WEB-03).
import type { User } from '#shared/model/configuration/user-entry.ts';
import { removal } from '../removal.tsx';
import { declaredUser } from './declared-user.ts';
import { userPath } from './list.tsx';

export const { page: deleteUserPage, remove: deleteUser } = removal<User>({
  noun: 'user',
  file: 'users',
  list: '/users',
  removed: 'user_deleted',
  declared: declaredUser,
  nameOf: ({ username }) => username,
  changeOf: (username) => ({ kind: 'delete_user', username }),
  consequence: () =>
    'This removes the entry from users.yaml. Tokens that were already issued stay valid until they expire.',
  action: (username) => userPath(username, 'delete'),
  back: (username) => userPath(username),
});
