// Rejections of scopes (RFC 6749 §3.3) and resource indicators (RFC 8707), at every endpoint.

import { declareOAuthRefusals } from '#shared/model/refusals/oauth-error.ts';
import { listNames, safeInDescription } from '#shared/protocol/oauth2/descriptions.ts';
import { rfc } from '../references.ts';

const scope = { error: 'invalid_scope', standard: rfc(6749, '3.3') } as const;

interface Rejected {
  readonly rejected: readonly string[];
}

const rejectedScopes = ({ rejected }: Rejected) => ({ rejected_scopes: rejected });

const resource = {
  error: 'invalid_target',
  expected: 'An absolute URI without a fragment, which the client may request and the grant includes.',
  standard: rfc(8707, '2'),
  registered: 'resources',
} as const;

interface Sent {
  readonly sent: string;
}

interface Named extends Sent {
  readonly parameter: 'resource' | 'audience';
}

const sentResource = ({ sent }: Sent) => ({ sent: safeInDescription(sent) });

export const scopeRefusals = declareOAuthRefusals({
  scope_blank: {
    ...scope,
    answer: "'scope' is blank. Omit it, or name at least one scope.",
    expected: 'At least one scope, or no scope parameter.',
  },
  scope_not_supported: {
    ...scope,
    answer: ({ rejected }: Rejected) => `Unsupported scopes (see oauth.scopes_supported): ${listNames(rejected)}`,
    evidence: rejectedScopes,
    expected: 'Scopes of oauth.scopes_supported.',
    registered: 'scope',
  },
  scope_default_not_supported: {
    ...scope,
    answer: ({ rejected }: Rejected) =>
      `The request has no scope. The default, which is the scope of the client or else openid, contains unsupported scopes (see oauth.scopes_supported): ${listNames(rejected)}`,
    evidence: rejectedScopes,
    expected: 'A scope of oauth.scopes_supported, or a client whose scope lists only those.',
    registered: 'scope',
  },
  scope_not_allowed_for_client: {
    ...scope,
    answer: ({ rejected }: Rejected) =>
      `This client may not request these scopes (see scope in its entry): ${listNames(rejected)}`,
    evidence: rejectedScopes,
    expected: 'Scopes that the client may request.',
    registered: 'scope',
  },
  unknown_scope_not_grantable: {
    ...scope,
    answer: ({ rejected }: Rejected) =>
      `At most 50 unknown scopes of at most 200 characters can be granted (RFC 6749 3.3): ${listNames(rejected)}`,
    evidence: rejectedScopes,
    expected: 'At most 50 scopes outside oauth.scopes_supported, each a scope-token of at most 200 characters.',
  },
  scope_not_granted: {
    ...scope,
    answer: ({ rejected }: Rejected) => `The original grant does not include these scopes: ${listNames(rejected)}`,
    evidence: rejectedScopes,
    expected: 'Scopes of the original grant.',
    standard: rfc(6749, '6'),
  },
});

export const resourceRefusals = declareOAuthRefusals({
  resource_malformed: {
    ...resource,
    answer: ({ sent }: Sent) =>
      `'resource' must be an absolute URI without a fragment (RFC 8707), not: ${safeInDescription(sent)}`,
    evidence: sentResource,
  },
  resource_not_granted: {
    ...resource,
    answer: ({ parameter, sent }: Named) =>
      `The original grant does not include this ${parameter}: ${safeInDescription(sent)}`,
    evidence: sentResource,
  },
  resource_not_allowed_for_client: {
    ...resource,
    answer: ({ parameter, sent }: Named) => `This client may not request this ${parameter}: ${safeInDescription(sent)}`,
    evidence: sentResource,
  },
});
