// The secret behind persistent name identifiers: the same in every process and after every restart, whatever the runtime
// store is (SAM-37). It is a private file of its own in the keys directory, made once by whoever needs it first, so that a
// rotation of the signing keys leaves the identifiers alone; removing the file gives every user new ones.
//
// Where nothing of ours can be written (the operator's own key pair, a read-only directory, keys in memory) the secret is derived from the
// private signing key. Such a key is not rotated by this program, so the identifiers stay just as long.
import { hkdfSync } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestContext } from '#shared/http/request.ts';

const persistentNameIdKeyFile = 'persistent-name-id.key';

const keyPattern = /^[0-9a-f]{64}\n$/;

interface Needs extends Pick<RequestContext, 'random' | 'log' | 'sandbox'> {
  readonly store: Pick<RequestContext['store'], 'sharedSecrets'>;
  readonly keys: Pick<RequestContext['keys'], 'signingKey'>;
  readonly paths: Pick<RequestContext['snapshot']['paths'], 'keysDirectory' | 'externalPrivateKey'>;
}

export async function persistentNameIdKey(needs: Needs): Promise<Buffer> {
  if (needs.sandbox !== undefined) return keyOfSandbox(needs);
  const { keysDirectory, externalPrivateKey } = needs.paths;
  if (externalPrivateKey !== undefined || keysDirectory === undefined) return derivedKey(needs);
  const path = join(keysDirectory, persistentNameIdKeyFile);
  const present = await readKey(path);
  if (present !== undefined) return present;
  try {
    await makeKeyOnce(path, needs);
  } catch (error) {
    needs.log.warn({ err: error, path }, 'the key of persistent name identifiers cannot be kept in the keys directory');
    return derivedKey(needs);
  }
  const made = await readKey(path);
  if (made === undefined)
    throw new Error(`${path} does not hold 64 hexadecimal digits; remove it to have it made anew`);
  return made;
}

/** Ends with the sandbox: whoever bears its name later has other identifiers (SBX-14, SBX-30). */
async function keyOfSandbox({ store, random }: Needs): Promise<Buffer> {
  const drawn = () => random.bytes(32).toString('hex');
  return Buffer.from(await store.sharedSecrets.get('persistent-name-identifiers', drawn), 'hex');
}

async function readKey(path: string): Promise<Buffer | undefined> {
  try {
    const text = await readFile(path, 'latin1');
    return keyPattern.test(text) ? Buffer.from(text.trim(), 'hex') : undefined;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** A hard link appears whole or not at all, and only one process can make it: the others take what the first one made. */
async function makeKeyOnce(path: string, { random }: Needs): Promise<void> {
  const draft = `${path}.${random.token(9)}`;
  await writeFile(draft, `${random.bytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx' });
  try {
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    await rm(draft, { force: true });
  }
}

async function derivedKey({ keys }: Needs): Promise<Buffer> {
  const { privateKey } = await keys.signingKey();
  const secret = privateKey.export({ type: 'pkcs8', format: 'der' });
  return Buffer.from(hkdfSync('sha256', secret, '', 'test-idp persistent name identifiers', 32));
}
