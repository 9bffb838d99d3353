// Signs an element of a tree: enveloped, by the algorithm of the key over SHA-256, the certificate in KeyInfo, the signature directly after
// the Issuer (SAM-45, SAM-46; SAML core §5.4). The digest is taken over what the one writer emits, so nothing is parsed or
// canonicalised a second time, and the RSA operation runs on the thread pool.
import { createHash } from 'node:crypto';
import type { C14nAlgorithm } from '#shared/configuration/model/settings.ts';
import type { SigningKey } from '#shared/keys/key-ring.ts';
import { assertionNamespace, ds, signatureNamespace } from '../protocol/vocabulary.ts';
import { type CanonicalForm, scopeInside, writeCanonical } from '../protocol/xml/write-xml.ts';
import {
  attributeValue,
  declaring,
  firstChild,
  indented,
  type NamespaceScope,
  type XmlElement,
} from '../protocol/xml/xml-element.ts';
import { canonicalizationUris, envelopedSignatureUri, sha256Uri } from './algorithms.ts';

export interface SigningOptions {
  /** The key with its own certificate, as one value: no signature travels with the certificate of another key (SAM-09). */
  readonly key: SigningKey;
  readonly c14n: C14nAlgorithm;
  /** Namespaces in scope where the element will stand; empty for a root. */
  readonly inherited?: NamespaceScope;
  /** indented: the element goes out on several lines, and the white space is part of what is signed. */
  readonly layout: 'compact' | 'indented';
}

/** The element in its layout, with its signature. It must have an `ID` and an Issuer as its first child. */
export async function signElement(element: XmlElement, options: SigningOptions): Promise<XmlElement> {
  const { key, c14n, layout } = options;
  const inherited = options.inherited ?? new Map();
  const kind: CanonicalForm['kind'] = c14n === 'exc_c14n' ? 'exclusive' : 'inclusive';
  const reference = `#${attributeValue(element, 'ID') ?? ''}`;
  const method = key.algorithm.xmlSignatureMethod;
  if (method === undefined) throw new Error(`${key.algorithm.name} signs no XML`);
  const certificate = certificateBase64(key.certificatePem);
  const signedWith = (digest: string, value: string): { root: XmlElement; signature: XmlElement } => {
    const signature = signatureElement(canonicalizationUris[c14n], { method, reference, digest, value, certificate });
    const root = afterIssuer(element, signature);
    if (layout === 'compact') return { root, signature };
    const spaced = indented(root);
    return { root: spaced, signature: firstChild(spaced, signatureNamespace, 'Signature') ?? signature };
  };

  const draft = signedWith('', '');
  const content = writeCanonical(draft.root, { kind, inherited, without: draft.signature });
  const digest = createHash('sha256').update(content, 'utf8').digest('base64');

  const digested = signedWith(digest, '').signature;
  const signedInfo = firstChild(digested, signatureNamespace, 'SignedInfo') ?? digested;
  const scope = scopeInside(digested, scopeInside(element, inherited));
  const signedText = Buffer.from(writeCanonical(signedInfo, { kind, inherited: scope }), 'utf8');
  const value = await key.algorithm.sign(signedText, key.privateKey);
  return signedWith(digest, value.toString('base64')).root;
}

/** The certificate of a PEM as KeyInfo and metadata carry it: base64 without line breaks. */
export function certificateBase64(pem: string): string {
  return pem.replace(/-----[A-Z ]+-----/g, '').replace(/\s+/g, '');
}

type SignaturePart = 'method' | 'reference' | 'digest' | 'value' | 'certificate';

function signatureElement(
  canonicalization: string,
  { method, reference, digest, value, certificate }: Readonly<Record<SignaturePart, string>>,
): XmlElement {
  const signature = ds('Signature', {}, [
    ds('SignedInfo', {}, [
      ds('CanonicalizationMethod', { Algorithm: canonicalization }),
      ds('SignatureMethod', { Algorithm: method }),
      ds('Reference', { URI: reference }, [
        ds('Transforms', {}, [
          ds('Transform', { Algorithm: envelopedSignatureUri }),
          ds('Transform', { Algorithm: canonicalization }),
        ]),
        ds('DigestMethod', { Algorithm: sha256Uri }),
        ds('DigestValue', {}, [digest]),
      ]),
    ]),
    ds('SignatureValue', {}, [value]),
    ds('KeyInfo', {}, [ds('X509Data', {}, [ds('X509Certificate', {}, [certificate])])]),
  ]);
  return declaring(signature, [['ds', signatureNamespace]]);
}

/** @throws Error when the element has no Issuer: every Response and Assertion has one. */
function afterIssuer(element: XmlElement, signature: XmlElement): XmlElement {
  const issuer = firstChild(element, assertionNamespace, 'Issuer');
  if (issuer === undefined) throw new Error(`${element.local} has no Issuer to put a signature behind`);
  return {
    ...element,
    children: element.children.flatMap((child) => (child === issuer ? [child, signature] : [child])),
  };
}
