// Section IDI of the contract: IdP-initiated SAML SSO.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'IDI-01', says: 'It is off by default.' },
  { id: 'IDI-02', says: 'An unsolicited Response is sent to the default ACS.' },
  { id: 'IDI-03', says: 'It has no InResponseTo.' },
  { id: 'IDI-04', says: 'RelayState byte for byte.' },
  { id: 'IDI-05', says: 'Unknown providers, and those that do not allow it, get a page with status 400.' },
  { id: 'IDI-06', says: 'A page lists the providers.' },
  { id: 'IDI-07', says: 'The login is bound to provider and RelayState.' },
  { id: 'IDI-08', says: 'The provider becomes a participant of the session, and the event shows it.' },
  { id: 'IDI-09', says: 'Real service providers accept it.' },
];
