// Finds the public keys of a client in its entry or at its jwks_uri, and verifies JWTs with them (SSO-50 to SSO-52).
// Each process caches fetched key sets for itself.
import {
  createLocalJWKSet,
  errors,
  type JSONWebKeySet,
  type JWTPayload,
  type JWTVerifyOptions,
  jwtVerify,
  UnsecuredJWT,
} from 'jose';
import * as z from 'zod';
import { type Instant, plusSeconds } from '#shared/base/clock.ts';
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import type { Client } from '#shared/model/configuration/client-entry.ts';
import { problemOfKeySet } from '#shared/protocol/oidc/unusable-keys.ts';
import { DocumentRefusedError } from './document-refused.ts';
import { fetchClientDocument } from './fetch-client-document.ts';

const keptSecondsMax = 300;
/**
 * An unknown `kid` causes at most one fetch in this time, whichever client sends it. It uses real time, so that no
 * clock of a namespace can lift or freeze the limit.
 */
const refetchSeconds = 10;
const setsKeptMax = 200;

interface KeptKeys {
  readonly keys: JSONWebKeySet;
  /**
   * By the clock of the namespace, and by real time. Keys expire as soon as either clock says so, since a clock may be
   * stopped.
   */
  readonly fetchedAt: Instant;
  readonly fetchedAtReal: Instant;
  readonly lifetimeSeconds: number;
  /** When an unknown `kid` last caused a fetch, successful or not. In real time. */
  readonly missedAt: Instant | undefined;
  /** That fetch, shared by all requests that miss a key while it is in progress. */
  readonly fetching?: Promise<KeptKeys> | undefined;
}

/** By namespace, then by address. The newest is last. */
const kept = new WeakMap<ProtocolContext['store'], Map<string, KeptKeys>>();

const keySetModel: z.ZodType<JSONWebKeySet> = z.looseObject({
  keys: z.array(z.looseObject({ kty: z.string() })),
});

/** The error of a client's JWT or keys: for the log, the audit, and for the sender where it may receive details. */
export class ClientJwtRefusedError extends Error {}

/** No key of the client could verify any JWT. */
export class ClientKeysUnusableError extends ClientJwtRefusedError {}

/**
 * The clock of a client may be ahead of ours. FAPI 2.0 requires at least 10 seconds of tolerance, and rejection beyond
 * 60.
 */
const secondsAheadMax = 30;

const expired = '"exp" claim timestamp check failed';

/**
 * The claims of a JWT that the client signed. Its `nbf` may be 30 seconds ahead.
 * @throws ClientJwtRefusedError; RuntimeStoreUnavailableError
 */
export async function verifyClientJwt(
  jwt: string,
  client: Client,
  options: JWTVerifyOptions & { readonly algorithms: string[] },
  context: ProtocolContext,
): Promise<JWTPayload> {
  const now = context.clock.now();
  let used: JSONWebKeySet | undefined;
  const verify = async (keys: JSONWebKeySet) => {
    used = keys;
    const tolerant = { currentDate: new Date(now), clockTolerance: secondsAheadMax, ...options };
    const claims = await verifyWith(keys, jwt, tolerant);
    // The tolerance is for clocks that are ahead. It does not prolong a JWT.
    if (claims.exp !== undefined && claims.exp * 1000 <= now) throw new ClientJwtRefusedError(expired);
    return claims;
  };
  try {
    if (client.jwks_uri === undefined) {
      if (client.jwks === undefined) throw new ClientJwtRefusedError('the client has neither jwks nor jwks_uri');
      return await verify(readKeys(client.jwks));
    }
    const known = await keysAt(client.jwks_uri, context);
    try {
      return await verify(known.keys);
    } catch (error) {
      // No cached key matches: the client may have rotated its keys a moment ago.
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const anew = await keysAt(client.jwks_uri, context, true);
      return await verify(anew.keys);
    }
  } catch (error) {
    const unusable = isAboutKeys(error) ? problemOfKeySet(used, options.algorithms) : undefined;
    if (unusable !== undefined) throw new ClientKeysUnusableError(unusable, { cause: error });
    if (error instanceof errors.JWKSNoMatchingKey) throw new ClientJwtRefusedError('no key of the client matches it');
    if (error instanceof DocumentRefusedError) {
      throw new ClientJwtRefusedError(`the jwks_uri of the client cannot be used: ${error.message}`, { cause: error });
    }
    if (error instanceof errors.JOSEError) throw new ClientJwtRefusedError(error.message, { cause: error });
    if (isAboutKeys(error)) {
      throw new ClientJwtRefusedError('a key of the client cannot be used', { cause: error });
    }
    throw error;
  }
}

