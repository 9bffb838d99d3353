import type { ProtocolContext } from '#shared/engine/exchange/request.ts';

/** The only address of our Single Logout, for requests and responses (SLO-02). */
export function sloUrl({ baseUrl }: Pick<ProtocolContext, 'baseUrl'>): string {
  return `${baseUrl}/saml/slo`;
}
