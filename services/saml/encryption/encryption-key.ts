// The key that other parties encrypt for us with (ENC-10): a separate RSA key with its certificate, in one private file
// of the keys directory. The first process that needs it creates it, so a rotation of the signing keys leaves it
// unchanged. The key is in the store where this program cannot write a file (keys of the operator, no directory, a
// sandbox), and where generated keys are in the store.
import { createPrivateKey, type KeyObject } from 'node:crypto';
import { join } from 'node:path';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { generateRsaKeyPair, privateKeyPem } from '#shared/state/keys/key-pair.ts';
import { selfSignedCertificate } from '#shared/state/keys/self-signed-certificate.ts';
import { makeOnce, textOfFile } from '../make-file-once.ts';

const encryptionKeyFile = 'saml-encryption.pem';

interface EncryptionKey {
  readonly privateKey: KeyObject;
  readonly certificatePem: string;
}

type Needs = Pick<ProtocolContext, 'random' | 'log' | 'sandbox' | 'snapshot' | 'store' | 'clock' | 'keys'>;

/** Read again for each message that needs it: few do. */
export async function encryptionKey(needs: Needs): Promise<EncryptionKey> {
  const { keysDirectory, externalPrivateKey } = needs.snapshot.paths;
  const isKeptThere = needs.sandbox !== undefined || needs.keys.keptInStore === true;
  if (isKeptThere || externalPrivateKey !== undefined || keysDirectory === undefined) {
    return readKey(await keyInStore(needs));
  }
  const path = join(keysDirectory, encryptionKeyFile);
  const present = await textOfFile(path);
  if (present !== undefined) return readKey(present);
  try {
    await makeOnce(path, await drawn(needs), needs);
  } catch (error) {
    needs.log.warn({ err: error, path }, 'the encryption key cannot be stored in the keys directory');
    return readKey(await keyInStore(needs));
  }
  return readKey((await textOfFile(path)) ?? '');
}

const keysInStores = new WeakMap<Needs['store'], Promise<string>>();

function keyInStore(needs: Needs): Promise<string> {
  const known = keysInStores.get(needs.store);
  if (known !== undefined) return known;
  const key = drawn(needs).then((fresh) => needs.store.sharedSecrets.get('saml-encryption-key', () => fresh));
  keysInStores.set(needs.store, key);
  // A failed attempt is repeated at the next call.
  key.catch(() => keysInStores.delete(needs.store));
  return key;
}

async function drawn({ clock }: Needs): Promise<string> {
  const pair = await generateRsaKeyPair();
  return `${privateKeyPem(pair)}${selfSignedCertificate(pair, clock.now(), 'keyEncipherment')}`;
}

function readKey(pem: string): EncryptionKey {
  const [certificatePem = ''] = /-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----\n?/.exec(pem) ?? [];
  return { privateKey: createPrivateKey(pem), certificatePem };
}