/** No key matches, or the platform cannot read one of the keys. */
function isAboutKeys(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || error instanceof TypeError || error instanceof DOMException;
}

/** The claims of an unsigned JWT. @throws ClientJwtRefusedError */
export function readUnsecuredJwt(jwt: string, { clock }: Pick<ProtocolContext, 'clock'>): JWTPayload {
  try {
    return UnsecuredJWT.decode(jwt, { currentDate: new Date(clock.now()) }).payload;
  } catch (error) {
    if (error instanceof errors.JOSEError) throw new ClientJwtRefusedError(error.message, { cause: error });
    throw error;
  }
}

/** Without a `kid` several keys may match: then each is tried. */
async function verifyWith(keys: JSONWebKeySet, jwt: string, options: JWTVerifyOptions): Promise<JWTPayload> {
  const find = createLocalJWKSet(keys);
  try {
    return (await jwtVerify(jwt, find, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) throw error;
    for await (const key of error) {
      try {
        return (await jwtVerify(jwt, key, options)).payload;
      } catch (failure) {
        if (!(failure instanceof errors.JWSSignatureVerificationFailed)) throw failure;
      }
    }
    throw new errors.JWSSignatureVerificationFailed();
  }
}

/** `isMissed`: no cached key matched. The set is fetched again unless that was tried a moment ago. */
async function keysAt(address: string, context: ProtocolContext, isMissed = false): Promise<KeptKeys> {
  const sets = kept.get(context.store) ?? new Map<string, KeptKeys>();
  kept.set(context.store, sets);
  const [now, real] = [context.clock.now(), context.clock.real()];
  const known = sets.get(address);
  if (known !== undefined && isMissed && wasMissed(known, real)) return (await known.fetching) ?? known;
  if (known !== undefined && !isMissed && isFresh(known, now, real)) return known;
  const missedAt = isMissed ? real : known?.missedAt;
  const fetching = (async (): Promise<KeptKeys> => {
    const { body, lifetimeSeconds } = await fetchClientDocument(address, context);
    const fetched = {
      ...{ keys: readKeys(parseJson(body)), fetchedAt: now, fetchedAtReal: real, missedAt },
      lifetimeSeconds: Math.min(lifetimeSeconds, keptSecondsMax),
    };
    sets.delete(address);
    sets.set(address, fetched);
    const [oldest] = sets.keys();
    if (sets.size > setsKeptMax && oldest !== undefined) sets.delete(oldest);
    return fetched;
  })();
  // Set before the fetch ends, so that neither a failed fetch nor concurrent requests cause another one.
  if (known !== undefined && isMissed) sets.set(address, { ...known, missedAt, fetching });
  return fetching;
}

function isFresh({ fetchedAt, fetchedAtReal, lifetimeSeconds }: KeptKeys, now: Instant, real: Instant): boolean {
  return isWithin(fetchedAt, lifetimeSeconds, now) && isWithin(fetchedAtReal, lifetimeSeconds, real);
}

function wasMissed({ missedAt }: KeptKeys, real: Instant): boolean {
  return missedAt !== undefined && isWithin(missedAt, refetchSeconds, real);
}

/** A begin later than now was recorded before the clock was set back. */
function isWithin(begin: Instant, seconds: number, now: Instant): boolean {
  return begin <= now && now < plusSeconds(begin, seconds);
}

function readKeys(value: unknown): JSONWebKeySet {
  const read = keySetModel.safeParse(value);
  if (!read.success) throw new ClientJwtRefusedError('the keys of the client are not a JSON Web Key Set');
  return read.data;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
