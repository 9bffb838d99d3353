// Faults of the signature of a login: it is missing, covers another element, or uses another key or algorithm. A
// service provider has the Assertion signed, the Response, or both (SPM-11). A fault changes every signature, because a
// service provider could accept the response for one correct signature.
import { createHmac, sign } from 'node:crypto';
import type { UnusualSignature } from '#shared/engine/exchange/saml-answer.ts';
import { replacing, replacingAt, withChildren, withText } from '#shared/protocol/saml/edit-tree.ts';
import { freshIdentifier } from '#shared/protocol/saml/identifiers.ts';
import { ds, protocolNamespace, saml2p, signatureNamespace } from '#shared/protocol/saml/vocabulary.ts';
import { declaring, textOf, vocabulary, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import {
  isSigned,
  ofLogin,
  type SamlChange,
  type SamlSite,
  unsigned,
  withAssertions,
  withSignature,
} from './saml-change.ts';
import { nameIdOf, withNameId } from './subject.ts';

/** No signature at all. */
export const notSigned: SamlChange = ofLogin(({ response, assertion }, answer) => {
  if (!isSigned(response) && !isSigned(assertion)) return undefined;
  return { ...answer, response: withAssertions(unsigned(response), [unsigned(assertion)]) };
});

export const responseSignedOnly: SamlChange = ofLogin(async ({ response, assertion }, answer, { answerTools }) => {
  if (!isSigned(assertion)) return undefined;
  const bare = withAssertions(unsigned(response), [unsigned(assertion)]);
  return { ...answer, response: await answerTools.signed(bare) };
});

const extension = vocabulary('ext', 'urn:test-idp:extension');

/** The one signature is valid, and covers neither Response nor Assertion. */
export const otherElementSigned: SamlChange = ofLogin(async ({ response, assertion }, answer, site) => {
  if (!isSigned(response) && !isSigned(assertion)) return undefined;
  const note = declaring(extension('Note', {}, ['This alone is signed.']), [['ext', 'urn:test-idp:extension']]);
  const extensions = saml2p('Extensions', { ID: freshIdentifier(site.random) }, [note]);
  const bare = withAssertions(unsigned(response), [unsigned(assertion)]);
  const signature = await site.answerTools.signatureOver(extensions, { within: bare });
  return { ...answer, response: withSignature(beforeStatus(bare, extensions), signature) };
});

/** The Response with an element in the position of its Extensions. */
export function beforeStatus(response: XmlElement, element: XmlElement): XmlElement {
  return replacing(response, [protocolNamespace, 'Status'], (status) => [element, status]) ?? response;
}

/** Signs the same elements again in an unusual way: the Assertion, then the Response around the changed Assertion. */
export function signedBy(unusual: (site: SamlSite) => UnusualSignature): SamlChange {
  return ofLogin(async ({ response, assertion }, answer, site) => {
    if (!isSigned(response) && !isSigned(assertion)) return undefined;
    const { answerTools } = site;
    const how = unusual(site);
    const sealed = isSigned(assertion)
      ? await answerTools.signed(unsigned(assertion), { within: response }, how)
      : assertion;
    const whole = withAssertions(response, [sealed]);
    return { ...answer, response: isSigned(response) ? await answerTools.signed(unsigned(whole), {}, how) : whole };
  });
}

/** A digest of other content, under a signature that is valid in itself. */
export const digestTampered = signedBy(({ random }) => {
  const other = random.bytes(32).toString('base64');
  return { shaped: (signature) => inSignedInfo(signature, ['Reference', 'DigestValue'], (it) => withText(it, other)) };
});

/**
 * Another name under the signatures for the correct one. A login of a user who already has that name is not changed.
 */
export const contentTampered = (nameId: string): SamlChange =>
  ofLogin(({ response, assertion }, answer) => {
    const isAnother = (isSigned(response) || isSigned(assertion)) && nameIdOf(assertion) !== nameId;
    const changed = isAnother ? withNameId(assertion, nameId) : undefined;
    return changed && { ...answer, response: withAssertions(response, [changed]) };
  });

/** One bit of the signature's value is changed. */
export const signatureTampered = signedBy(() => ({
  finished: (signature) =>
    replacingAt(signature, signatureNamespace, ['SignatureValue'], (value) => {
      const octets = Buffer.from(textOf(value), 'base64');
      const middle = octets.length >> 1;
      octets[middle] = (octets[middle] ?? 0) ^ 1;
      return withText(value, octets.toString('base64'));
    }) ?? signature,
}));

export const keyUnknown = signedBy(unknownKey);
export const keyUnknownBare = signedBy((site) => ({ ...unknownKey(site), certificatePem: null }));
export const keyInfoWrong = signedBy((site) => {
  const { key } = unknownKey(site);
  return key === undefined ? {} : { certificatePem: key.certificatePem };
});

function unknownKey({ unknownKey: key }: SamlSite): UnusualSignature {
  if (key === undefined) throw new Error('no key was drawn for a fault that needs one');
  return { key };
}

export const sha1 = signedBy(({ activeKey }) => ({
  algorithm: {
    method: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
    digest: { uri: 'http://www.w3.org/2000/09/xmldsig#sha1', hash: 'sha1' },
    sign: (signedInfo) => sign('RSA-SHA1', signedInfo, activeKey.privateKey),
  },
}));

/** A service provider that lets the message choose between secret and public key uses the public key as a secret. */
export const hmacWithPublicKey = signedBy(({ activeKey }) => ({
  algorithm: {
    method: 'http://www.w3.org/2001/04/xmldsig-more#hmac-sha256',
    digest: { uri: 'http://www.w3.org/2001/04/xmlenc#sha256', hash: 'sha256' },
    sign: (signedInfo) => createHmac('sha256', activeKey.certificatePem).update(signedInfo).digest(),
  },
}));

const xslNamespace = 'http://www.w3.org/1999/XSL/Transform';
const xsl = vocabulary('xsl', xslNamespace);

/** A stylesheet that copies everything: a parser that runs it finds a correct digest. */
const copyAll = declaring(
  xsl('stylesheet', { version: '1.0' }, [
    xsl('template', { match: '@*|node()' }, [xsl('copy', {}, [xsl('apply-templates', { select: '@*|node()' })])]),
  ]),
  [['xsl', xslNamespace]],
);

export const xsltTransform = signedBy(() => ({
  shaped: (signature) =>
    inSignedInfo(signature, ['Reference', 'Transforms'], (transforms) => {
      const xslt = ds('Transform', { Algorithm: 'http://www.w3.org/TR/1999/REC-xslt-19991116' }, [copyAll]);
      // Behind enveloped-signature and before the canonicalization, which makes octets of the stylesheet's output.
      return withChildren(transforms, transforms.children.toSpliced(1, 0, xslt));
    }),
}));

function inSignedInfo(
  signature: XmlElement,
  path: readonly string[],
  change: (element: XmlElement) => XmlElement,
): XmlElement {
  return replacingAt(signature, signatureNamespace, ['SignedInfo', ...path], change) ?? signature;
}
