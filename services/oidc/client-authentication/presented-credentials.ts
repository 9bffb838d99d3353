// Reads once which credentials a request presents for its client, and by which methods (RFC 6749 §2.3).
import type { ParsedRequest } from '#shared/engine/exchange/request.ts';
import { clientOfAssertion } from '#shared/model/oauth-rules/client-assertion.ts';
import { type BasicCredentials, basicCredentials } from '#shared/protocol/oauth2/authorization-header.ts';

export interface PresentedCredentials {
  readonly basic: BasicCredentials;
  readonly form: ParsedRequest['form'];
}

export function presentedCredentials({ headers, form }: ParsedRequest): PresentedCredentials {
  return { basic: basicCredentials(headers.authorization), form };
}

/** The client that a request names, authenticated or not: for audit entries of rejections. */
export function claimedClientId(request: ParsedRequest): string | undefined {
  const { basic, form } = presentedCredentials(request);
  return (
    form.value('client_id') ??
    clientOfAssertion(form.value('client_assertion')) ??
    (basic.kind === 'credentials' ? basic.user || undefined : undefined)
  );
}
