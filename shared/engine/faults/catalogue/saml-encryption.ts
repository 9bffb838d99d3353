// Faults of the encryption for a registered service provider (FLS-01 to FLS-03). They change how the response will be
// encrypted. The plain response stays correct and signed.
import type { SamlEncryption } from '#shared/engine/exchange/saml-answer.ts';
import type { FaultRow } from '../fault-row.ts';
import type { SamlChange, SamlSite } from '../saml/saml-change.ts';
import { loginFault } from './saml-login.ts';

/** undefined: nothing in the response is encrypted. */
function encryptedBy(how: (site: SamlSite) => Partial<SamlEncryption>): SamlChange {
  return (answer, site) =>
    answer.encryption === undefined ? undefined : { ...answer, encryption: { ...answer.encryption, ...how(site) } };
}

const aes192 = 'http://www.w3.org/2009/xmlenc11#aes192-gcm';

export const samlEncryptionFaults: readonly FaultRow[] = [
  loginFault({
    id: 'FLS-01',
    name: 'saml_encryption_wrong_key',
    effect: "The content is encrypted for a different key and names that key's certificate.",
    client: 'reject',
    source: 'SAML core §6.2',
    usesUnknownKey: true,
    make: () =>
      encryptedBy(({ unknownKey }) => (unknownKey === undefined ? {} : { certificatePem: unknownKey.certificatePem })),
  }),
  loginFault({
    id: 'FLS-02',
    name: 'saml_encryption_wrong_algorithm',
    effect: 'The EncryptionMethod wrongly names AES-192 in GCM.',
    client: 'reject',
    source: 'XML Encryption §5.2',
    make: () => encryptedBy(() => ({ declaredContent: aes192 })),
  }),
  loginFault({
    id: 'FLS-03',
    name: 'saml_encryption_tampered',
    effect: 'One bit of the encrypted content is flipped.',
    client: 'reject',
    source: 'XML Encryption §5.2.4',
    make: () =>
      encryptedBy(() => ({
        tampered: (cipher) => {
          const changed = Buffer.from(cipher);
          const place = Math.floor(changed.length / 2);
          changed[place] = (changed[place] ?? 0) ^ 1;
          return changed;
        },
      })),
  }),
];
