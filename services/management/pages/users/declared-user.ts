// The declared user that a path of the web UI names, or the redirect that says why there is none: runtime users are
// neither shown, edited nor deleted here (WEB-02, WEB-03).
import type { User } from '#shared/configuration/model/user-entry.ts';
import { type Reply, redirect } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { withNotice } from '../notices.ts';

type DeclaredUser =
  | { readonly user: User; readonly elsewhere: undefined }
  | { readonly user: undefined; readonly elsewhere: Reply };

export async function declaredUser(request: ParsedRequest, context: RequestContext): Promise<DeclaredUser> {
  const username = request.pathParameters.username ?? '';
  const user = context.snapshot.users.get(username);
  if (user !== undefined) return { user, elsewhere: undefined };
  const runtime = await context.store.identities.findUser(username);
  const code = runtime === undefined ? 'user_unknown' : 'user_runtime';
  return { user: undefined, elsewhere: redirect(context.path(withNotice('/users', code, username))) };
}
