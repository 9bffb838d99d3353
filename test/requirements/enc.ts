// Section ENC of the contract: SAML encryption.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'ENC-01', says: 'encrypt lists what is encrypted and requires a certificate.' },
  { id: 'ENC-02', says: 'encryption names the algorithms.' },
  { id: 'ENC-03', says: 'Weak algorithms are used only if named, with a warning.' },
  { id: 'ENC-04', says: 'Metadata select known algorithms.' },
  { id: 'ENC-05', says: 'EncryptedAssertion replaces the Assertion.' },
  { id: 'ENC-06', says: 'Elements are signed first, then encrypted.' },
  { id: 'ENC-07', says: 'EncryptedID and EncryptedAttribute.' },
  { id: 'ENC-08', says: 'Keys are new each time, and no plain value appears elsewhere.' },
  { id: 'ENC-09', says: 'Identifiers are those of the standards.' },
  { id: 'ENC-10', says: 'A separate encryption key is used for decryption.' },
  { id: 'ENC-11', says: 'A failed decryption reveals nothing.' },
  { id: 'ENC-12', says: 'Query responses are encrypted, errors never, and faults apply before encryption.' },
  { id: 'ENC-13', says: 'Real service providers can decrypt it.' },
  { id: 'ENC-14', says: 'Encryption costs less than two fifths of the rate.' },
];
