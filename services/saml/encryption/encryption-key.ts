// The key that others encrypt for us with (ENC-10): an RSA key of its own beside its certificate, in one private file of the
// keys directory, made once by whoever needs it first, so that a rotation of the signing keys leaves it alone. Where nothing
// of ours can be written (keys of the operator, no directory, a sandbox), or generated keys lie in the store, it lives there.
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

/** Read anew for each message that needs it: few do. */
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
    needs.log.warn({ err: error, path }, 'the encryption key cannot be kept in the keys directory');
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
  // What failed is tried again.
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
