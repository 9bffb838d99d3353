// A LogoutRequest or LogoutResponse on its way by the browser, signed as its binding has it (SLO-13; SAML bindings §3.4.4.1,
// §3.5), or directly by SOAP (SLO-15).
import { request as requestPlain } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { deflateRawSync } from 'node:zlib';
import { notStored, type Reply } from '#shared/http/reply.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { decodeXml } from '#shared/protocol/saml/xml/decode-xml.ts';
import { parseXml } from '#shared/protocol/saml/xml/parse-xml.ts';
import { writeDocument, xmlDeclaration } from '#shared/protocol/saml/xml/write-xml.ts';
import { elementsOf, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { soapEnvelope } from '#shared/protocol/saml/soap.ts';
import { recipeOf, signElement } from '#shared/saml/signing/sign-element.ts';
import { deliveryReply } from '../sso/delivery-page.ts';
import type { LogoutParameter } from './receive-logout-message.ts';

export interface OutgoingMessage {
  readonly parameter: LogoutParameter;
  readonly root: XmlElement;
  readonly address: string;
  readonly binding: 'HTTP-POST' | 'HTTP-Redirect';
  readonly relayState: string | undefined;
  /** Whom people read that it goes to. */
  readonly recipient: string;
}

export async function sendByBrowser(message: OutgoingMessage, context: RequestContext): Promise<Reply> {
  const { parameter, address, relayState, recipient } = message;
  if (message.binding === 'HTTP-POST') {
    const document = documentOf(await signed(message.root, context));
    const carried = relayState === undefined ? [] : [['RelayState', relayState] as const];
    const fields = [[parameter, Buffer.from(document).toString('base64')] as const, ...carried];
    return deliveryReply('logout', { action: address, recipient, fields });
  }
  const Location = await signedAddress(message, context);
  return notStored({ status: 302, headers: { Location }, body: '' });
}

/** The parameters are signed exactly as they are sent. */
async function signedAddress(
  { parameter, root, address, relayState }: OutgoingMessage,
  { signer }: RequestContext,
): Promise<string> {
  const { method, sign } = recipeOf(await signer.signingKey());
  const pair = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`;
  const query = [
    pair(parameter, deflateRawSync(Buffer.from(documentOf(root))).toString('base64')),
    ...(relayState === undefined ? [] : [pair('RelayState', relayState)]),
    pair('SigAlg', method),
  ].join('&');
  const signature = pair('Signature', (await sign(Buffer.from(query))).toString('base64'));
  return `${address}${address.includes('?') ? '&' : '?'}${query}&${signature}`;
}

async function signed(root: XmlElement, { snapshot, signer }: RequestContext): Promise<XmlElement> {
  const { c14n_algorithm: c14n } = snapshot.settings.saml;
  return signElement(root, { key: await signer.signingKey(), c14n, layout: 'compact' });
}

function documentOf(root: XmlElement): string {
  return `${xmlDeclaration}${writeDocument(root)}`;
}

const answerBytesMax = 256 * 1024;

/** One POST without redirects; the LogoutResponse of a 200, undefined for everything else. Never throws. */
export async function sendBySoap(
  { root, address }: Pick<OutgoingMessage, 'root' | 'address'>,
  context: RequestContext,
): Promise<XmlElement | undefined> {
  const { delivery_timeout_ms: milliseconds, verify_tls: rejectUnauthorized } = context.snapshot.settings.logout;
  const { c14n_algorithm: c14n } = context.snapshot.settings.saml;
  const style = c14n === 'exc_c14n' ? 'prefixed' : 'default_namespace';
  const body = soapEnvelope(await signed(root, context), style);
  const text = await postXml(address, body, { milliseconds, rejectUnauthorized });
  if (text === undefined) return undefined;
  try {
    return [...elementsOf(parseXml(decodeXml(text)))].find(({ local }) => local === 'LogoutResponse');
  } catch {
    return undefined;
  }
}

function postXml(
  address: string,
  body: string,
  { milliseconds, rejectUnauthorized }: { readonly milliseconds: number; readonly rejectUnauthorized: boolean },
): Promise<Buffer | undefined> {
  const url = new URL(address);
  const headers = {
    'Content-Type': 'text/xml; charset=utf-8',
    SOAPAction: '"http://www.oasis-open.org/committees/security"',
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const common = { method: 'POST', headers, agent: false } as const;
  return new Promise((resolve) => {
    const outgoing =
      url.protocol === 'https:' ? requestSecurely(url, { ...common, rejectUnauthorized }) : requestPlain(url, common);
    const settle = (answer: Buffer | undefined) => {
      clearTimeout(late);
      resolve(answer);
      outgoing.destroy();
    };
    const late = setTimeout(() => settle(undefined), milliseconds);
    outgoing.once('error', () => settle(undefined));
    outgoing.once('response', (response) => {
      if (response.statusCode !== 200) return settle(undefined);
      const parts: Buffer[] = [];
      let length = 0;
      response.on('data', (part: Buffer) => {
        length += part.length;
        if (length > answerBytesMax) settle(undefined);
        else parts.push(part);
      });
      response.once('error', () => settle(undefined));
      response.once('end', () => settle(Buffer.concat(parts)));
    });
    outgoing.end(body);
  });
}
