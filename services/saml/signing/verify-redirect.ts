// Verifies the signature of an HTTP-Redirect message. It covers the query's SAMLRequest, RelayState (when sent) and
// SigAlg, in that order and still encoded as transmitted (SAML bindings §3.4.4.1, SAM-25). The message is decoded from
// exactly the text that was verified. A repeated parameter is rejected, because two readers could use different ones.
import type { KeyObject } from 'node:crypto';
import { signatureRefused } from '#shared/engine/saml-signing/signature-refused.ts';
import { signatureAlgorithmOf, verifyWith } from '#shared/protocol/saml/signature-algorithms.ts';
import { SignedQuery } from '../protocol/verified-authn-request.ts';

/** `rawQuery` without the question mark. @throws SignatureRefusedError */
export function verifyRedirectSignature(
  rawQuery: string,
  keys: readonly KeyObject[],
  message: 'SAMLRequest' | 'SAMLResponse' = 'SAMLRequest',
): SignedQuery {
  const samlRequest = rawParameter(rawQuery, message);
  const relayState = rawParameter(rawQuery, 'RelayState');
  const algorithm = rawParameter(rawQuery, 'SigAlg');
  const signature = rawParameter(rawQuery, 'Signature');
  if (samlRequest === undefined) throw signatureRefused('saml_request_not_in_query');
  if (signature === undefined || decoded(signature) === '') throw signatureRefused('saml_query_signature_missing');
  if (algorithm === undefined) throw signatureRefused('saml_signature_algorithm_missing');
  const method = signatureAlgorithmOf(decoded(algorithm));
  if (method === undefined) throw signatureRefused('saml_query_algorithm_not_supported');

  const relayed = relayState === undefined ? '' : `&RelayState=${relayState}`;
  const signed = Buffer.from(`${message}=${samlRequest}${relayed}&SigAlg=${algorithm}`, 'utf8');
  const value = Buffer.from(decoded(signature), 'base64');
  if (!keys.some((key) => verifyWith(method, signed, key, value))) {
    throw signatureRefused('saml_query_signature_wrong');
  }
  return new SignedQuery({ samlRequest: decoded(samlRequest), relayState: relayState && decoded(relayState) });
}

/**
 * The value as transmitted. Only the unencoded spelling of the name counts, because the name is part of the signed
 * text.
 */
function rawParameter(rawQuery: string, name: string): string | undefined {
  const found = rawQuery.split('&').filter((pair) => pair === name || pair.startsWith(`${name}=`));
  if (found.length > 1) throw signatureRefused('saml_query_parameter_repeated', { parameter: name });
  return found[0]?.slice(name.length + 1);
}

function decoded(raw: string): string {
  return new URLSearchParams(`value=${raw}`).get('value') ?? '';
}
