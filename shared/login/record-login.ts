// The audit's `login` event of the surfaces that log a browser in for a session: /login and /saml/sso (AUD-23, AUD-25).
import { auditEvent, type ParsedRequest, type RequestContext } from '#shared/http/request.ts';
import { detailsOf, type Refused } from '#shared/refusals/refusal.ts';

export interface LoginOutcome {
  readonly surface: '/login' | '/saml/sso';
  /** undefined: none was typed. */
  readonly username: string | undefined;
  /** Why it failed; undefined: it succeeded. */
  readonly failure?: Refused | undefined;
}

export function recordLogin(
  { surface, username, failure }: LoginOutcome,
  request: ParsedRequest,
  context: RequestContext,
): Promise<void> {
  return context.audit.record(
    auditEvent(request, context, {
      event_type: 'login',
      endpoint: surface,
      status: failure === undefined ? 'success' : 'failed',
      username,
      details: failure === undefined ? {} : detailsOf(failure),
    }),
  );
}
