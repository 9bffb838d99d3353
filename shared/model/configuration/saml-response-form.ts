// Keys about the form of SAML messages. Each exists in `saml` for all service providers, and in an entry for one.
// saml-rules/response-form.ts merges the two.
import * as z from 'zod';
import { digestAlgorithms, signatureAlgorithms } from '#shared/protocol/saml/signature-algorithms.ts';
import { oneOf, text, wholeNumber } from './value-kinds.ts';

const signedParts = ['both', 'response', 'assertion'] as const;

export const signedPart = () => oneOf(signedParts);
/** An entry can also leave out every signature. */
export const signedPartOrNone = () => oneOf([...signedParts, 'none']);
export const signatureAlgorithm = () => oneOf(signatureAlgorithms);
export const digestAlgorithm = () => oneOf(digestAlgorithms);

export const assertionLifetime = () => wholeNumber(1, 86_400);
export const notBefore = () => wholeNumber(0, 3600);

const sessionSecondsMax = 31_536_000;
const sessionEndMessage = `must be session, never, or a whole number of seconds from 1 to ${sessionSecondsMax}`;

/** Forms and tools send text, so a number may be text. */
export const sessionEnd = () =>
  z.union(
    [
      wholeNumber(1, sessionSecondsMax),
      text().transform((value, context): 'session' | 'never' | number => {
        if (value === 'session' || value === 'never') return value;
        const seconds = /^\d{1,8}$/.test(value) ? Number(value) : 0;
        if (seconds >= 1 && seconds <= sessionSecondsMax) return seconds;
        context.addIssue({ code: 'custom', message: sessionEndMessage });
        return z.NEVER;
      }),
    ],
    sessionEndMessage,
  );
