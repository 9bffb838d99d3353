// GET and POST /login: the session of the web UI and of SAML (LOG-04, LOG-29). /authorize and /device ask for their own
// login and never come here.
import { isCrossSiteWrite } from '#shared/http/cross-site.ts';
import { type Reply, redirect } from '#shared/http/reply.ts';
import { auditEvent, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import { PageError, type Route } from '#shared/http/route.ts';
import { attemptLogin, initialStep } from '#shared/login/attempt-login.ts';
import { loginErrorAddress, loginErrorCode, loginErrorText } from '#shared/login/login-errors.ts';
import type { CompletedLogin } from '#shared/login/login-step.ts';
import { loginStepReply } from '#shared/login/login-step-reply.ts';

export const loginRoutes: readonly Route[] = [
  { path: '/login', surface: 'page', methods: { GET: getLogin, POST: postLogin } },
];

const screen = { action: '/login', hidden: [] } as const;

async function getLogin({ query }: ParsedRequest, context: RequestContext): Promise<Reply> {
  const message = loginErrorText(query.value('error'));
  return loginStepReply({ ...screen, step: { ...initialStep(context), message } }, context);
}

async function postLogin(request: ParsedRequest, context: RequestContext): Promise<Reply> {
  if (isCrossSiteWrite(request, context)) {
    throw new PageError(403, 'Refused', 'This login was sent by a page of another site.');
  }
  const step = await attemptLogin(request.form, context, { surface: '/login', purpose: '' });
  if (step.step === 'completed') {
    await recordLogin(step.login.username, undefined, request, context);
    return openSession(step.login, context);
  }
  if (step.reason !== undefined) await recordLogin(step.username, step.reason, request, context);
  const error = loginErrorCode(step);
  return error === undefined ? loginStepReply({ ...screen, step }, context) : redirect(loginErrorAddress(error));
}

async function openSession({ username, method, authenticatedAt }: CompletedLogin, context: RequestContext) {
  const session = await context.session();
  const login = { username, method, at: authenticatedAt, id: context.random.token(16) };
  return redirect('/', { 'Set-Cookie': session.cookie({ login }) });
}

function recordLogin(
  username: string | undefined,
  failure: string | undefined,
  request: ParsedRequest,
  context: RequestContext,
): Promise<void> {
  return context.audit.record(
    auditEvent(request, context, {
      event_type: 'login',
      endpoint: '/login',
      status: failure === undefined ? 'success' : 'failed',
      username,
      details: failure === undefined ? {} : { reason: failure },
    }),
  );
}
