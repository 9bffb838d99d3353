// Reads the published keys of a keys directory (KEY-02). `kid.txt` alone decides: the other files count only if they
// belong to its kid. A rotation that was just committed or killed may have left them in place or still in
// `staged/<kid>/` (KEY-14). Reading takes no lock and changes nothing.
import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { type KeyPair, readPrivateKey, readPublicKey, thumbprintOf, UnusableKeyError } from './key-pair.ts';
import { isCertificateOf } from './self-signed-certificate.ts';

export const keyFiles = {
  kid: 'kid.txt',
  privateKey: 'rsa_private.pem',
  publicKey: 'rsa_public.pem',
  certificate: 'idp-cert.pem',
  index: 'keys.json',
  previous: 'previous',
  staged: 'staged',
  /** The key that the next rotation makes active, with its certificate (SPM-31). */
  next: 'next.pem',
} as const;

/** The files of a set that move into place after a rotation was committed, in this order. */
export const stagedFiles = [keyFiles.privateKey, keyFiles.publicKey, keyFiles.certificate, keyFiles.index] as const;

export function previousKeyPath(directory: string, kid: string): string {
  return join(directory, keyFiles.previous, `${kid}_public.pem`);
}

/** The certificate of a key that was announced while it was active (SPM-31). */
export function previousCertificatePath(directory: string, kid: string): string {
  return join(directory, keyFiles.previous, `${kid}_cert.pem`);
}

export function stagingDirectory(directory: string, kid: string): string {
  return join(directory, keyFiles.staged, kid);
}

/** The directory contains a file that cannot be used; nothing was changed. `message` names the file and the reason. */
export class UnusableKeysDirectoryError extends Error {}

export interface PreviousKey {
  readonly kid: string;
  /** When the key was made, as an ISO 8601 instant. */
  readonly created_at: string;
}

export interface PublishedKeys {
  readonly kid: string;
  readonly pair: KeyPair;
  /** undefined: `idp-cert.pem` is missing or belongs to another key (KEY-04). */
  readonly certificatePem: string | undefined;
  /** All on disk, newest first; the reader applies `jwt.max_previous_keys`. */
  readonly previous: readonly (PreviousKey & { readonly publicKey: KeyObject })[];
  /** Sentences for the log about previous keys that were left out. */
  readonly warnings: readonly string[];
}

