// Turns a request to /saml/slo into a verified message: its binding, the registered service provider that signed it,
// and whether this server is its destination (SLO-05 to SLO-07). Nothing of the message is used before it is verified.

import { ownTurnIfLate } from '#shared/base/scheduling/event-loop-turns.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { findEffectiveServiceProvider } from '#shared/engine/identities/effective-identities.ts';
import { keysOf } from '#shared/engine/saml-signing/keys-of.ts';
import { SignatureRefusedError, signatureRefused } from '#shared/engine/saml-signing/signature-refused.ts';
import { verifyEnvelopedSignature } from '#shared/engine/saml-signing/verify-enveloped.ts';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { issuerOf } from '#shared/model/saml-rules/logout-messages.ts';
import { XmlUnreadableError } from '#shared/protocol/saml/xml/xml-unreadable.ts';
import { attributeValue, type XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { readMessage } from '../protocol/bindings.ts';
import { verifyRedirectSignature } from '../signing/verify-redirect.ts';
import { SsoRefusedError, ssoRefused } from '../sso/sso-refused.ts';
import { isSloUrl, sloUrl } from './slo-url.ts';

export type LogoutParameter = 'SAMLRequest' | 'SAMLResponse';

export interface ReceivedLogoutMessage {
  readonly serviceProvider: ServiceProvider;
  readonly binding: 'HTTP-POST' | 'HTTP-Redirect';
  /** Exactly the element that was verified. */
  readonly root: XmlElement;
  readonly relayState: string | undefined;
}

/** undefined: the request carries none. */
export function logoutParameterOf(request: ParsedRequest): LogoutParameter | undefined {
  return (['SAMLRequest', 'SAMLResponse'] as const).find((name) => messageOf(request, name) !== undefined);
}

/** From the form first, else from the query, by either method (SAM-12). */
export function messageOf({ form, query }: ParsedRequest, parameter: LogoutParameter): string | undefined {
  return form.value(parameter) ?? query.value(parameter);
}

export function relayStateOf({ form, query }: ParsedRequest): string | undefined {
  return form.first('RelayState') ?? query.first('RelayState');
}

/** The entity that the message names as its issuer, unverified. undefined: it names none. */
export function claimedIssuer(request: ParsedRequest, context: ProtocolContext): string | undefined {
  const parameter = logoutParameterOf(request);
  const isPost = request.method === 'POST';
  const encoded = parameter && messageOf(request, parameter);
  try {
    return encoded === undefined ? undefined : issuerOf(read(encoded, isPost, context));
  } catch {
    return undefined;
  }
}

/** @throws SsoRefusedError */
export async function receiveLogoutMessage(
  parameter: LogoutParameter,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<ReceivedLogoutMessage> {
  const isPost = request.method === 'POST';
  await ownTurnIfLate();
  const claimed = issuerOf(read(messageOf(request, parameter) ?? '', isPost, context));
  const { snapshot, store } = context;
  const found = claimed === undefined ? undefined : await findEffectiveServiceProvider(snapshot, store, claimed);
  if (found === undefined) throw ssoRefused(samlRefusals.service_provider_not_registered);
  const { serviceProvider } = found;
  const root = await verified(parameter, serviceProvider, request, context);
  if (issuerOf(root) !== claimed) throw ssoRefused(samlRefusals.service_provider_not_registered);
  const sent = attributeValue(root, 'Destination');
  if (!isSloUrl(sent, context)) {
    throw ssoRefused(samlRefusals.saml_logout_destination_wrong, { sent, expected: sloUrl(context) });
  }
  const binding = isPost ? 'HTTP-POST' : 'HTTP-Redirect';
  return { serviceProvider, binding, root, relayState: relayStateOf(request) };
}

async function verified(
  parameter: LogoutParameter,
  serviceProvider: ServiceProvider,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<XmlElement> {
  try {
    const keys = keysOf(serviceProvider);
    if (keys.length === 0) throw signatureRefused('saml_certificates_missing');
    if (request.method === 'POST') {
      const root = read(messageOf(request, parameter) ?? '', true, context);
      return (await verifyEnvelopedSignature(root, keys)).root;
    }
    const { message } = verifyRedirectSignature(request.rawQuery, keys, parameter);
    return read(message.samlRequest, false, context);
  } catch (error) {
    if (!(error instanceof SignatureRefusedError)) throw error;
    const message = `The signature of this SAML message is invalid: ${error.message}.`;
    throw new SsoRefusedError({ ...error, message });
  }
}

function read(encoded: string, isPost: boolean, { snapshot }: ProtocolContext): XmlElement {
  try {
    return readMessage(encoded, isPost ? 'POST' : 'GET', snapshot.settings.saml.strict_binding);
  } catch (error) {
    if (!(error instanceof XmlUnreadableError)) throw error;
    const sentence = `The SAML message must be an XML document in base64. In a query it is also deflated. ${error.message}`;
    throw ssoRefused(samlRefusals.saml_logout_unreadable, { sentence });
  }
}
