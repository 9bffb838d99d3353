// SOAP 1.1 around a Response, and SOAP faults (SOAP 1.1 §4, §6.2).

import { soapNamespace } from './vocabulary.ts';
import { writeDocument, xmlDeclaration } from './xml/write-xml.ts';
import { declaring, vocabulary, type XmlElement } from './xml/xml-element.ts';

const soap = vocabulary('soap', soapNamespace);
const unprefixed = vocabulary('', soapNamespace);

/**
 * Inclusive canonicalization takes every prefix in scope into the signature, the envelope's too, and then the Response
 * would verify either inside the envelope or taken out of it, never both. For it the envelope uses the default namespace,
 * which the Response takes back, so that nothing of the envelope reaches the Response.
 */
export type EnvelopeStyle = 'prefixed' | 'default_namespace';

export function soapEnvelope(response: XmlElement, style: EnvelopeStyle): string {
  if (style === 'prefixed') {
    return envelope(declaring(soap('Envelope', {}, [soap('Body', {}, [response])]), [['soap', soapNamespace]]));
  }
  const detached = declaring(response, [['', '']]);
  return envelope(declaring(unprefixed('Envelope', {}, [unprefixed('Body', {}, [detached])]), [['', soapNamespace]]));
}

/** `code` blames the sender (Client) or us (Server); the text is for people. */
export function soapFault(code: 'Client' | 'Server', text: string): string {
  const plain = vocabulary('', '');
  const fault = soap('Fault', {}, [plain('faultcode', {}, [`soap:${code}`]), plain('faultstring', {}, [text])]);
  return envelope(declaring(soap('Envelope', {}, [soap('Body', {}, [fault])]), [['soap', soapNamespace]]));
}

function envelope(root: XmlElement): string {
  return `${xmlDeclaration}${writeDocument(root)}\n`;
}
