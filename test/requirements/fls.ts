// Section FLS: faults beyond the table of section FLT (docs/decisions/0007-faults-beyond-the-table.md).
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'FLS-01', says: 'saml_encryption_wrong_key: encrypted for another key' },
  { id: 'FLS-02', says: 'saml_encryption_wrong_algorithm: an EncryptionMethod that it is not' },
  { id: 'FLS-03', says: 'saml_encryption_tampered: one bit of the encrypted content flipped' },
  { id: 'FLS-04', says: 'saml_logout_session_index_missing: a LogoutRequest without SessionIndex' },
  { id: 'FLS-05', says: 'saml_logout_foreign_name_id: a LogoutRequest about another NameID' },
  { id: 'FLS-06', says: 'saml_logout_expired: a LogoutRequest whose NotOnOrAfter was an hour ago' },
  { id: 'FLS-07', says: 'logout_token_nonce: a logout token with a nonce' },
  { id: 'FLS-08', says: 'logout_token_events_missing: a logout token without events' },
  { id: 'FLS-09', says: 'logout_token_alg_none: a logout token without signature' },
  { id: 'FLS-10', says: 'logout_token_audience_wrong: a logout token for another client' },
  { id: 'FLS-11', says: 'logout_token_issuer_wrong: a logout token of another issuer' },
  { id: 'FLS-12', says: 'pushed_request_refused: a pushed request that is refused' },
  { id: 'FLS-13', says: 'pushed_request_unavailable: /par that is not available' },
  { id: 'FLS-14', says: 'pushed_request_uri_missing: an answer of /par without request_uri' },
  { id: 'FLS-15', says: 'pushed_request_over: a request_uri that was used before a browser brings it' },
  { id: 'FLS-16', says: 'pushed_request_status_200: a pushed request answered with 200 in place of 201' },
];
