// Identifiers of messages, assertions and sessions: `_` and 128 random bits as hexadecimal digits, so that they are valid
// xs:ID values and nobody meets one twice (SAML core §1.3.4, SAM-47).
/** Where the bits come from. */
interface RandomBits {
  bytes(length: number): Buffer;
}

export function freshIdentifier(random: RandomBits): string {
  return `_${random.bytes(16).toString('hex')}`;
}
