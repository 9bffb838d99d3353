// Which algorithms of RFC 7518 §3.1 count where: models, discovery and those who verify read them here. How one signs is in
// kinds/.
import { keyKinds, type SigningAlgorithm } from './key-kinds.ts';

const [defaultKind, ...furtherKinds] = keyKinds;

/** The algorithms that sign what this server issues: tokens, UserInfo, logout tokens. The first one is the default. */
export const signingAlgorithms: readonly [SigningAlgorithm, ...SigningAlgorithm[]] = [
  defaultKind.algorithm.name,
  ...furtherKinds.map(({ algorithm }) => algorithm.name),
];

/** With which clients may sign the assertions that they authenticate by. */
export const assertionAlgorithms = ['RS256', 'ES256'] as const;

/** With which clients may sign their request objects; unsigned ones count as well. */
export const requestObjectAlgorithms = ['RS256'] as const;

/** With which clients may sign their DPoP proofs (RFC 9449 §4.2: asymmetric ones alone). RFC 9864 §2.2 names EdDSA anew, by its curve. */
export const dpopAlgorithms = [
  ...['ES256', 'ES384', 'ES512', 'Ed25519', 'EdDSA'],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
] as const;
