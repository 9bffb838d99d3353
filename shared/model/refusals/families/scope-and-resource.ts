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
  expected: 'An absolute URI without fragment that the client may name and the grant was bound to.',
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
    answer: "'scope' is blank; leave it out or name at least one scope.",
    expected: 'At least one scope, or no scope parameter.',
  },
  scope_not_supported: {
    ...scope,
    answer: ({ rejected }: Rejected) =>
      `These scopes are not supported by this server (see oauth.scopes_supported): ${listNames(rejected)}`,
    evidence: rejectedScopes,
    expected: 'Scopes of oauth.scopes_supported.',
    registered: 'scope',
  },
  scope_default_not_supported: {
    ...scope,
    answer: ({ rejected }: Rejected) =>
      `No scope was sent, and what stands for it (the scope of the client, else openid) is not supported by this server (see oauth.scopes_supported): ${listNames(rejected)}`,
    evidence: rejectedScopes,
    expected: 'A scope of oauth.scopes_supported, or a client without others in its own.',
    registered: 'scope',
  },
  scope_not_allowed_for_client: {
    ...scope,
    answer: ({ rejected }: Rejected) =>
      `These scopes are not allowed for this client (see scope in its entry): ${listNames(rejected)}`,
    evidence: rejectedScopes,
    expected: 'Scopes that the client may have.',
    registered: 'scope',
  },
  scope_not_granted: {
    ...scope,
    answer: ({ rejected }: Rejected) => `These scopes were not granted to this refresh token: ${listNames(rejected)}`,
    evidence: rejectedScopes,
    expected: 'Scopes of the original grant, or fewer.',
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
      `'${parameter}' names one that the original grant was not bound to: ${safeInDescription(sent)}`,
    evidence: sentResource,
  },
  resource_not_allowed_for_client: {
    ...resource,
    answer: ({ parameter, sent }: Named) =>
      `'${parameter}' names one that is not allowed for this client: ${safeInDescription(sent)}`,
    evidence: sentResource,
  },
});
