// Section SRE of the contract: what a SAML Response looks like.
import type { Requirement } from './row.ts';

export const requirements: readonly Requirement[] = [
  { id: 'SRE-K01', says: 'saml.sign has its type, default and values.' },
  { id: 'SRE-K02', says: 'signature_algorithm is a key of saml and of an entry.' },
  { id: 'SRE-K03', says: 'digest_algorithm is a key of saml and of an entry.' },
  { id: 'SRE-K04', says: 'assertion_lifetime_seconds is a key of saml and of an entry.' },
  { id: 'SRE-K05', says: 'not_before_seconds is a key of saml and of an entry.' },
  { id: 'SRE-K06', says: 'session_not_on_or_after is a key of saml and of an entry.' },
  { id: 'SRE-K07', says: 'audiences of an entry are at most 20.' },
  { id: 'SRE-K08', says: 'encryption.key_place is inside or beside.' },
  { id: 'SRE-01', says: 'Response and Assertion are both signed by default.' },
  {
    id: 'SRE-02',
    says: 'Each signature verifies on its own, and older ways of signing can be configured.',
  },
  {
    id: 'SRE-03',
    says: 'A fault about signatures breaks both, and some faults sign one element alone.',
  },
  { id: 'SRE-04', says: 'The algorithms apply to everything that is signed for a service provider.' },
  { id: 'SRE-05', says: 'SHA-1 causes a warning at each load.' },
  { id: 'SRE-06', says: 'The two keys set the validity of an assertion.' },
  { id: 'SRE-07', says: 'SessionNotOnOrAfter is the end of the session, or a number of seconds.' },
  { id: 'SRE-08', says: 'audiences are the Audience elements, in order.' },
  { id: 'SRE-09', says: 'Every status except success has a StatusMessage.' },
  { id: 'SRE-10', says: 'RelayState is returned exactly if it was sent.' },
  { id: 'SRE-11', says: 'The EncryptedKey can follow the EncryptedData.' },
  { id: 'SRE-12', says: 'Two signatures keep at least 0.55 of the rate.' },
];
