// The secret behind persistent name identifiers. It is the same in every process and after every restart, whatever the
// runtime store is (SAM-37). It is a separate private file in the keys directory, created by the first process that
// needs it, so that a rotation of the signing keys leaves the identifiers unchanged. Removing the file gives every user
// new identifiers.
//
// Where generated keys are in the store, the secret is in the store too, one for all machines (CLU-11).
//
// Where this program cannot write a file (the operator's own key pair, a read-only directory, keys in memory), the
// secret is derived from the private signing key. This program does not rotate such a key, so the identifiers stay
// valid as long as the key.
import { hkdfSync } from 'node:crypto';
import { join } from 'node:path';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { makeOnce, textOfFile } from './make-file-once.ts';

const persistentNameIdKeyFile = 'persistent-name-id.key';

const keyPattern = /^[0-9a-f]{64}\n$/;

interface Needs extends Pick<ProtocolContext, 'random' | 'log' | 'sandbox'> {
  readonly store: Pick<ProtocolContext['store'], 'sharedSecrets'>;
  readonly keys: Pick<ProtocolContext['keys'], 'signingKey' | 'keptInStore'>;
  readonly paths: Pick<ProtocolContext['snapshot']['paths'], 'keysDirectory' | 'externalPrivateKey'>;
}

export async function persistentNameIdKey(needs: Needs): Promise<Buffer> {
  if (needs.sandbox !== undefined) return keyInStore(needs);
  const { keysDirectory, externalPrivateKey } = needs.paths;
  if (externalPrivateKey !== undefined) return derivedKey(needs);
  if (needs.keys.keptInStore === true) return keyInStore(needs);
  if (keysDirectory === undefined) return derivedKey(needs);
  const path = join(keysDirectory, persistentNameIdKeyFile);
  const present = await readKey(path);
  if (present !== undefined) return present;
  try {
    await makeOnce(path, `${needs.random.bytes(32).toString('hex')}\n`, needs);
  } catch (error) {
    needs.log.warn(
      { err: error, path },
      'the key of persistent name identifiers cannot be stored in the keys directory',
    );
    return derivedKey(needs);
  }
  const made = await readKey(path);
  if (made === undefined)
    throw new Error(`${path} must contain 64 hexadecimal digits. Delete the file to have a new one created`);
  return made;
}

/** A sandbox's secret is deleted with it: a later sandbox of the same name has other identifiers (SBX-14, SBX-30). */
async function keyInStore({ store, random }: Needs): Promise<Buffer> {
  const drawn = () => random.bytes(32).toString('hex');
  return Buffer.from(await store.sharedSecrets.get('persistent-name-identifiers', drawn), 'hex');
}

async function readKey(path: string): Promise<Buffer | undefined> {
  const text = await textOfFile(path);
  return text !== undefined && keyPattern.test(text) ? Buffer.from(text.trim(), 'hex') : undefined;
}

async function derivedKey({ keys }: Needs): Promise<Buffer> {
  const { privateKey } = await keys.signingKey();
  const secret = privateKey.export({ type: 'pkcs8', format: 'der' });
  return Buffer.from(hkdfSync('sha256', secret, '', 'test-idp persistent name identifiers', 32));
}
