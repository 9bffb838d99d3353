// RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 §3.3), by the machine's own cryptography.
import { sign, verify } from 'node:crypto';
import type { SignatureAlgorithm } from './algorithm.ts';

export const rs256 = {
  name: 'RS256',
  xmlSignatureMethod: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  sign(input, privateKey) {
    return new Promise((resolve, reject) => {
      sign('RSA-SHA256', input, privateKey, (error, signature) => {
        if (error === null) resolve(signature);
        else reject(error);
      });
    });
  },
  // Synchronously: 20 µs here, several times that by way of the thread pool.
  verify: (input, signature, publicKey) => verify('RSA-SHA256', input, publicKey, signature),
} as const satisfies SignatureAlgorithm;
