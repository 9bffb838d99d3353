// client_secret_basic: name and secret in the Authorization header (RFC 6749 §2.3.1).
import { secretsEqual } from '#shared/protocol/secrets-equal.ts';
import type { ClientAuthenticationMethod } from './method.ts';

export const clientSecretBasic = {
  name: 'client_secret_basic',
  isUsed: ({ basic }) => basic.kind === 'credentials',
  prove({ basic }, { client_secret: expected = '' }) {
    if (basic.kind !== 'credentials' || expected === '') return 'wrong';
    if (secretsEqual(basic.password, expected)) return 'right';
    return secretsEqual(basic.rawPassword, expected) ? 'not_encoded' : 'wrong';
  },
} as const satisfies ClientAuthenticationMethod;
