// Turns a posted or redirected message into a verified request: its binding, its content, and whether it has the
// signature that the settings demand (SAM-12 to SAM-19, SAM-24 to SAM-29). Nothing of a message is used before it is
// verified.
import { createHash, type KeyObject } from 'node:crypto';
import { ownTurnIfLate } from '#shared/base/scheduling/event-loop-turns.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { pageError } from '#shared/engine/exchange/route.ts';
import { keysOf } from '#shared/engine/saml-signing/keys-of.ts';
import { SignatureRefusedError, signatureRefused } from '#shared/engine/saml-signing/signature-refused.ts';
import { verifyEnvelopedSignature } from '#shared/engine/saml-signing/verify-enveloped.ts';
import type { ServiceProvider } from '#shared/model/configuration/service-provider.ts';
import { pageRefusals } from '#shared/model/refusals/families/pages.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { XmlUnreadableError } from '#shared/protocol/saml/xml/xml-unreadable.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { authnRequestProblem, readAuthnRequest } from '../protocol/authn-request.ts';
import { type Binding, readMessage } from '../protocol/bindings.ts';
import {
  byMemory,
  bySignedElement,
  bySignedQuery,
  type SamlMessage,
  type VerifiedAuthnRequest,
  withoutSignature,
} from '../protocol/verified-authn-request.ts';
import { registeredServiceProvider } from '../registered-service-provider.ts';
import { readSpKeys } from '../signing/sp-certificates.ts';
import { verifyRedirectSignature } from '../signing/verify-redirect.ts';
import { checkRelayState, SsoRefusedError, ssoRefused } from './sso-refused.ts';

const deflateEncoding = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';

/** The form field in which a login form names the binding of its request. */
export const originalVerbField = 'saml_original_verb';

/**
 * @throws PageError 400 without a message or with a wrong `saml_original_verb`: no audit entry (SAM-11, SAM-13).
 * @throws SsoRefusedError
 */
export async function receiveAuthnRequest(request: ParsedRequest, context: ProtocolContext): Promise<Received> {
  const message = messageOf(request);
  const binding = bindingOf(request);
  checkEncoding(request);
  checkRelayState(message.relayState);
  const received = await verified(message, binding, request, context);
  checkDestination(received.received, context);
  return received;
}

/** A verified request, with the registration of its sender. undefined: it has none. */
interface Received {
  readonly received: VerifiedAuthnRequest;
  readonly serviceProvider: ServiceProvider | undefined;
}

/** The purpose of a login: exactly this message by this binding (LOG-16, SAM-28). */
export function messageDigest({ samlRequest, relayState }: SamlMessage, binding: Binding): string {
  return createHash('sha256')
    .update(JSON.stringify([samlRequest, relayState, binding]))
    .digest('base64url');
}

export function messageOf({ form, query }: ParsedRequest): SamlMessage {
  const samlRequest = form.value('SAMLRequest') ?? query.value('SAMLRequest');
  if (samlRequest === undefined) {
    throw pageError(pageRefusals.saml_request_missing);
  }
  return { samlRequest, relayState: form.first('RelayState') ?? query.first('RelayState') };
}

export function bindingOf({ form, method }: ParsedRequest): Binding {
  const named = form.first(originalVerbField)?.toUpperCase();
  if (named === undefined) return method === 'POST' ? 'POST' : 'GET';
  if (named === 'GET' || named === 'POST') return named;
  throw pageError(pageRefusals.saml_login_form_wrong, { field: originalVerbField });
}

/**
 * The query of a message may name its encoding. Only one encoding exists (SAML bindings §3.4.4.1). A form has no such
 * parameter.
 */
function checkEncoding({ form, query }: ParsedRequest): void {
  if (form.value('SAMLRequest') !== undefined) return;
  const other = query.values('SAMLEncoding').some((encoding) => encoding !== deflateEncoding);
  if (other) throw ssoRefused(samlRefusals.saml_encoding_unknown, { known: deflateEncoding });
}

async function verified(
  message: SamlMessage,
  binding: Binding,
  request: ParsedRequest,
  context: ProtocolContext,
): Promise<Received> {
  const { saml } = context.snapshot.settings;
  await ownTurnIfLate();
  const read = ({ samlRequest }: SamlMessage) => readRoot(samlRequest, binding, context);
  const root = read(message);
  // The claimed sender only selects the keys. Nothing else of the message is used before it is verified.
  const claimed = root && readAuthnRequest(root).issuer;
  const serviceProvider = await registeredServiceProvider(claimed, context);
  const isSigned = saml.want_authn_requests_signed || serviceProvider?.want_signed_requests === true;
  if (!isSigned) return { received: withoutSignature(message, binding, root), serviceProvider };
  try {
    const keys = () => spKeys(serviceProvider, context);
    const received =
      binding === 'POST'
        ? await verifiedPost(message, root, keys, context)
        : request.method === 'POST'
          ? await rememberedRedirect(message, read, context)
          : bySignedQuery(verifyRedirectSignature(request.rawQuery, await keys()), read);
    if (received.issuer !== claimed) throw signatureRefused('saml_signature_of_another_element');
    return { received, serviceProvider };
  } catch (error) {
    if (!(error instanceof SignatureRefusedError)) throw error;
    const message = `The signature of this SAML request is invalid: ${error.message}.`;
    throw new SsoRefusedError({ ...error, message });
  }
}

