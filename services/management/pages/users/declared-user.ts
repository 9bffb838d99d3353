// The declared user that a path of the web UI names, or the redirect that explains why none exists. Runtime users are
// neither shown, edited nor deleted here (WEB-02, WEB-03).

import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { User } from '#shared/model/configuration/user-entry.ts';
import { type Declared, declaredOr } from '../declared.ts';

export async function declaredUser(request: ParsedRequest, context: ProtocolContext): Promise<Declared<User>> {
  const username = request.pathParameters.username ?? '';
  const user = context.snapshot.users.get(username);
  const known = user ?? (await context.store.identities.findUser(username));
  const code = known === undefined ? 'user_unknown' : 'user_runtime';
  return declaredOr(user, context, { list: '/users', code, name: username });
}
