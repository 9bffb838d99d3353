// client_secret_post: the secret as a field of the form (RFC 6749 §2.3.1).
import { secretsEqual } from '#shared/protocol/secrets-equal.ts';
import type { ClientAuthenticationMethod } from './method.ts';

export const clientSecretPost = {
  name: 'client_secret_post',
  isUsed: ({ form }) => form.value('client_secret') !== undefined,
  prove({ form }, { client_secret: expected = '' }) {
    return expected !== '' && secretsEqual(form.value('client_secret') ?? '', expected) ? 'right' : 'wrong';
  },
} as const satisfies ClientAuthenticationMethod;
