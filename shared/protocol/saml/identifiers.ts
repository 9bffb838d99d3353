// Identifiers of messages, assertions and sessions: `_` and 128 random bits as hexadecimal digits. So they are valid
// xs:ID values and never repeat (SAML core §1.3.4, SAM-47).
/** The source of the random bits. */
interface RandomBits {
  bytes(length: number): Buffer;
}

export function freshIdentifier(random: RandomBits): string {
  return `_${random.bytes(16).toString('hex')}`;
}
