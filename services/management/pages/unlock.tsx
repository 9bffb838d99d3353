// /management/unlock: proves the management secret once for this browser's session (WEB-21). It is open to all callers,
// since it is the way to unlock. A wrong secret is reported at /login.

import { refuseCrossSite } from '#shared/engine/exchange/cross-site.ts';
import { type Reply, redirect } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { OwnLink } from '#shared/web/pages/components/own-link.tsx';
import { renderMessagePage } from '#shared/web/pages/message-page.tsx';
import { page } from '#shared/web/pages/page-reply.ts';
import { renderUnlockPage } from '#shared/web/pages/unlock-page.tsx';
import { isUnlocked, unlockField, unlockingCookie } from '../management-secret.ts';

export async function unlockPage(_request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  if (!(await isUnlocked(context))) return page(200, renderUnlockPage({ path: context.path }));
  const text = renderMessagePage({
    path: context.path,
    title: 'Writing is unlocked',
    message: 'This browser can already make changes.',
    done: true,
    children: <OwnLink href="/">To the dashboard</OwnLink>,
  });
  return page(200, text);
}

export async function unlock(request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  refuseCrossSite(request, context, 'change');
  if (context.snapshot.managementSecret === undefined) return redirect(context.path('/'));
  const cookie = await unlockingCookie(request.form.first(unlockField) ?? '', context);
  if (cookie === undefined) return redirect(context.path('/login?error=wrong_management_secret'));
  return redirect(context.path('/'), { 'Set-Cookie': cookie });
}
