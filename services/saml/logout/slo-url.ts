import type { RequestContext } from '#shared/engine/exchange/request.ts';

/** The one address of our Single Logout, for requests and answers (SLO-02). */
export function sloUrl({ issuer }: Pick<RequestContext, 'issuer'>): string {
  return `${issuer}/saml/slo`;
}
