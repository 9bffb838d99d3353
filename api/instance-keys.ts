// The keys of an instance as a value to hand on: opaque until somebody asks for the texts.

import { readFile } from 'node:fs/promises';
import { storeKindOf } from '#shared/model/configuration/store-kinds.ts';
import type { LoadedConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import {
  generateKeyPair,
  type KeyPair,
  privateKeyPem,
  publicKeyPem,
  readPrivateKey,
  readPublicKey,
  thumbprintOf,
  UnusableKeyError,
} from '#shared/state/keys/key-pair.ts';
import { readPublishedKeys } from '#shared/state/keys/read-published-keys.ts';
import { IdpError } from './errors.ts';
import type { Prepared } from './start-options.ts';
import type { IdpKeys, PemKeys } from './types.ts';

export class InstanceKeys implements IdpKeys {
  readonly #read: () => Promise<PemKeys>;

  constructor(read: () => Promise<PemKeys>) {
    this.#read = read;
  }

  pem(): Promise<PemKeys> {
    return this.#read();
  }
}

export interface ChosenKeys {
  readonly keys: IdpKeys;
  /** The pair to begin with; undefined: a directory or the configuration has one. */
  readonly pair: Promise<KeyPair> | undefined;
}

/** @throws IdpError invalid_option for a pair that cannot be used */
export function chooseKeys({ options: { keys }, start, configuration }: Prepared): ChosenKeys {
  if (storeKindOf(configuration.settings.runtime).keepsKeys) return { keys: inStore, pair: undefined };
  if (typeof keys === 'string') return { keys: inDirectory(keys), pair: undefined };
  // Keys of the operator's own are named by the settings, which may be those of a file or of this start.
  const isConfigured = start.configDirectory !== undefined || configuration.settings.jwt.external_keys !== undefined;
  if (keys === undefined && isConfigured) return { keys: ofConfiguration(configuration), pair: undefined };
  const pair =
    keys === undefined
      ? generateKeyPair(configuration.settings.jwt.algorithm)
      : 'pem' in keys
        ? givenKeyPair(keys)
        : Promise.resolve(readPair(keys));
  pair.catch(() => {});
  return { keys: new InstanceKeys(async () => pemOf(await pair)), pair };
}

/** Rotated by whichever stack: there is no pair to hand on. */
const inStore = new InstanceKeys(async () => {
  throw new IdpError('keys_missing', 'The keys are in the database at runtime.url.');
});

async function givenKeyPair(keys: { pem(): Promise<unknown> }): Promise<KeyPair> {
  const { privateKey, publicKey }: { privateKey?: unknown; publicKey?: unknown } = Object(await keys.pem());
  if (typeof privateKey !== 'string' || typeof publicKey !== 'string') throw unusable('they are not PEM strings');
  return readPair({ privateKey, publicKey });
}

function readPair({ privateKey, publicKey }: PemKeys): KeyPair {
  try {
    const pair = readPrivateKey(privateKey);
    if (thumbprintOf(readPublicKey(publicKey)) === pair.thumbprint) return pair;
  } catch (error) {
    if (error instanceof UnusableKeyError) throw unusable(error.message);
    throw error;
  }
  throw unusable('privateKey and publicKey are not a pair');
}

function unusable(why: string): IdpError {
  return new IdpError('invalid_option', `keys is invalid: ${why}.`);
}

function inDirectory(directory: string): IdpKeys {
  return new InstanceKeys(async () => {
    const published = readPublishedKeys(directory);
    if (published === undefined) throw new IdpError('keys_missing', `${directory} has no keys.`);
    return pemOf(published.pair);
  });
}

function ofConfiguration({ paths }: LoadedConfiguration): IdpKeys {
  const { externalPrivateKey, externalPublicKey, keysDirectory = '' } = paths;
  if (externalPrivateKey === undefined || externalPublicKey === undefined) return inDirectory(keysDirectory);
  return new InstanceKeys(async () => ({
    privateKey: await readFile(externalPrivateKey, 'utf8'),
    publicKey: await readFile(externalPublicKey, 'utf8'),
  }));
}

function pemOf(pair: KeyPair): PemKeys {
  return { privateKey: privateKeyPem(pair), publicKey: publicKeyPem(pair.publicKey) };
}
