// Key rings and key material for tests, each in its own directory. Generating an RSA key is slow, so tests that are not
// about racing share a pool that is generated once per process.
import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemStopwatch } from '#shared/base/clock.ts';
import type { ActivationParticipant } from '#shared/state/configuration/active-configuration.ts';
import { generateRsaKeyPair, type KeyPair } from '#shared/state/keys/key-pair.ts';
import type { KeyRing } from '#shared/state/keys/key-ring.ts';
import { type KeyRingDependencies, openKeyRing } from '#shared/state/keys/open-key-ring.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { snapshotOf } from './configuration-snapshot.ts';

export interface KeysRoot {
  /** Contains config/ (never created) and keys/. */
  readonly root: string;
  readonly keysDirectory: string;
  remove(): void;
}

export function newKeysRoot(): KeysRoot {
  const root = mkdtempSync(join(tmpdir(), 'test-idp-keys-'));
  return {
    root,
    keysDirectory: join(root, 'keys'),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
}

/** More than any test uses together. After that, the pool repeats. */
const poolSize = 12;
const pool: Promise<KeyPair>[] = [];
let handedOut = 0;

/** The next key of the pool. */
export function pooledKeyPair(): Promise<KeyPair> {
  const index = handedOut % poolSize;
  handedOut += 1;
  const pair = pool[index] ?? generateRsaKeyPair();
  pool[index] = pair;
  return pair;
}

export const keyDependencies = {
  clock: systemClock,
  stopwatch: systemStopwatch,
  log: silentLogger(),
  drawKeyPair: pooledKeyPair,
} satisfies KeyRingDependencies;

/** The ring of a process with these `jwt` and `saml` settings on the root. */
export function openTestKeys(
  { root }: Pick<KeysRoot, 'root'>,
  jwt: object = {},
  deps: Partial<KeyRingDependencies> = {},
  saml: object = {},
): Promise<KeyRing & ActivationParticipant> {
  const snapshot = snapshotOf({ settings: { jwt, saml }, directory: join(root, 'config') });
  return openKeyRing(snapshot, { ...keyDependencies, ...deps });
}

interface PemPair {
  readonly privatePem: string;
  readonly publicPem: string;
}

const rsaPairs: PemPair[] = [];
let rsaPairsHandedOut = 0;

/** A key pair as PEM texts. The RSA pairs repeat after four. */
export function pemPair(kind: 'rsa' | 'ec' | 'rsa-1024' = 'rsa'): PemPair {
  if (kind === 'ec') return pemTexts(generateKeyPairSync('ec', { namedCurve: 'P-256' }));
  if (kind === 'rsa-1024') return pemTexts(generateKeyPairSync('rsa', { modulusLength: 1024 }));
  const index = rsaPairsHandedOut % 4;
  rsaPairsHandedOut += 1;
  const pair = rsaPairs[index] ?? pemTexts(generateKeyPairSync('rsa', { modulusLength: 2048 }));
  rsaPairs[index] = pair;
  return pair;
}

function pemTexts({ privateKey, publicKey }: { privateKey: KeyObject; publicKey: KeyObject }): PemPair {
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}
