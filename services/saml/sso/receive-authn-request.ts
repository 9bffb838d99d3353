// From the posted or redirected message to a request that may be acted upon: which binding it came by, what it says, and
// whether it has the signature that the settings ask for (SAM-12 to SAM-19, SAM-24 to SAM-29). Nothing of a message is
// used before it is verified.
import { createHash } from 'node:crypto';
import type { ParsedRequest, RequestContext } from '#shared/http/request.ts';
import { PageError } from '#shared/http/route.ts';
import { ownTurnIfLate } from '#shared/next-turn.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import type { XmlElement } from '#shared/protocol/saml/xml-element.ts';
import { samlRefusals } from '#shared/refusals/families/saml.ts';
import { authnRequestProblem } from '../protocol/authn-request.ts';
import { type Binding, readMessage } from '../protocol/bindings.ts';
import {
  byMemory,
  bySignedElement,
  bySignedQuery,
  type SamlMessage,
  type VerifiedAuthnRequest,
  withoutSignature,
} from '../protocol/verified-authn-request.ts';
import { XmlUnreadableError } from '../protocol/xml/xml-unreadable.ts';
import { SignatureRefusedError, signatureRefused } from '../signing/signature-refused.ts';
import { readSpKeys } from '../signing/sp-certificates.ts';
import { verifyEnvelopedSignature } from '../signing/verify-enveloped.ts';
import { verifyRedirectSignature } from '../signing/verify-redirect.ts';
import { SsoRefusedError, ssoRefused } from './sso-refused.ts';

const deflateEncoding = 'urn:oasis:names:tc:SAML:2.0:bindings:URL-Encoding:DEFLATE';

/** The form field with which a login form says by which binding its request came. */
export const originalVerbField = 'saml_original_verb';

/**
 * @throws PageError 400 without a message or with a wrong `saml_original_verb`: no audit entry (SAM-11, SAM-13).
 * @throws SsoRefusedError
 */
export async function receiveAuthnRequest(
  request: ParsedRequest,
  context: RequestContext,
): Promise<VerifiedAuthnRequest> {
  const message = messageOf(request);
  const binding = bindingOf(request);
  checkEncoding(request);
  const received = await verified(message, binding, request, context);
  checkDestination(received, context);
  return received;
}

/** What the login is for: exactly this message by this binding (LOG-16, SAM-28). */
export function messageDigest({ samlRequest, relayState }: SamlMessage, binding: Binding): string {
  return createHash('sha256')
    .update(JSON.stringify([samlRequest, relayState, binding]))
    .digest('base64url');
}

export function messageOf({ form, query }: ParsedRequest): SamlMessage {
  const samlRequest = form.value('SAMLRequest') ?? query.value('SAMLRequest');
  if (samlRequest === undefined) {
    throw new PageError(
      400,
      'No SAML request',
      'The parameter SAMLRequest is missing: a service provider sends it to begin a login. There is no login without it.',
    );
  }
  return { samlRequest, relayState: form.first('RelayState') ?? query.first('RelayState') ?? '' };
}

export function bindingOf({ form, method }: ParsedRequest): Binding {
  const named = form.first(originalVerbField)?.toUpperCase();
  if (named === undefined) return method === 'POST' ? 'POST' : 'GET';
  if (named === 'GET' || named === 'POST') return named;
  throw new PageError(400, 'Wrong SAML login form', `The field ${originalVerbField} must be GET or POST.`);
}

/**
 * The query that carries a message may name how it is encoded; of the encodings that could be, there is one (SAML bindings
 * §3.4.4.1). A form carries no such parameter.
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
  context: RequestContext,
): Promise<VerifiedAuthnRequest> {
  const { saml } = context.snapshot.settings;
  await ownTurnIfLate();
  const read = ({ samlRequest }: SamlMessage) => readRoot(samlRequest, binding, context);
  if (!saml.want_authn_requests_signed) return withoutSignature(message, binding, read(message));
  try {
    if (binding === 'POST') return await verifiedPost(message, read(message), context);
    if (request.method === 'POST') return await rememberedRedirect(message, read, context);
    const signed = verifyRedirectSignature(request.rawQuery, await spKeys(context));
    return bySignedQuery(signed, read);
  } catch (error) {
    if (!(error instanceof SignatureRefusedError)) throw error;
    const message = `The signature of this SAML request is refused: ${error.message}.`;
    throw new SsoRefusedError({ ...error, message });
  }
}

async function verifiedPost(
  message: SamlMessage,
  root: XmlElement | undefined,
  context: RequestContext,
): Promise<VerifiedAuthnRequest> {
  if (root === undefined) throw signatureRefused('saml_signed_request_unreadable');
  const signed = await verifyEnvelopedSignature(root, await spKeys(context));
  requireAuthnRequest(signed.root, context);
  return bySignedElement(message, signed);
}

/** A login form posted for a redirect: its signature was the query's, which only this browser's memory vouches for. */
async function rememberedRedirect(
  message: SamlMessage,
  read: (message: SamlMessage) => XmlElement | undefined,
  context: RequestContext,
): Promise<VerifiedAuthnRequest> {
  const { browser } = await context.session();
  const digest = messageDigest(message, 'GET');
  const known = await context.store.verifiedAuthnRequests.recall(browser, digest, context.clock.now());
  if (!known) throw signatureRefused('saml_signed_request_not_remembered');
  return byMemory(message, read(message));
}

async function spKeys(context: RequestContext) {
  const keys = await readSpKeys(context.snapshot.paths.spCertificates, context.log);
  if (keys.length === 0) throw signatureRefused('saml_certificates_missing');
  return keys;
}

/** undefined: unreadable, which lenient reading takes for a request that says nothing (SAM-16). */
function readRoot(samlRequest: string, binding: Binding, context: RequestContext): XmlElement | undefined {
  const strict = context.snapshot.settings.saml.strict_binding;
  let root: XmlElement;
  try {
    root = readMessage(samlRequest, binding, strict);
  } catch (error) {
    if (!(error instanceof XmlUnreadableError)) throw error;
    const form = binding === 'GET' ? 'base64 of raw DEFLATE of an XML document' : 'base64 of an XML document';
    const sentence = `SAMLRequest must be ${form}. ${error.message}`;
    if (strict) throw ssoRefused(samlRefusals.saml_request_unreadable, { sentence });
    context.log.warn({ requestId: context.requestId, reason: error.message }, 'a SAMLRequest cannot be read');
    return undefined;
  }
  requireAuthnRequest(root, context);
  return root;
}

function requireAuthnRequest(root: XmlElement, context: RequestContext): void {
  const problem = context.snapshot.settings.saml.strict_binding ? authnRequestProblem(root) : undefined;
  if (problem !== undefined) throw ssoRefused(samlRefusals[problem]);
}

/** A signed message must say where it was sent (SAML bindings §3.4.5.2, §3.5.5.2); any other may. */
function checkDestination({ destination, proof }: VerifiedAuthnRequest, context: RequestContext): void {
  const { saml } = context.snapshot.settings;
  const { sso_url } = effectiveSamlAddresses(saml, context.issuer);
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
