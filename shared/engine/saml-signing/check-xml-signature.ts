// The only file that calls xml-crypto. Loaded on first use, because most configurations never verify a request.
// verify-enveloped.ts checks before whether SAML permits the signature. This file only does the arithmetic.
import type { KeyObject } from 'node:crypto';
import { C14nCanonicalization, SignedXml } from 'xml-crypto';
import { canonicalizationUris } from './algorithms.ts';

/** The canonical text that the signature covers, or undefined when digest or value do not match this key. */
export function coveredBySignature(document: string, signature: string, key: KeyObject): string | undefined {
  const verifier = new SignedXml({ publicCert: key });
  // For a whole document the two inclusive canonicalizations write the same octets (see write-xml.ts).
  Object.assign(verifier.CanonicalizationAlgorithms, { [canonicalizationUris.c14n11]: C14nCanonicalization });
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
