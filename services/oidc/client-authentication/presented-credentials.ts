// What a request presents to prove which client sends it, read once, and by which methods (RFC 6749 §2.3).
import type { ParsedRequest } from '#shared/http/request.ts';
import { decodeToken } from '#shared/issuing/verify-token.ts';
import { type BasicCredentials, basicCredentials } from '#shared/protocol/oauth2/authorization-header.ts';

export interface PresentedCredentials {
  readonly basic: BasicCredentials;
  readonly form: ParsedRequest['form'];
}

export function presentedCredentials({ headers, form }: ParsedRequest): PresentedCredentials {
  return { basic: basicCredentials(headers.authorization), form };
}

/** The client that a request names, authenticated or not: for audit entries of refusals. */
export function claimedClientId(request: ParsedRequest): string | undefined {
  const { basic, form } = presentedCredentials(request);
  return (
    form.value('client_id') ??
    clientOfAssertion(form) ??
    (basic.kind === 'credentials' ? basic.user || undefined : undefined)
  );
}

/** An assertion names its client itself (RFC 7521 §4.2); undefined when there is none that does. */
export function clientOfAssertion(form: ParsedRequest['form']): string | undefined {
  const assertion = form.value('client_assertion');
  const subject = assertion === undefined ? undefined : decodeToken(assertion)?.payload.sub;
  return typeof subject === 'string' ? subject : undefined;
}
