// Which of a client's keys can verify its signatures (RFC 7517 §4, RFC 7518 §3.3 and §3.4). Pure.
import { createPublicKey } from 'node:crypto';
import { isMapping } from '#shared/base/untrusted-values.ts';
import { safeInDescription } from '../oauth2/descriptions.ts';

type Jwk = Readonly<Record<string, unknown>>;

interface Fit {
  readonly kty: string;
  readonly crv?: string;
}

/** The key types of the algorithms with which clients sign assertions and request objects. */
const fits: ReadonlyMap<string, Fit> = new Map([
  ['RS256', { kty: 'RSA' }],
  ['ES256', { kty: 'EC', crv: 'P-256' }],
]);

const rsaBitsMin = 2048;
const namedMax = 3;

/**
 * The problem of a key set of which no key can verify a signature of `algorithms`, as the end of a sentence. undefined:
 * one key can, or the value is no key set.
 */
export function problemOfKeySet(set: unknown, algorithms: readonly string[]): string | undefined {
  const keys: unknown = isMapping(set) ? set.keys : undefined;
  if (!Array.isArray(keys)) return undefined;
  const requirement = `can verify a signature of ${algorithms.join(' or ')}`;
  if (keys.length === 0) return `it is empty, so no key ${requirement}`;
  const problems: string[] = [];
  for (const [index, key] of keys.entries()) {
    const problem = problemOfKey(isMapping(key) ? key : {}, algorithms);
    if (problem === undefined) return undefined;
    if (index < namedMax) problems.push(`keys[${index}]${nameOf(key)} ${problem}`);
  }
  const more = keys.length > namedMax ? `, and ${keys.length - namedMax} more` : '';
  return `no key ${requirement}: ${problems.join(', ')}${more}`;
}

function nameOf(key: unknown): string {
  return isMapping(key) && typeof key.kid === 'string' ? ` (kid ${safeInDescription(key.kid)})` : '';
}

function problemOfKey(key: Jwk, algorithms: readonly string[]): string | undefined {
  const { kty, crv, use, alg, key_ops } = key;
  if (use !== undefined && use !== 'sig') return `has use ${safeInDescription(String(use))} instead of sig`;
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify')))
    return 'has key_ops without verify';
  const candidates = algorithms.filter((name) => alg === undefined || alg === name);
  if (candidates.length === 0) return `is for ${safeInDescription(String(alg))}`;
  const fitting = candidates.some((name) => fits.get(name)?.kty === kty && fits.get(name)?.crv === curveOf(kty, crv));
  if (!fitting) return `has the type ${[kty, crv].filter((part) => typeof part === 'string').join(' ') || 'unknown'}`;
  return problemOfMaterial(key);
}

/** An RSA key has no curve, so its `crv` is ignored. */
function curveOf(kty: unknown, crv: unknown): unknown {
  return kty === 'EC' ? crv : undefined;
}

function problemOfMaterial(key: Jwk): string | undefined {
  try {
    const { modulusLength } = createPublicKey({ key: { ...key }, format: 'jwk' }).asymmetricKeyDetails ?? {};
    if (modulusLength === undefined || modulusLength >= rsaBitsMin) return undefined;
    return `is an RSA key of ${modulusLength} bits, but at least ${rsaBitsMin} are required`;
  } catch {
    return 'cannot be read as a public key';
  }
}
