// The RSA signature algorithms of XML signatures and of SAML redirects, by the names that a configuration uses (RFC 9231
// §2.3). RSA-PSS has MGF1 with the same hash and a salt of the hash length (RFC 9231 §2.3.10).
import { constants, type KeyObject, sign, verify } from 'node:crypto';

export const digestAlgorithms = ['sha1', 'sha256', 'sha384', 'sha512'] as const;
export type DigestAlgorithm = (typeof digestAlgorithms)[number];

/** The DigestMethod of each digest. */
export const digestMethodUris: Readonly<Record<DigestAlgorithm, string>> = {
  sha1: 'http://www.w3.org/2000/09/xmldsig#sha1',
  sha256: 'http://www.w3.org/2001/04/xmlenc#sha256',
  sha384: 'http://www.w3.org/2001/04/xmldsig-more#sha384',
  sha512: 'http://www.w3.org/2001/04/xmlenc#sha512',
};

export const signatureAlgorithms = [
  'rsa-sha1',
  'rsa-sha256',
  'rsa-sha384',
  'rsa-sha512',
  'rsa-pss-sha256',
  'rsa-pss-sha384',
  'rsa-pss-sha512',
] as const;
export type SignatureAlgorithm = (typeof signatureAlgorithms)[number];

interface SignatureMethod {
  /** The SignatureMethod, and the SigAlg of a redirect. */
  readonly uri: string;
  readonly hash: DigestAlgorithm;
  readonly padding: 'pkcs1' | 'pss';
}

export const signatureMethods: Readonly<Record<SignatureAlgorithm, SignatureMethod>> = {
  'rsa-sha1': { uri: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1', hash: 'sha1', padding: 'pkcs1' },
  'rsa-sha256': { uri: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256', hash: 'sha256', padding: 'pkcs1' },
  'rsa-sha384': { uri: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha384', hash: 'sha384', padding: 'pkcs1' },
  'rsa-sha512': { uri: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha512', hash: 'sha512', padding: 'pkcs1' },
  'rsa-pss-sha256': {
    uri: 'http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1',
    hash: 'sha256',
    padding: 'pss',
  },
  'rsa-pss-sha384': {
    uri: 'http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1',
    hash: 'sha384',
    padding: 'pss',
  },
  'rsa-pss-sha512': {
    uri: 'http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1',
    hash: 'sha512',
    padding: 'pss',
  },
};

/** How a message is signed. */
export interface SigningAlgorithms {
  readonly signature: SignatureAlgorithm;
  readonly digest: DigestAlgorithm;
}

export const usualAlgorithms: SigningAlgorithms = { signature: 'rsa-sha256', digest: 'sha256' };

/** The algorithm with this SignatureMethod or SigAlg. */
export function signatureAlgorithmOf(uri: string): SignatureAlgorithm | undefined {
  return signatureAlgorithms.find((name) => signatureMethods[name].uri === uri);
}

/** The digest with this DigestMethod. */
export function digestAlgorithmOf(uri: string): DigestAlgorithm | undefined {
  return digestAlgorithms.find((name) => digestMethodUris[name] === uri);
}

/** Runs on the thread pool, because a signature costs more than the rest of a request. */
export function signWith(algorithm: SignatureAlgorithm, input: Buffer, privateKey: KeyObject): Promise<Buffer> {
  const { hash, padding } = signatureMethods[algorithm];
  return new Promise((resolve, reject) => {
    sign(hash, input, { key: privateKey, ...paddings[padding] }, (error, signature) => {
      if (error === null) resolve(signature);
      else reject(error);
    });
  });
}

export function verifyWith(
  algorithm: SignatureAlgorithm,
  input: Buffer,
  publicKey: KeyObject,
  signature: Buffer,
): boolean {
  const { hash, padding } = signatureMethods[algorithm];
  return verify(hash, input, { key: publicKey, ...paddings[padding] }, signature);
}

const paddings = {
  pkcs1: { padding: constants.RSA_PKCS1_PADDING },
  pss: { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST },
} as const;
