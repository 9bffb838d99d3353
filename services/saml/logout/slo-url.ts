import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { singleLogoutAddress } from '#shared/protocol/saml/effective-addresses.ts';

/** The published address of our Single Logout, for requests and responses (SLO-02). */
export function sloUrl(context: Pick<ProtocolContext, 'snapshot' | 'baseUrl'>): string {
  return singleLogoutAddress(context.snapshot.settings.saml, context);
}

/** Whether a message may name this Destination: the published address, or the one below the base address. */
export function isSloUrl(address: string | undefined, context: Pick<ProtocolContext, 'snapshot' | 'baseUrl'>): boolean {
  return address === sloUrl(context) || address === singleLogoutAddress({}, context);
}
