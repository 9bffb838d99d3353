// Section IDI of the contract: SAML SSO begun here.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'IDI-01', says: 'Off by default.' },
  { id: 'IDI-02', says: 'An unsolicited Response goes to the default ACS.' },
  { id: 'IDI-03', says: 'It has no InResponseTo.' },
  { id: 'IDI-04', says: 'RelayState byte for byte.' },
  { id: 'IDI-05', says: 'Unknown and unwilling providers get a 400 page.' },
  { id: 'IDI-06', says: 'A page lists the providers.' },
  { id: 'IDI-07', says: 'The login is bound to provider and RelayState.' },
  { id: 'IDI-08', says: 'The provider becomes a participant and the event says so.' },
  { id: 'IDI-09', says: 'Real service providers accept it.' },
];
