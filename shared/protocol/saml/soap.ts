// SOAP 1.1 around a Response, and SOAP faults (SOAP 1.1 §4, §6.2).
import { soapNamespace } from './vocabulary.ts';
import { writeDocument, xmlDeclaration } from './xml/write-xml.ts';
import { childElements, declaring, firstChild, isNamed, vocabulary, type XmlElement } from './xml-element.ts';

const soap = vocabulary('soap', soapNamespace);
const unprefixed = vocabulary('', soapNamespace);

/**
 * Inclusive canonicalization takes every prefix in scope into the signature, the envelope's too, and then the Response
 * would verify either inside the envelope or taken out of it, never both. For it the envelope uses the default namespace,
 * which the Response takes back, so that nothing of the envelope reaches the Response.
 */
type EnvelopeStyle = 'prefixed' | 'default_namespace';

export function soapEnvelope(response: XmlElement, style: EnvelopeStyle): string {
  if (style === 'prefixed') {
    return envelope(declaring(soap('Envelope', {}, [soap('Body', {}, [response])]), [['soap', soapNamespace]]));
  }
  const detached = declaring(response, [['', '']]);
  return envelope(declaring(unprefixed('Envelope', {}, [unprefixed('Body', {}, [detached])]), [['', soapNamespace]]));
}

/** The actor of a header block that is meant for whoever reads it next. */
const nextActor = 'http://schemas.xmlsoap.org/soap/actor/next';

/**
 * The first header block that is addressed to us and must be understood. No header block is known here, so a message with
 * one may not be processed (SOAP 1.1 §4.2.3); SAML itself defines none (SAML bindings §3.2.2).
 */
export function mandatoryHeaderBlock(root: XmlElement): XmlElement | undefined {
  if (!isNamed(root, soapNamespace, 'Envelope')) return undefined;
  const header = firstChild(root, soapNamespace, 'Header');
  const blocks = header === undefined ? [] : childElements(header);
  return blocks.find(
    (block) =>
      soapAttribute(block, 'mustUnderstand')?.trim() === '1' &&
      ['', nextActor].includes(soapAttribute(block, 'actor')?.trim() ?? ''),
  );
}

function soapAttribute(element: XmlElement, local: string): string | undefined {
  return element.attributes.find((attribute) => attribute.namespace === soapNamespace && attribute.local === local)
    ?.value;
}

export type SoapFaultCode = 'Client' | 'Server' | 'MustUnderstand';

/** `code` blames the sender (Client), us (Server) or a header block (MustUnderstand); the text is for people. */
export function soapFault(code: SoapFaultCode, text: string): string {
  const plain = vocabulary('', '');
  const fault = soap('Fault', {}, [plain('faultcode', {}, [`soap:${code}`]), plain('faultstring', {}, [text])]);
  return envelope(declaring(soap('Envelope', {}, [soap('Body', {}, [fault])]), [['soap', soapNamespace]]));
}

function envelope(root: XmlElement): string {
  return `${xmlDeclaration}${writeDocument(root)}\n`;
}
