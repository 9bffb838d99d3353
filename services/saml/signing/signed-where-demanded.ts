// The only place where responses are signed. While saml.sign_responses is on, the element gets the signature of the
// request's signer. Otherwise it is unchanged (SAM-45, SAM-46).
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type SigningOptions, signElement } from '#shared/engine/saml-signing/sign-element.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';

export async function signedWhereDemanded(
  element: XmlElement,
  { snapshot, signer }: Pick<ProtocolContext, 'snapshot' | 'signer'>,
  how: Pick<SigningOptions, 'inherited' | 'layout'> & Required<Pick<SigningOptions, 'algorithms'>>,
): Promise<XmlElement> {
  const { sign_responses, c14n_algorithm: c14n } = snapshot.settings.saml;
  return sign_responses ? signElement(element, { ...how, c14n, key: await signer.signingKey() }) : element;
}
