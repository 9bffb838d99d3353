// Rejections in the device flow outside /token: /device_authorization, and the user code that a person types at /device
// (RFC 8628 §3.1 and §3.3).
import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { docs, rfc } from '../references.ts';
import { declareRefusals } from '../refusal.ts';

export const deviceAuthorizationRefusals = declareOAuthRefusals({
  too_many_device_codes: {
    error: 'temporarily_unavailable',
    status: 503,
    answer: 'Too many devices are waiting for approval. Try again later.',
    expected: 'Fewer devices that wait for approval.',
    standard: docs('settings.md#device_flow'),
  },
});

const userCode = {
  expected: 'The unexpired user code of a device that still waits for approval.',
  standard: rfc(8628, '3.3'),
} as const;

export const userCodeRefusals = declareRefusals({
  user_code_unknown: { ...userCode, answer: 'unknown user code' },
  user_code_used: { ...userCode, answer: 'user code already used' },
  user_code_expired: { ...userCode, answer: 'user code expired' },
});
