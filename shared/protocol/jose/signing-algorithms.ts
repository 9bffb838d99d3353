// Which algorithms of RFC 7518 §3.1 are used where. Models, discovery and verifying code read them here. Signing is in
// kinds/.
import { keyKinds, type SigningAlgorithm } from './key-kinds.ts';

const [defaultKind, ...furtherKinds] = keyKinds;

/** The algorithms that sign what this server issues: tokens, UserInfo, logout tokens. The first is the default. */
export const signingAlgorithms: readonly [SigningAlgorithm, ...SigningAlgorithm[]] = [
  defaultKind.algorithm.name,
  ...furtherKinds.map(({ algorithm }) => algorithm.name),
];

/** Algorithms with which clients may sign their assertions for client authentication. */
export const assertionAlgorithms = ['RS256', 'ES256'] as const;

/** Algorithms with which clients may sign their request objects. Unsigned ones are also accepted. */
export const requestObjectAlgorithms = ['RS256'] as const;

/**
 * Algorithms with which clients may sign their DPoP proofs (RFC 9449 §4.2: asymmetric ones only). RFC 9864 §2.2
 * replaces EdDSA by a name for each curve.
 */
export const dpopAlgorithms = [
  ...['ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA'],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
] as const;
