// The last Response for each SAML service provider, stored so that a fault can send an earlier one again.

/** The maximum number of service providers whose last Response is stored. */
export const deliveredResponsesMax = 200;
const documentCharactersMax = 256 * 1024;

export function isKeptAsDelivered(document: string): boolean {
  return document.length <= documentCharactersMax;
}
