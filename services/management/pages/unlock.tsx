// /management/unlock: proves the management secret once for this browser's session (WEB-21). Open to everybody, since it
// is the door itself; a wrong secret says so at /login.
import { type Reply, redirect } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { renderMessagePage } from '#shared/pages/message-page.tsx';
import { page } from '#shared/pages/page-reply.ts';
import { renderUnlockPage } from '#shared/pages/unlock-page.tsx';
import { refuseCrossSite } from '../gates.ts';
import { isManagementSecret, isUnlocked, unlockMark } from '../management-secret.ts';

export async function unlockPage(_request: ParsedRequest, context: RequestContext): Promise<Reply> {
  if (!(await isUnlocked(context))) return page(200, renderUnlockPage());
  const text = renderMessagePage({
    title: 'Writing is open',
    message: 'There is nothing to unlock for this browser.',
    done: true,
    children: <a href="/">To the dashboard</a>,
  });
  return page(200, text);
}

export async function unlock(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  refuseCrossSite(request, context);
  const secret = context.snapshot.managementSecret;
  if (secret === undefined) return redirect('/');
  if (!isManagementSecret(request.form.first('management_secret') ?? '', secret)) {
    return redirect('/login?error=wrong_management_secret');
  }
  const session = await context.session();
  return redirect('/', { 'Set-Cookie': session.cookie({ unlocked: unlockMark(secret) }) });
}
