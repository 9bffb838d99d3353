// /users/<username>/delete: the question and the removal from users.yaml (WEB-03).
import { type Reply, redirect } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { formRevision, type Refusal, save, savedNotice } from '../answer-save.tsx';
import { confirmPage } from '../confirm.tsx';
import { withNotice } from '../notices.ts';
import { declaredUser } from './declared-user.ts';
import { userPath } from './list.tsx';

export async function deleteUserPage(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { user, elsewhere } = await declaredUser(request, context);
  return user === undefined ? elsewhere : ask(request, context, user.username);
}

export async function deleteUser(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const { user, elsewhere } = await declaredUser(request, context);
  if (user === undefined) return elsewhere;
  const { username } = user;
  const result = await save(request, context, 'users', [{ kind: 'delete_user', username }]);
  if (!result.saved) return ask(request, context, username, result);
  return redirect(context.path(withNotice('/users', savedNotice(result, 'user_deleted'), username)));
}

function ask(request: ParsedRequest, context: RequestContext, username: string, refusal?: Refusal): Promise<Reply> {
  return confirmPage(request, context, {
    title: 'Delete user',
    question: (
      <>
        Delete <bdi>{username}</bdi>?
      </>
    ),
    consequence: 'The entry is removed from users.yaml. Tokens issued before stay valid until they expire.',
    action: userPath(username, 'delete'),
    verb: 'Delete user',
    back: userPath(username),
    section: '/users',
    revision: formRevision(request, context, 'users'),
    refusal,
  });
}
