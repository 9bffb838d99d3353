// Key rings and key material for tests, each in a directory of its own.
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, systemStopwatch } from '#shared/clock.ts';
import type { ActivationParticipant } from '#shared/configuration/active-configuration.ts';
import type { KeyRing } from '#shared/keys/key-ring.ts';
import { type KeyRingDependencies, openKeyRing } from '#shared/keys/open-key-ring.ts';
import { silentLogger } from '#shared/logger.ts';
import { snapshotOf } from './configuration-snapshot.ts';

export interface KeysRoot {
  /** Holds config/ (never made) and keys/. */
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

export const keyDependencies: KeyRingDependencies = {
  clock: systemClock,
  stopwatch: systemStopwatch,
  log: silentLogger(),
};

/** The ring that a process with these `jwt` settings has on the root. */
export function openTestKeys(
  { root }: Pick<KeysRoot, 'root'>,
  jwt: object = {},
  deps: Partial<KeyRingDependencies> = {},
): Promise<KeyRing & ActivationParticipant> {
  const snapshot = snapshotOf({ settings: { jwt }, directory: join(root, 'config') });
  return openKeyRing(snapshot, { ...keyDependencies, ...deps });
}

export function pemPair(kind: 'rsa' | 'ec' | 'rsa-1024' = 'rsa'): { privatePem: string; publicPem: string } {
  const { privateKey, publicKey } =
    kind === 'ec'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: kind === 'rsa-1024' ? 1024 : 2048 });
  return {
    privatePem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    publicPem: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
  };
}
