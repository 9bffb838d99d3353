// Time-based one-time codes (RFC 6238: SHA-1, six digits, steps of 30 s), checked against the user's current secret at
// the current time, one step early or late (LOG-13, AUT-55). A code can be used again while its window lasts, although
// RFC 6238 §5.2 forbids it (D24).
import type { Instant } from '#shared/base/clock.ts';
import type { Randomness } from '#shared/base/random.ts';
import { bareBase32 } from '#shared/model/configuration/text-formats.ts';

const stepSeconds = 30;

export async function checkTotpCode(secret: string, code: string, now: Instant): Promise<boolean> {
  if (!/^[0-9]{6}$/.test(code)) return false;
  // Loaded on first use: most configurations have no second factor.
  const { createGuardrails, verifySync } = await import('otplib');
  const { valid } = verifySync({
    ...optionsFor(secret, now),
    guardrails: createGuardrails(anyLength),
    token: code,
    epochTolerance: stepSeconds,
  });
  return valid;
}

export interface ShownTotpCode {
  readonly code: string;
  readonly secondsLeft: number;
}

/** The code that an authenticator with this secret shows now. */
export async function totpCodeNow(secret: string, now: Instant): Promise<ShownTotpCode> {
  const { createGuardrails, generateSync } = await import('otplib');
  const code = generateSync({ ...optionsFor(secret, now), guardrails: createGuardrails(anyLength) });
  return { code, secondsLeft: stepSeconds - (Math.floor(now / 1000) % stepSeconds) };
}

interface NewTotpSecret {
  /** Base32, 160 bits (RFC 4226 §4). */
  readonly secret: string;
  /** The QR code content for authenticator apps: `otpauth://totp/…`. */
  readonly uri: string;
}

/** A fresh secret, which belongs to a user only once it is declared. */
export async function newTotpSecret(username: string, random: Randomness): Promise<NewTotpSecret> {
  const { generateURI, ScureBase32Plugin } = await import('otplib');
  const secret = new ScureBase32Plugin().encode(random.bytes(20), { padding: false });
  return { secret, uri: generateURI({ issuer: 'test-idp', label: nameInApp(username), secret }) };
}

/** A long name would make a code that no camera reads. Half a surrogate pair cannot be part of an address. */
function nameInApp(username: string): string {
  return Buffer.from(Array.from(username).slice(0, 64).join('')).toString();
}

/** Tests use short secrets on purpose; the length is the operator's choice. */
const anyLength = { MIN_SECRET_BYTES: 1, MAX_SECRET_BYTES: 1024 };

function optionsFor(secret: string, now: Instant) {
  return {
    secret: bareBase32(secret),
    algorithm: 'sha1',
    digits: 6,
    period: stepSeconds,
    epoch: Math.floor(now / 1000),
  } as const;
}
