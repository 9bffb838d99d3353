// The one file that calls xml-crypto. Loaded late, since most configurations never verify a request. What makes a
// signature acceptable in SAML is judged before (verify-enveloped.ts); here only the arithmetic is done.
import type { KeyObject } from 'node:crypto';
import { C14nCanonicalization, SignedXml } from 'xml-crypto';
import { canonicalizationUris } from './algorithms.ts';

/** The canonical text that the signature covers, or undefined when digest or value do not fit this key. */
export function coveredBySignature(document: string, signature: string, key: KeyObject): string | undefined {
  const verifier = new SignedXml({ publicCert: key });
  // For a whole document the two inclusive canonicalizations write the same octets (see write-xml.ts).
  Object.assign(verifier.CanonicalizationAlgorithms, { [canonicalizationUris.c14n11]: C14nCanonicalization });
  try {
    verifier.loadSignature(signature);
    if (!verifier.checkSignature(document)) return undefined;
  } catch {
    // xml-crypto throws for a wrong value and answers false for a wrong digest; both mean the same to the sender.
    return undefined;
  }
  const [text, ...others] = verifier.getSignedReferences();
  return others.length === 0 ? text : undefined;
}
