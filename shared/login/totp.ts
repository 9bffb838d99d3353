// Time-based one-time codes (RFC 6238: SHA-1, six digits, steps of 30 s), checked against the user's present secret at
// the present time, one step early or late (LOG-13, AUT-55). A code may be used again while its window lasts (D24).
import type { Instant } from '#shared/clock.ts';

const stepSeconds = 30;

export async function checkTotpCode(secret: string, code: string, now: Instant): Promise<boolean> {
  if (!/^[0-9]{6}$/.test(code)) return false;
  // Loaded late: most configurations have no second factor.
  const { createGuardrails, verifySync } = await import('otplib');
  const { valid } = verifySync({
    secret: normalizeTotpSecret(secret),
    token: code,
    algorithm: 'sha1',
    digits: 6,
    period: stepSeconds,
    epoch: Math.floor(now / 1000),
    epochTolerance: stepSeconds,
    // Tests use short secrets on purpose; the length is the operator's choice.
    guardrails: createGuardrails({ MIN_SECRET_BYTES: 1, MAX_SECRET_BYTES: 1024 }),
  });
  return valid;
}

/** Base32 as people write it down: any case, with blanks and padding (CFG-50). */
export function normalizeTotpSecret(secret: string): string {
  return secret.replace(/[\s=]/g, '').toUpperCase();
}
