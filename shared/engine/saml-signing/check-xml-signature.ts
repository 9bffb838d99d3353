// The only file that calls xml-crypto. Loaded on first use, because most configurations never verify a request.
// verify-enveloped.ts checks before whether SAML permits the signature. This file only does the arithmetic.
import { createHash, createPublicKey, type KeyLike, KeyObject } from 'node:crypto';
import {
  C14nCanonicalization,
  type HashAlgorithm,
  SignedXml,
  type SignatureAlgorithm as XmlCryptoAlgorithm,
} from 'xml-crypto';
import {
  digestAlgorithms,
  digestMethodUris,
  type SignatureAlgorithm,
  signatureAlgorithms,
  signatureMethods,
  verifyWith,
} from '#shared/protocol/saml/signature-algorithms.ts';
import { canonicalizationUris } from './algorithms.ts';

/** The canonical text that the signature covers, or undefined when digest or value do not match this key. */
export function coveredBySignature(document: string, signature: string, key: KeyObject): string | undefined {
  const verifier = new SignedXml({ publicCert: key });
  // For a whole document the two inclusive canonicalizations write the same octets (see write-xml.ts).
  Object.assign(verifier.CanonicalizationAlgorithms, { [canonicalizationUris.c14n11]: C14nCanonicalization });
  Object.assign(verifier.SignatureAlgorithms, verifiers);
  Object.assign(verifier.HashAlgorithms, digests);
  try {
    verifier.loadSignature(signature);
    if (!verifier.checkSignature(document)) return undefined;
  } catch {
    // xml-crypto throws for a wrong value and returns false for a wrong digest. Both mean the same to the sender.
    return undefined;
  }
  const [text, ...others] = verifier.getSignedReferences();
  return others.length === 0 ? text : undefined;
}

/** xml-crypto has neither RSA-PSS nor SHA-384 (SRQ-01). */
const verifiers: Record<string, new () => XmlCryptoAlgorithm> = Object.fromEntries(
  signatureAlgorithms.map((name) => [signatureMethods[name].uri, verifierOf(name)]),
);

const digests: Record<string, new () => HashAlgorithm> = Object.fromEntries(
  digestAlgorithms.map((name) => [
    digestMethodUris[name],
    class {
      getAlgorithmName = () => digestMethodUris[name];
      getHash = (content: string) => createHash(name).update(content, 'utf8').digest('base64');
    },
  ]),
);

function verifierOf(name: SignatureAlgorithm): new () => XmlCryptoAlgorithm {
  return class {
    getAlgorithmName = () => signatureMethods[name].uri;
    getSignature = (): never => {
      throw new Error('this server does not sign with xml-crypto');
    };
    verifySignature = (material: string, key: KeyLike, value: string) =>
      verifyWith(
        name,
        Buffer.from(material, 'utf8'),
        key instanceof KeyObject ? key : createPublicKey(key),
        Buffer.from(value, 'base64'),
      );
  };
}
