import type { BoundedKind } from '#shared/model/domain/byte-bounds.ts';

/** The columns whose bytes count for a row of each bounded kind. Each engine counts them by triggers. */
export const countedColumns: Readonly<Record<BoundedKind, readonly [string, ...string[]]>> = {
  runtime_identities: ['entry', 'registration'],
  transactions: ['record'],
  device_grants: ['scope', 'resource', 'client_id', 'approval'],
  metadata_documents: ['entry', 'client_id'],
  sessions: ['username', 'record'],
  session_participants: ['participant', 'record'],
  consents: ['username', 'client_id', 'scope'],
  logout_confirmations: ['record'],
  saml_logouts: ['record'],
  typed_claims: ['name', 'record'],
};
