// Signatures of a service provider, made by the `openssl` program: independent of node:crypto and of the product.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SignedXml } from 'xml-crypto';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { requiredTool } from '../debian-programs.ts';
import { enveloped, exclusive } from './service-provider.ts';

export interface OpensslAlgorithm {
  /** SigAlg, and the SignatureMethod. */
  readonly uri: string;
  readonly hash: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  readonly digestUri: string;
  /** The length of the salt, as openssl names it. Absent: RSASSA-PKCS1-v1_5. */
  readonly salt?: string;
}

/** @throws MissingToolError without `openssl` */
function opensslSignature(text: string, { privateKey }: SigningKey, { hash, salt }: OpensslAlgorithm): string {
  const openssl = requiredTool('openssl');
  const directory = mkdtempSync(join(tmpdir(), 'test-idp-openssl-'));
  try {
    const key = join(directory, 'key.pem');
    writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
    const padding = salt === undefined ? [] : ['-sigopt', 'rsa_padding_mode:pss', '-sigopt', `rsa_pss_saltlen:${salt}`];
    return execFileSync(openssl, ['dgst', `-${hash}`, '-sign', key, ...padding], { input: text }).toString('base64');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** `query`: the encoded message and RelayState of a redirect. */
export function queryByOpenssl(query: string, key: SigningKey, algorithm: OpensslAlgorithm): string {
  const signed = `${query}&SigAlg=${encodeURIComponent(algorithm.uri)}`;
  return `${signed}&Signature=${encodeURIComponent(opensslSignature(signed, key, algorithm))}`;
}

/** The message with an enveloped signature after its Issuer. */
export function xmlByOpenssl(xml: string, key: SigningKey, algorithm: OpensslAlgorithm): string {
  const signer = new SignedXml({
    privateKey: key.privateKey,
    publicCert: key.certificatePem,
    signatureAlgorithm: algorithm.uri,
    canonicalizationAlgorithm: exclusive,
  });
  Object.assign(signer.SignatureAlgorithms, {
    [algorithm.uri]: class {
      getAlgorithmName = () => algorithm.uri;
      getSignature = (signedInfo: string) => opensslSignature(signedInfo, key, algorithm);
      verifySignature = (): never => {
        throw new Error('only signs');
      };
    },
  });
  Object.assign(signer.HashAlgorithms, {
    [algorithm.digestUri]: class {
      getAlgorithmName = () => algorithm.digestUri;
      getHash = (content: string) => createHash(algorithm.hash).update(content, 'utf8').digest('base64');
    },
  });
  signer.addReference({ xpath: '/*', transforms: [enveloped, exclusive], digestAlgorithm: algorithm.digestUri });
  signer.computeSignature(xml, {
    prefix: 'ds',
    location: { reference: "/*/*[local-name()='Issuer']", action: 'after' },
  });
  return signer.getSignedXml();
}
