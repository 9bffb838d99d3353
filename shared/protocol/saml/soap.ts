// Puts a Response into a SOAP 1.1 envelope, and writes SOAP faults (SOAP 1.1 §4, §6.2).
import { soapNamespace } from './vocabulary.ts';
import { writeDocument, xmlDeclaration } from './xml/write-xml.ts';
import { childElements, declaring, firstChild, isNamed, vocabulary, type XmlElement } from './xml-element.ts';

const soap = vocabulary('soap', soapNamespace);
const unprefixed = vocabulary('', soapNamespace);

/**
 * Inclusive canonicalization includes every prefix in scope in the signature, also those of the envelope. The Response
 * would then verify either inside or outside the envelope, never both. For this form the envelope uses the default
 * namespace, and the Response resets it, so that the envelope does not affect the Response.
 */
type EnvelopeStyle = 'prefixed' | 'default_namespace';

export function soapEnvelope(response: XmlElement, style: EnvelopeStyle): string {
  if (style === 'prefixed') {
    return envelope(declaring(soap('Envelope', {}, [soap('Body', {}, [response])]), [['soap', soapNamespace]]));
  }
  const detached = declaring(response, [['', '']]);
  return envelope(declaring(unprefixed('Envelope', {}, [unprefixed('Body', {}, [detached])]), [['', soapNamespace]]));
}

/** The actor of a header block that is meant for the next recipient. */
const nextActor = 'http://schemas.xmlsoap.org/soap/actor/next';

/**
 * The first header block that is addressed to this server and marked mustUnderstand. This server supports no header
 * block, so it must not process a message with one (SOAP 1.1 §4.2.3). SAML itself defines none (SAML bindings §3.2.2).
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

/**
 * `code` blames the sender (Client), this server (Server) or a header block (MustUnderstand). The text is for people.
 */
export function soapFault(code: SoapFaultCode, text: string): string {
  const plain = vocabulary('', '');
  const fault = soap('Fault', {}, [plain('faultcode', {}, [`soap:${code}`]), plain('faultstring', {}, [text])]);
  return envelope(declaring(soap('Envelope', {}, [soap('Body', {}, [fault])]), [['soap', soapNamespace]]));
}

function envelope(root: XmlElement): string {
  return `${xmlDeclaration}${writeDocument(root)}\n`;
}
