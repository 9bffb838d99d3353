// Request objects while oauth.request_objects is on (OIDC Core §6, SSO-52). `request`, or the document at
// `request_uri`, is a JWT whose members override the query. It is read once, after the client's check and before all
// others. Its members are then checked like a query.

import { Parameters } from '#shared/base/parameters.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { decodeToken } from '#shared/engine/tokens/verify-token.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { authorizeRefusals } from '#shared/model/refusals/families/authorize.ts';
import { oauthError } from '#shared/model/refusals/oauth-error.ts';
import { requestObjectAlgorithms } from '#shared/protocol/jose/signing-algorithms.ts';
import { parametersOfRequestObject } from '#shared/protocol/oidc/request-object.ts';
import { ClientJwtRefusedError, readUnsecuredJwt, verifyClientJwt } from '../client-documents/client-keys.ts';
import { DocumentRefusedError } from '../client-documents/document-refused.ts';
import { fetchClientDocument } from '../client-documents/fetch-client-document.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * The effective parameters: those of the query when it names no object.
 * @throws OAuthError invalid_request_object, invalid_request_uri
 */
export async function withRequestObject(
  query: Parameters,
  client: Client,
  context: ProtocolContext,
): Promise<Parameters> {
  const inline = query.value('request');
  const address = query.value('request_uri');
  if (inline === undefined && address === undefined) return query;
  const jwt = inline ?? (await fetchObject(address ?? '', client, context));
  const object = await readObject(jwt, client, context);
  for (const name of ['request', 'request_uri']) if (Object.hasOwn(object, name)) unusable(`it contains ${name}`);
  for (const name of ['client_id', 'response_type']) {
    const [inObject, sent] = [object[name], query.value(name)];
    // RFC 9101 §5 allows a query with only the client_id, and libraries send it.
    if (inObject !== undefined && sent !== undefined && inObject !== sent)
      unusable(`its ${name} differs from the ${name} in the query`);
  }
  return merged(query, object);
}

/**
 * One of the two, once (RFC 9101 §5).
 * @throws OAuthError invalid_request
 */
export function checkNamedOnce(query: Parameters): void {
  if (query.value('request') !== undefined && query.value('request_uri') !== undefined) {
    throw oauthError(authorizeRefusals.request_objects_doubled);
  }
  for (const name of ['request', 'request_uri']) {
    if (query.values(name).length > 1) throw oauthError(authorizeRefusals.parameter_repeated, { parameter: name });
  }
}

async function fetchObject(address: string, client: Client, context: ProtocolContext): Promise<string> {
  const refuse = (problem: string) => oauthError(authorizeRefusals.request_uri_unusable, { problem });
  if (!client.request_uris.includes(address)) throw refuse('it is not among the request_uris of the client');
  try {
    // The fragment is a digest of the object and not part of its address (OIDC Core §6.2).
    const { body } = await fetchClientDocument(address.split('#', 1)[0] ?? '', context);
    return body.toString('utf8').trim();
  } catch (error) {
    if (error instanceof DocumentRefusedError) throw refuse(error.message);
    throw error;
  }
}

/** Unsigned or signed. `iss` and `aud` are checked if present (OIDC Core §6.1). */
async function readObject(jwt: string, client: Client, context: ProtocolContext): Promise<Members> {
  const decoded = decodeToken(jwt);
  if (decoded === undefined) unusable('it is neither a signed nor an unsecured JWT');
  try {
    const claims =
      decoded.header.alg === 'none'
        ? readUnsecuredJwt(jwt, context)
        : await verifyClientJwt(jwt, client, { algorithms: [...requestObjectAlgorithms] }, context);
    const { iss, aud } = claims;
    if (iss !== undefined && iss !== client.client_id) unusable('its iss is not the client_id');
    if (aud !== undefined && ![aud].flat().includes(context.issuer)) unusable('its aud is not the issuer');
    return claims;
  } catch (error) {
    if (error instanceof ClientJwtRefusedError) unusable(error.message);
    throw error;
  }
}

function merged(query: Parameters, object: Members): Parameters {
  const own = parametersOfRequestObject(object);
  const left = query.pairs.filter(([name]) => name !== 'request' && name !== 'request_uri' && !own.has(name));
  const members = [...own].flatMap(([name, values]) => values.map((value) => [name, value] as const));
  return new Parameters([...left, ...members]);
}

function unusable(problem: string): never {
  throw oauthError(authorizeRefusals.request_object_unusable, { problem });
}