async function verifiedPost(
  message: SamlMessage,
  root: XmlElement | undefined,
  keys: () => Promise<readonly KeyObject[]>,
  context: ProtocolContext,
): Promise<VerifiedAuthnRequest> {
  if (root === undefined) throw signatureRefused('saml_signed_request_unreadable');
  const signed = await verifyEnvelopedSignature(root, await keys());
  requireAuthnRequest(signed.root, context);
  return bySignedElement(message, signed);
}

/**
 * A login form posted for a redirect. The signature was in the query, so only the stored digest of this browser proves
 * it.
 */
async function rememberedRedirect(
  message: SamlMessage,
  read: (message: SamlMessage) => XmlElement | undefined,
  context: ProtocolContext,
): Promise<VerifiedAuthnRequest> {
  const { browser } = await context.session();
  const digest = messageDigest(message, 'GET');
  const known = await context.store.verifiedAuthnRequests.recall(browser, digest, context.clock.now());
  if (!known) throw signatureRefused('saml_signed_request_not_remembered');
  return byMemory(message, read(message));
}

/** A registered service provider has its own keys and no others (SPM-10). */
async function spKeys(
  serviceProvider: ServiceProvider | undefined,
  { snapshot, log }: ProtocolContext,
): Promise<readonly KeyObject[]> {
  const keys =
    serviceProvider === undefined ? await readSpKeys(snapshot.paths.spCertificates, log) : keysOf(serviceProvider);
  if (keys.length === 0) throw signatureRefused('saml_certificates_missing');
  return keys;
}

/** undefined: unreadable, which lenient reading treats as an empty request (SAM-16). */
function readRoot(samlRequest: string, binding: Binding, context: ProtocolContext): XmlElement | undefined {
  const strict = context.snapshot.settings.saml.strict_binding;
  let root: XmlElement;
  try {
    root = readMessage(samlRequest, binding, strict);
  } catch (error) {
    if (!(error instanceof XmlUnreadableError)) throw error;
    const form = binding === 'GET' ? 'an XML document, raw DEFLATE, then base64' : 'an XML document in base64';
    const sentence = `SAMLRequest must be ${form}. ${error.message}`;
    if (strict) {
      const mistaken = hasFormOfOther(samlRequest, binding)
        ? ` It has the form of the ${otherOf(binding).name} binding.`
        : '';
      throw ssoRefused(samlRefusals.saml_request_unreadable, { sentence: `${sentence}${mistaken}` });
    }
    context.log.warn({ requestId: context.requestId, reason: error.message }, 'a SAMLRequest cannot be read');
    return undefined;
  }
  requireAuthnRequest(root, context);
  return root;
}

function otherOf(binding: Binding): { readonly binding: Binding; readonly name: string } {
  return binding === 'GET' ? { binding: 'POST', name: 'HTTP-POST' } : { binding: 'GET', name: 'HTTP-Redirect' };
}

/** The most common mistake: a library that encodes the message for one binding and sends it by the other. */
function hasFormOfOther(samlRequest: string, binding: Binding): boolean {
  try {
    readMessage(samlRequest, otherOf(binding).binding, true);
    return true;
  } catch (error) {
    if (error instanceof XmlUnreadableError) return false;
    throw error;
  }
}

function requireAuthnRequest(root: XmlElement, context: ProtocolContext): void {
  const problem = context.snapshot.settings.saml.strict_binding ? authnRequestProblem(root) : undefined;
  if (problem !== undefined) throw ssoRefused(samlRefusals[problem]);
}

/** A signed message must name its destination (SAML bindings §3.4.5.2, §3.5.5.2). For others this is optional. */
function checkDestination({ destination, proof }: VerifiedAuthnRequest, context: ProtocolContext): void {
  const { saml } = context.snapshot.settings;
  const { sso_url } = effectiveSamlAddresses(saml, context);
  const isSigned = proof !== 'not_required';
  if (destination === sso_url || (destination === undefined && !isSigned)) return;
  const { saml_destination_missing, saml_destination_wrong } = samlRefusals;
  const row = destination === undefined ? saml_destination_missing : saml_destination_wrong;
  const refusal = ssoRefused(row, { sent: destination, expected: sso_url });
  if (saml.strict_binding) throw refusal;
  context.log.warn(
    { requestId: context.requestId, destination, expected: sso_url },
    destination === undefined ? refusal.reason : 'wrong Destination in AuthnRequest',
  );
}
