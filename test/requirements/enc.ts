// Section ENC of the contract: SAML encryption.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'ENC-01', says: 'encrypt lists what is encrypted and needs a certificate.' },
  { id: 'ENC-02', says: 'encryption names the algorithms.' },
  { id: 'ENC-03', says: 'Weak algorithms only where named, with a warning.' },
  { id: 'ENC-04', says: 'Metadata choose known algorithms.' },
  { id: 'ENC-05', says: 'EncryptedAssertion in place of the Assertion.' },
  { id: 'ENC-06', says: 'Signed first, encrypted then.' },
  { id: 'ENC-07', says: 'EncryptedID and EncryptedAttribute.' },
  { id: 'ENC-08', says: 'Fresh keys, and no plain value elsewhere.' },
  { id: 'ENC-09', says: "Identifiers are the standards' own." },
  { id: 'ENC-10', says: 'An encryption key of its own decrypts.' },
  { id: 'ENC-11', says: 'Failed decryption tells nothing.' },
  { id: 'ENC-12', says: 'Queries are encrypted, errors never, faults before.' },
  { id: 'ENC-13', says: 'Real service providers read it.' },
  { id: 'ENC-14', says: 'Encryption costs less than two fifths of the rate.' },
];
