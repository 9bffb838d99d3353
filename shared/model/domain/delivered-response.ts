// The last Response that each SAML service provider got, kept so that a fault can send an earlier one again.

/** The service providers whose last Response is kept. */
export const deliveredResponsesMax = 200;
const documentCharactersMax = 256 * 1024;

export function isKeptAsDelivered(document: string): boolean {
  return document.length <= documentCharactersMax;
}
