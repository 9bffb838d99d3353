// Section SNI of the contract: names in SAML.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'SNI-01', says: 'Format encrypted means the usual Format inside EncryptedID.', pending: true },
  { id: 'SNI-02', says: 'The 2.0 spelling of unspecified counts as no Format.', pending: true },
  { id: 'SNI-03', says: 'name_id_from gives the value of every Format except transient.', pending: true },
  { id: 'SNI-04', says: 'name_id_format may be any absolute URI with name_id_from.', pending: true },
  { id: 'SNI-05', says: 'Further Formats get the value of name_id_from.', pending: true },
];
