// The kinds of keys that this server signs with, the default first. To add a kind, add a file in kinds/ and list it
// here. Settings, discovery, registration, the key set, certificates and messages then include it automatically.
import type { KeyObject } from 'node:crypto';
import type { KeyKind } from './key-kind.ts';
import { rsa } from './kinds/rsa.ts';

const [defaultKind, ...furtherKinds] = [rsa] as const;

/** The `alg` of what this server signs. */
export type SigningAlgorithm = typeof defaultKind.algorithm.name | (typeof furtherKinds)[number]['algorithm']['name'];

export const keyKinds: readonly [KeyKind<SigningAlgorithm>, ...KeyKind<SigningAlgorithm>[]] = [
  defaultKind,
  ...furtherKinds,
];

export const defaultSigningAlgorithm: SigningAlgorithm = defaultKind.algorithm.name;

/** undefined: this server signs with no key of this kind. */
export function kindOfKey(key: KeyObject): KeyKind<SigningAlgorithm> | undefined {
  return keyKinds.find((kind) => kind.isOfKind(key));
}

export function kindOfAlgorithm(name: SigningAlgorithm): KeyKind<SigningAlgorithm> {
  return keyKinds.find(({ algorithm }) => algorithm.name === name) ?? defaultKind;
}
