// A TOTP value for tests, made by an implementation that is not ours (RFC 6238: SHA-1, 6 digits, 30 s).
import { generate } from 'otplib';

/** The value of the present step. */
export async function totp(secret: string): Promise<string> {
  return await generate({ secret });
}
