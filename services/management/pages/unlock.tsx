// /management/unlock: proves the management secret once for this browser's session (WEB-21). Open to everybody, since it
// is the door itself; a wrong secret says so at /login.
import { type Reply, redirect } from '#shared/http/reply.ts';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { Button } from '#shared/pages/components/button.tsx';
import { Field } from '#shared/pages/components/field.tsx';
import { renderLoginPage } from '#shared/pages/login-page.tsx';
import { page } from '#shared/pages/page-reply.ts';
import { refuseCrossSite } from '../gates.ts';
import { isManagementSecret, isUnlocked, unlockMark } from '../management-secret.ts';

export async function unlockPage(_request: ParsedRequest, context: RequestContext): Promise<Reply> {
  const open = await isUnlocked(context);
  const text = renderLoginPage({
    title: 'Unlock writing',
    heading: 'Unlock writing',
    lead: open
      ? 'Writing is open for this browser: there is nothing to unlock.'
      : 'Looking is free. To change users, clients, keys or settings, this browser needs the management secret once.',
    children: open ? <a href="/">To the dashboard</a> : <UnlockForm />,
    below: (
      <p class="below">
        <a href="/">Back to the dashboard</a>
      </p>
    ),
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

function UnlockForm() {
  return (
    <form method="post" action="/management/unlock" class="form">
      <Field
        name="management_secret"
        type="password"
        label="Management secret"
        hint="The key management_secret of settings.yaml, or IDP_MANAGEMENT_SECRET."
        autoComplete="off"
        required
        autoFocus
      />
      <Button wide>Unlock</Button>
    </form>
  );
}
