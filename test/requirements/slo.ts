// Section SLO of the contract: SAML Single Logout.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'SLO-01', says: 'It is off by default and requires sessions.' },
  { id: 'SLO-02', says: 'Metadata list POST and Redirect.' },
  { id: 'SLO-03', says: 'slo lists url, response_url and binding.' },
  { id: 'SLO-04', says: 'Assertions are stored with their session.' },
  {
    id: 'SLO-05',
    says: 'LogoutRequests are accepted with both bindings, and posted ones are repeated from our origin.',
  },
  { id: 'SLO-06', says: 'Their senders must be registered, and they must be signed.' },
  { id: 'SLO-07', says: 'Their form is validated.' },
  { id: 'SLO-08', says: 'An expired NotOnOrAfter ends nothing.' },
  { id: 'SLO-09', says: 'The NameID must match in all its parts.' },
  { id: 'SLO-10', says: 'They end the named SessionIndexes, or all sessions of the user.' },
  { id: 'SLO-11', says: 'The session ends before participants are notified.' },
  { id: 'SLO-12', says: 'The response is a signed LogoutResponse with the right binding.' },
  { id: 'SLO-13', says: 'Redirect and POST have their own kind of signature.' },
  { id: 'SLO-14', says: 'The others are notified in order, the initiator last.' },
  { id: 'SLO-15', says: 'SOAP participants are notified directly.' },
  { id: 'SLO-16', says: 'A LogoutResponse must come from the requested provider.' },
  { id: 'SLO-17', says: 'PartialLogout reports failures.' },
  { id: 'SLO-18', says: 'A GET without a message continues.' },
  { id: 'SLO-19', says: 'OpenID Connect clients are notified too.' },
  { id: 'SLO-20', says: 'Logouts without a browser notify only SOAP participants.' },
  { id: 'SLO-21', says: 'The page /logout starts the same logout.' },
  { id: 'SLO-22', says: 'EncryptedID is decrypted.' },
  { id: 'SLO-23', says: 'Repeated and simultaneous logouts end once.' },
  { id: 'SLO-24', says: 'Every step is recorded.' },
  { id: 'SLO-25', says: 'Four real service providers log out.' },
];
