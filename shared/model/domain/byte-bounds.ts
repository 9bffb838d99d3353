// How many bytes the records of one kind may take in a namespace, so that no sender decides how large the store gets.
// Usual records take a small part of it. The numbers of records are bounded elsewhere.

const mebibyte = 1024 * 1024;

export const bytesMax = {
  runtime_identities: 32 * mebibyte,
  transactions: 32 * mebibyte,
  device_grants: 32 * mebibyte,
  metadata_documents: 8 * mebibyte,
  sessions: 16 * mebibyte,
  session_participants: 16 * mebibyte,
  consents: 8 * mebibyte,
  logout_confirmations: 8 * mebibyte,
  saml_logouts: 8 * mebibyte,
  typed_claims: 16 * mebibyte,
} as const;

export type BoundedKind = keyof typeof bytesMax;

export function isWithinBound(kind: BoundedKind, takenBytes: number, addedBytes: number): boolean {
  return takenBytes + addedBytes <= bytesMax[kind];
}