/** A thumbprint in base64url, or the UUID by which another product names its keys: safe as a file name. */
const kidModel = z
  .string()
  .regex(
    /^(?:[\w-]{43}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i,
    'must be a SHA-256 thumbprint in base64url or a UUID',
  );

/** A thumbprint identifies its key. A UUID does not, so any key in its place counts. */
function isKeyOf(thumbprint: string, kid: string): boolean {
  return kid.length === 43 ? thumbprint === kid : true;
}

const indexModel = z.object({
  active_kid: kidModel,
  previous_keys: z.array(z.object({ kid: kidModel, created_at: z.string() })),
});

/** A rotation by another process may move files between two reads. Each of its renames can make one attempt fail. */
const attemptsMax = 8;

/**
 * The published keys, or undefined when there is no `kid.txt` (KEY-15).
 * @throws UnusableKeysDirectoryError when the published key cannot be loaded.
 */
export function readPublishedKeys(directory: string): PublishedKeys | undefined {
  for (let attempt = 1; ; attempt += 1) {
    const kid = publishedKid(directory);
    if (kid === undefined) return undefined;
    try {
      return readSet(directory, kid);
    } catch (error) {
      if (attempt === attemptsMax) throw error;
    }
  }
}

/** The content of `kid.txt`, or undefined when it does not exist. */
export function publishedKid(directory: string): string | undefined {
  const text = readIfPresent(join(directory, keyFiles.kid));
  if (text === undefined) return undefined;
  const kid = kidModel.safeParse(text.trim());
  if (!kid.success) throw unusable(directory, keyFiles.kid, 'it does not contain a key id');
  return kid.data;
}

function readSet(directory: string, kid: string): PublishedKeys {
  const pair = readPair(directory, kid);
  const index = readIndex(directory, kid);
  const warnings: string[] = [];
  const previous = index.flatMap((entry) => {
    const publicKey = readPreviousKey(directory, entry.kid);
    if (publicKey !== undefined) return [{ ...entry, publicKey }];
    warnings.push(`The previous key ${entry.kid} cannot be read, so tokens that it signed are rejected.`);
    return [];
  });
  const certificatePem = candidates(directory, kid, keyFiles.certificate).find((pem) => isCertificateOf(pem, pair));
  return { kid, pair, certificatePem, previous, warnings };
}

function readPair(directory: string, kid: string): KeyPair {
  const texts = candidates(directory, kid, keyFiles.privateKey);
  if (texts.length === 0) throw unusable(directory, keyFiles.privateKey, 'it is missing');
  let reason = `it does not belong to the key id in ${keyFiles.kid}`;
  for (const text of texts) {
    try {
      const pair = readPrivateKey(text);
      if (isKeyOf(pair.thumbprint, kid)) return pair;
    } catch (error) {
      if (!(error instanceof UnusableKeyError)) throw error;
      reason = error.message;
    }
  }
  throw unusable(directory, keyFiles.privateKey, reason);
}

/** A missing index means no previous keys. A damaged one, or one of another key, is rejected. */
function readIndex(directory: string, kid: string): readonly PreviousKey[] {
  const texts = candidates(directory, kid, keyFiles.index);
  if (texts.length === 0) return [];
  let reason = `it does not belong to the key id in ${keyFiles.kid}`;
  for (const text of texts) {
    const index = indexModel.safeParse(parseJson(text));
    if (!index.success) reason = 'it is not a list of keys that this program wrote';
    else if (index.data.active_kid === kid) return index.data.previous_keys;
  }
  throw unusable(directory, keyFiles.index, reason);
}

/** The previous kids that the text of an index lists, or undefined when it is not the index of `kid`. */
export function listedKids(text: string | undefined, kid: string): readonly string[] | undefined {
  const index = indexModel.safeParse(text === undefined ? undefined : parseJson(text));
  if (!index.success || index.data.active_kid !== kid) return undefined;
  return index.data.previous_keys.map((entry) => entry.kid);
}

function readPreviousKey(directory: string, kid: string): KeyObject | undefined {
  const text = readIfPresent(previousKeyPath(directory, kid));
  if (text === undefined) return undefined;
  try {
    const publicKey = readPublicKey(text);
    return isKeyOf(thumbprintOf(publicKey), kid) ? publicKey : undefined;
  } catch (error) {
    if (error instanceof UnusableKeyError) return undefined;
    throw error;
  }
}

export interface NextKey {
  readonly pair: KeyPair;
  readonly certificatePem: string;
}

/** undefined: none exists, or it cannot be used. A killed rotation leaves the one that is active now. */
export function readNextKey(directory: string, activeKid: string): NextKey | undefined {
  const text = readIfPresent(join(directory, keyFiles.next));
  const [certificatePem] = /-----BEGIN CERTIFICATE-----[\s\S]*-----END CERTIFICATE-----\n?/.exec(text ?? '') ?? [];
  if (text === undefined || certificatePem === undefined) return undefined;
  try {
    const pair = readPrivateKey(text);
    const isUsable = pair.thumbprint !== activeKid && isCertificateOf(certificatePem, pair);
    return isUsable ? { pair, certificatePem } : undefined;
  } catch (error) {
    if (error instanceof UnusableKeyError) return undefined;
    throw error;
  }
}

/** The certificates of previous keys that were announced. Those of other keys were not stored. */
export function readPreviousCertificates(directory: string, kids: readonly string[]): readonly string[] {
  return kids.map((kid) => readIfPresent(previousCertificatePath(directory, kid))).filter((pem) => pem !== undefined);
}

/** The texts that a file of the set may have: in place, and where a rotation staged it. */
function candidates(directory: string, kid: string, name: string): readonly string[] {
  const paths = [join(directory, name), join(stagingDirectory(directory, kid), name)];
  return paths.map(readIfPresent).filter((text) => text !== undefined);
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw new UnusableKeysDirectoryError(`${path} cannot be read.`, { cause: error });
  }
}

export function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unusable(directory: string, name: string, reason: string): UnusableKeysDirectoryError {
  return new UnusableKeysDirectoryError(`${join(directory, name)} cannot be used: ${reason}.`);
}
