// Sends a LogoutRequest or LogoutResponse by the browser, signed as its binding requires (SLO-13; SAML bindings
// §3.4.4.1, §3.5).
import { deflateRawSync } from 'node:zlib';
import { notStored, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { recipeOf, signElement } from '#shared/engine/saml-signing/sign-element.ts';
import type { SigningAlgorithms } from '#shared/protocol/saml/signature-algorithms.ts';
import { writeDocument, xmlDeclaration } from '#shared/protocol/saml/xml/write-xml.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { deliveryReply } from '../sso/delivery-page.ts';
import type { LogoutParameter } from './receive-logout-message.ts';

interface OutgoingMessage {
  readonly parameter: LogoutParameter;
  readonly root: XmlElement;
  readonly algorithms: SigningAlgorithms;
  readonly address: string;
  readonly binding: 'HTTP-POST' | 'HTTP-Redirect';
  readonly relayState: string | undefined;
  /** The recipient's name, shown to the user. */
  readonly recipient: string;
}

export async function sendByBrowser(message: OutgoingMessage, context: ProtocolContext): Promise<Reply> {
  const { parameter, address, relayState, recipient } = message;
  if (message.binding === 'HTTP-POST') {
    const document = documentOf(await signed(message, context));
    const carried = relayState === undefined ? [] : [['RelayState', relayState] as const];
    const fields = [[parameter, Buffer.from(document).toString('base64')] as const, ...carried];
    return deliveryReply('logout', { path: context.path, action: address, recipient, fields });
  }
  const Location = await signedAddress(message, context);
  return notStored({ status: 302, headers: { Location }, body: '' });
}

/** The parameters are signed exactly as they are sent. */
async function signedAddress(
  { parameter, root, algorithms, address, relayState }: OutgoingMessage,
  { signer }: ProtocolContext,
): Promise<string> {
  const { method, sign } = recipeOf(await signer.signingKey(), algorithms);
  const pair = (name: string, value: string) => `${name}=${encodeURIComponent(value)}`;
  const query = [
    pair(parameter, deflateRawSync(Buffer.from(documentOf(root))).toString('base64')),
    ...(relayState === undefined ? [] : [pair('RelayState', relayState)]),
    pair('SigAlg', method),
  ].join('&');
  const signature = pair('Signature', (await sign(Buffer.from(query))).toString('base64'));
  return `${address}${address.includes('?') ? '&' : '?'}${query}&${signature}`;
}

async function signed(
  { root, algorithms }: OutgoingMessage,
  { snapshot, signer }: ProtocolContext,
): Promise<XmlElement> {
  const { c14n_algorithm: c14n } = snapshot.settings.saml;
  return signElement(root, { key: await signer.signingKey(), algorithms, c14n, layout: 'compact' });
}

function documentOf(root: XmlElement): string {
  return `${xmlDeclaration}${writeDocument(root)}`;
}
