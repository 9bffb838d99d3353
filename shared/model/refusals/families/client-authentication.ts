// Rejections of a client that failed to authenticate at /token, /introspect, /revoke and /device_authorization
// (RFC 6749 §2.3.1, RFC 7617). The response names the method that was used and the registered one. Only the audit
// distinguishes an unknown client from a wrong secret (CAM-08, CLT-11).

import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { assertionAlgorithms } from '#shared/protocol/jose/signing-algorithms.ts';
import { docs, rfc } from '../references.ts';

const client = {
  error: 'invalid_client',
  expected: 'An existing client_id, authenticated with the method of the client entry.',
  standard: rfc(6749, '2.3.1'),
  registered: 'authentication',
} as const;

interface Used {
  /** The method that the request used, or a description where it used none. */
  readonly used: string;
}

interface Methods extends Used {
  readonly registered: string;
}

/** The same response for an unknown client and for a wrong secret. */
const unproven = ({ used }: Used) =>
  `Client authentication failed: no registered client matches this client_id ${used === 'none' ? 'without credentials' : `with ${used}${proofOf(used)}`}.`;

const evidence = ({ used }: Used) => ({ method_used: used });

export const clientAuthenticationRefusals = declareOAuthRefusals({
  client_not_named: {
    ...client,
    answer: 'Client authentication failed: client_id is missing. Send it as a parameter or in the Basic header.',
    reason: 'client_id is missing',
  },
  basic_credentials_malformed: {
    ...client,
    answer:
      'Client authentication failed: the Basic credentials (client_secret_basic) are malformed. Form-encode client_id and secret, join them with a colon, and encode the result in base64.',
    reason:
      'Malformed Basic credentials. Form-encode client_id and secret, join them with a colon, and encode the result in base64 ' +
      '(RFC 6749 section 2.3.1)',
    standard: rfc(7617, '2'),
  },
  client_named_twice: {
    ...client,
    answer: 'Client authentication failed: the Basic user name and client_id differ.',
    reason: 'The Basic user name and client_id differ',
  },
  client_unknown: { ...client, answer: unproven, reason: 'Unknown client', evidence },
  client_secret_wrong: {
    ...client,
    answer: unproven,
    reason: 'Wrong client secret',
    evidence,
    expected: 'Exactly the client_secret of the client entry, sent with the registered method.',
  },
  /** The most common reason why a correct secret is rejected: the client does not form-encode it (CLT-06). */
  client_secret_not_encoded: {
    ...client,
    answer: unproven,
    reason:
      'Wrong client secret: it is correct without form-decoding, but Basic credentials must be form-encoded before the ' +
      'base64 step (RFC 6749 section 2.3.1): send + as %2B and % as %25',
    evidence,
  },
  client_assertion_refused: {
    ...client,
    answer: unproven,
    reason: ({ problem }: Used & { readonly problem: string }) => `The client assertion is invalid: ${problem}`,
    evidence,
    expected: `An unexpired, unused assertion for this issuer, signed with ${assertionAlgorithms.join(' or ')} and a key of the client.`,
    standard: rfc(7523, '3'),
  },
  client_keys_unusable: {
    ...client,
    answer: unproven,
    reason: ({ problem }: Used & { readonly problem: string }) => `The keys of the client cannot be used: ${problem}`,
    evidence,
    expected: `A key set of the client with a key for ${assertionAlgorithms.join(' or ')}.`,
    standard: rfc(7523, '3'),
  },
  client_authentication_method_differs: {
    ...client,
    answer: ({ used, registered }: Methods) =>
      `Client authentication failed: ${usedMethod(used)}, but this client is registered with ${registered}.`,
    reason: ({ used, registered }: Methods) => `A ${registered} client ${sentBy(used)}`,
    evidence: ({ used, registered }: Methods) => ({ method_used: used, method_registered: registered }),
  },
  introspection_by_public_client: {
    ...client,
    answer:
      'Client authentication failed: the request has no client credentials, but only confidential clients can introspect tokens.',
    reason: 'A public client cannot introspect tokens',
    expected: 'A confidential client.',
    standard: rfc(7662, '2.1'),
  },
  device_authorization_by_metadata_document: {
    ...client,
    answer:
      'Client authentication failed: a client identified by a metadata document (method none) cannot use the device grant.',
    reason: 'A client identified by a metadata document cannot use the device grant',
    expected: 'A declared or runtime client. Metadata-document clients cannot use this grant.',
    standard: docs('settings.md#oauthclient_id_metadata_documents'),
  },
  public_client_sent_credentials: {
    ...client,
    answer: ({ used }: Used) =>
      `Client authentication failed: the request used ${used}, but this client is public (method none). Send client_id alone.`,
    reason: 'A public client sent credentials',
    evidence,
  },
});

function usedMethod(used: string): string {
  return used === 'none' ? 'the request has no client credentials' : `the request used ${used}`;
}

function proofOf(used: string): string {
  return ` and the ${used === 'private_key_jwt' ? 'assertion' : 'secret'} that was sent`;
}

function sentBy(used: string): string {
  if (used === 'none') return 'sent no secret';
  const places = used
    .replace('client_secret_basic', 'Basic credentials')
    .replace('client_secret_post', 'client_secret in the body')
    .replace('private_key_jwt', 'a client_assertion');
  return `sent ${places}`;
}
