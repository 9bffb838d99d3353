// The one place where answers are signed: with saml.sign_responses in force the element gets the signature of the
// request's signer, otherwise it stays as it is (SAM-45, SAM-46).
import { altered } from '#shared/http/alterations.ts';
import type { RequestContext } from '#shared/http/request.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { type SigningOptions, signElement } from './sign-element.ts';

export async function signedWhereDemanded(
  element: XmlElement,
  { snapshot, signer, alterations }: Pick<RequestContext, 'snapshot' | 'signer' | 'alterations'>,
  layout: Pick<SigningOptions, 'inherited' | 'layout'>,
): Promise<XmlElement> {
  const { sign_responses, c14n_algorithm: c14n } = snapshot.settings.saml;
  const made = await altered(element, alterations.samlUnsigned);
  return sign_responses ? signElement(made, { ...layout, c14n, key: await signer.signingKey() }) : made;
}
