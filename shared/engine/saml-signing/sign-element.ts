// Signs an element of a tree: enveloped, with the configured algorithms, the certificate in KeyInfo, the signature
// directly after the Issuer (SAM-45, SAM-46; SAML core §5.4). The digest covers the output of the one writer,
// so nothing is parsed or canonicalised a second time. The RSA operation runs on the thread pool.

import { createHash } from 'node:crypto';
import type { C14nAlgorithm } from '#shared/model/configuration/settings/saml.ts';
import { certificateBase64 } from '#shared/protocol/saml/certificate-base64.ts';
import {
  type DigestAlgorithm,
  digestMethodUris,
  type SigningAlgorithms,
  signatureMethods,
  signWith,
  usualAlgorithms,
} from '#shared/protocol/saml/signature-algorithms.ts';
import { assertionNamespace, ds, signatureNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { type CanonicalForm, scopeInside, writeCanonical } from '#shared/protocol/saml/xml/write-xml.ts';
import {
  attributeValue,
  declaring,
  firstChild,
  indented,
  type NamespaceScope,
  type XmlElement,
} from '#shared/protocol/saml/xml-element.ts';
import type { SigningKey } from '#shared/state/keys/key-ring.ts';
import { canonicalizationUris, envelopedSignatureUri } from './algorithms.ts';

export interface SigningOptions {
  /**
   * The key with its own certificate, as one value: no signature is sent with the certificate of another key (SAM-09).
   */
  readonly key: SigningKey;
  readonly c14n: C14nAlgorithm;
  /** Left out: the usual ones. */
  readonly algorithms?: SigningAlgorithms;
  /** Namespaces in scope where the element will be placed; empty for a root. */
  readonly inherited?: NamespaceScope;
  /** indented: the element is written on several lines, and the white space is part of the signed content. */
  readonly layout: 'compact' | 'indented';
}

/** How a signature is made. `recipeOf` returns the correct one. Only faults use other ones. */
export interface SignatureRecipe {
  /** URI of the SignatureMethod. */
  readonly method: string;
  readonly digest: { readonly uri: string; readonly hash: DigestAlgorithm };
  /** Base64 of the certificate in KeyInfo; undefined: no KeyInfo. */
  readonly certificate: string | undefined;
  sign(signedInfo: Buffer): Promise<Buffer>;
  /** Changes the Signature before its SignedInfo is signed. */
  readonly shaped?: (signature: XmlElement) => XmlElement;
  /** Changes the Signature afterwards. */
  readonly finished?: (signature: XmlElement) => XmlElement;
}

type Placement = Pick<SigningOptions, 'c14n' | 'inherited' | 'layout'> & {
  /** The position of the Signature: behind the Issuer, or before everything else. */
  readonly place?: 'after_issuer' | 'first';
};

/** The element in its layout, with its signature. It must have an `ID` and an Issuer as its first child. */
export function signElement(
  element: XmlElement,
  { key, algorithms, ...placement }: SigningOptions,
): Promise<XmlElement> {
  return signBy(recipeOf(key, algorithms), element, placement);
}

/** @throws Error for a key whose algorithm cannot sign XML. */
export function recipeOf(
  { algorithm, privateKey, certificatePem }: SigningKey,
  { signature, digest }: SigningAlgorithms = usualAlgorithms,
): SignatureRecipe {
  if (algorithm.xmlSignatureMethod === undefined) throw new Error(`${algorithm.name} cannot sign XML`);
  return {
    method: signatureMethods[signature].uri,
    digest: { uri: digestMethodUris[digest], hash: digest },
    certificate: certificateBase64(certificatePem),
    sign: (signedInfo) => signWith(signature, signedInfo, privateKey),
  };
}

/** As signElement, with the caller's recipe. */
export async function signBy(recipe: SignatureRecipe, element: XmlElement, placement: Placement): Promise<XmlElement> {
  const { c14n, layout, inherited = new Map(), place = 'after_issuer' } = placement;
  const placed = (signature: XmlElement): XmlElement => {
    const root =
      place === 'first' ? { ...element, children: [signature, ...element.children] } : afterIssuer(element, signature);
    return layout === 'compact' ? root : indented(root);
  };
  const laidOut = (signature: XmlElement) =>
    firstChild(placed(signature), signatureNamespace, 'Signature') ?? signature;
  const draft = placed(signatureElement(recipe, c14n, { reference: '', digest: '', value: '' }));
  const without = firstChild(draft, signatureNamespace, 'Signature');
  const content = writeCanonical(draft, { kind: kindOf(c14n), inherited, without });
  const reference = attributeValue(element, 'ID') ?? '';
  const scope = scopeInside(element, inherited);
  return placed(await signatureOver({ reference, content }, recipe, { c14n, scope, laidOut }));
}

/** The Signature over one element, at any position in the document. */
export async function signatureOver(
  { reference, content }: { readonly reference: string; readonly content: string },
  recipe: SignatureRecipe,
  { c14n, scope, laidOut = (signature) => signature }: SignaturePlace,
): Promise<XmlElement> {
  const digest = createHash(recipe.digest.hash).update(content, 'utf8').digest('base64');
  const digested = laidOut(signatureElement(recipe, c14n, { reference, digest, value: '' }));
  const signedInfo = firstChild(digested, signatureNamespace, 'SignedInfo') ?? digested;
  const inherited = scopeInside(digested, scope);
  const value = await recipe.sign(Buffer.from(writeCanonical(signedInfo, { kind: kindOf(c14n), inherited }), 'utf8'));
  const { finished = (signature: XmlElement) => signature } = recipe;
  return finished(signatureElement(recipe, c14n, { reference, digest, value: value.toString('base64') }));
}

interface SignaturePlace {
  readonly c14n: C14nAlgorithm;
  /** Namespaces in scope where the Signature will be placed. */
  readonly scope: NamespaceScope;
  readonly laidOut?: (signature: XmlElement) => XmlElement;
}

export function kindOf(c14n: C14nAlgorithm): CanonicalForm['kind'] {
  return c14n === 'exc_c14n' ? 'exclusive' : 'inclusive';
}

function signatureElement(
  { method, digest: { uri }, certificate, shaped = (signature) => signature }: SignatureRecipe,
  c14n: C14nAlgorithm,
  { reference, digest, value }: Readonly<Record<'reference' | 'digest' | 'value', string>>,
): XmlElement {
  const signature = ds('Signature', {}, [
    ds('SignedInfo', {}, [
      ds('CanonicalizationMethod', { Algorithm: canonicalizationUris[c14n] }),
      ds('SignatureMethod', { Algorithm: method }),
      ds('Reference', { URI: `#${reference}` }, [
        ds('Transforms', {}, [
          ds('Transform', { Algorithm: envelopedSignatureUri }),
          ds('Transform', { Algorithm: canonicalizationUris[c14n] }),
        ]),
        ds('DigestMethod', { Algorithm: uri }),
        ds('DigestValue', {}, [digest]),
      ]),
    ]),
    ds('SignatureValue', {}, [value]),
    certificate === undefined
      ? undefined
      : ds('KeyInfo', {}, [ds('X509Data', {}, [ds('X509Certificate', {}, [certificate])])]),
  ]);
  return shaped(declaring(signature, [['ds', signatureNamespace]]));
}

/** @throws Error when the element has no Issuer: every Response and Assertion has one. */
function afterIssuer(element: XmlElement, signature: XmlElement): XmlElement {
  const issuer = firstChild(element, assertionNamespace, 'Issuer');
  if (issuer === undefined) throw new Error(`${element.local} has no Issuer, so its signature has no place`);
  return {
    ...element,
    children: element.children.flatMap((child) => (child === issuer ? [child, signature] : [child])),
  };
}
