// The operator's own signing key, `jwt.external_keys` (KEY-18 to KEY-20). Read once: other key material at the same
// path takes effect at the next start. Its SAML certificate is stored in the keys directory under the key's thumbprint.
// If generated keys are in the store, it is stored there: one for all machines, each of which has its own copy of the
// pair (CLU-10).
import { readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, instant, type Stopwatch } from '#shared/base/clock.ts';
import { acquireDirectoryLock } from '#shared/base/locking/directory-lock.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { SignsWith } from '#shared/model/domain/signing-keys.ts';
import { ActivationError } from '#shared/state/configuration/active-configuration.ts';
import type { SharedSecrets } from '#shared/state/store/ports/coordination.ts';
import { type KeyPair, readPrivateKey, readPublicKey, thumbprintOf, UnusableKeyError } from './key-pair.ts';
import { externalKeySet, type KeySet } from './key-set.ts';
import { isCertificateOf, selfSignedCertificate } from './self-signed-certificate.ts';

export interface ExternalKeys {
  readonly privateKeyPath: string;
  readonly publicKeyPath: string;
  readonly pair: KeyPair;
  readonly certificatePem: string;
  readonly set: KeySet;
}

interface ExternalKeysDependencies {
  /** Where the certificate is stored instead of the keys directory. */
  readonly secrets?: SharedSecrets | undefined;
  readonly clock: Clock;
  readonly stopwatch: Stopwatch;
  readonly log: Logger;
}

/**
 * The external keys of a snapshot that has them. `present` are the active ones: at the same paths their material
 * stays. `agree` throws where other processes sign with other keys, before anything is made.
 * @throws ActivationError when a file is missing, no RSA key, or the two do not belong together (KEY-18).
 */
export async function openExternalKeys(
  snapshot: ConfigurationSnapshot,
  present: ExternalKeys | undefined,
  deps: ExternalKeysDependencies,
  agree: (signsWith: SignsWith) => Promise<void> = async () => undefined,
): Promise<ExternalKeys> {
  const privateKeyPath = snapshot.paths.externalPrivateKey;
  const publicKeyPath = snapshot.paths.externalPublicKey;
  if (privateKeyPath === undefined || publicKeyPath === undefined) {
    throw new ActivationError('jwt.external_keys: private_key and public_key are both required.');
  }
  const found = readPair(privateKeyPath, publicKeyPath);
  const stays = present?.privateKeyPath === privateKeyPath && present.publicKeyPath === publicKeyPath;
  const pair = stays ? present.pair : found;
  const kid = snapshot.settings.jwt.external_keys?.kid ?? pair.thumbprint;
  await agree({ kid, thumbprint: pair.thumbprint });
  const certificatePem = stays ? present.certificatePem : await certificateOf(pair, snapshot, privateKeyPath, deps);
  const set = externalKeySet({ kid, pair, certificatePem }, snapshot.settings.jwt.max_previous_keys);
  return { privateKeyPath, publicKeyPath, pair, certificatePem, set };
}

function readPair(privateKeyPath: string, publicKeyPath: string): KeyPair {
  const pair = readKey('private_key', privateKeyPath, readPrivateKey);
  const publicKey = readKey('public_key', publicKeyPath, readPublicKey);
  if (thumbprintOf(publicKey) !== pair.thumbprint) {
    throw new ActivationError('jwt.external_keys: private_key and public_key are not a pair.');
  }
  return pair;
}

function readKey<Key>(member: string, path: string, read: (pem: string) => Key): Key {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new ActivationError(`jwt.external_keys.${member}: ${path} cannot be read.`, { cause });
  }
  try {
    return read(text);
  } catch (cause) {
    if (!(cause instanceof UnusableKeyError)) throw cause;
    throw new ActivationError(`jwt.external_keys.${member}: ${path} cannot be used: ${cause.message}.`, { cause });
  }
}

/**
 * Stored in the keys directory, so that restarts and other processes show one certificate. If that is impossible, it is
 * made in memory from the key and the age of its file, identical in every process.
 */
async function certificateOf(
  pair: KeyPair,
  snapshot: ConfigurationSnapshot,
  privateKeyPath: string,
  { clock, stopwatch, log, secrets }: ExternalKeysDependencies,
): Promise<string> {
  if (secrets !== undefined) {
    return secrets.get(`external-certificate-${pair.thumbprint}`, () => selfSignedCertificate(pair, clock.now()));
  }
  const directory = snapshot.paths.keysDirectory;
  const ofFileAge = () => selfSignedCertificate(pair, instant(statSync(privateKeyPath).mtimeMs));
  if (directory === undefined) return ofFileAge();
  const path = join(directory, `external-cert-${pair.thumbprint}.pem`);
  const kept = await readCertificate(path, pair);
  if (kept !== undefined) return kept;
  try {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const lock = await acquireDirectoryLock(directory, { stopwatch });
    try {
      return (await readCertificate(path, pair)) ?? (await writeCertificate(path, pair, clock));
    } finally {
      await lock.release();
    }
  } catch (error) {
    log.warn({ err: error, path }, 'the certificate of the external signing key could not be stored');
    return ofFileAge();
  }
}

async function readCertificate(path: string, pair: KeyPair): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  return text !== undefined && isCertificateOf(text, pair) ? text : undefined;
}

async function writeCertificate(path: string, pair: KeyPair, clock: Clock): Promise<string> {
  const made = selfSignedCertificate(pair, clock.now());
  await writeFile(`${path}.new`, made, { mode: 0o644, flush: true });
  await chmod(`${path}.new`, 0o644);
  await rename(`${path}.new`, path);
  return made;
}
