// Which logins satisfy a RequestedAuthnContext (SAML core §3.3.2.2.1).
import type { ProtocolContext } from '#shared/engine/exchange/request.ts';
import { strongestMethod } from '#shared/model/domain/authentication-context.ts';
import type { AuthenticationMethod } from '#shared/model/domain/authorization-request.ts';
import { samlRefusals } from '#shared/model/refusals/families/saml.ts';
import { type Refused, refused } from '#shared/model/refusals/refusal.ts';
import { type RequestedAuthnContext, satisfiedClass } from '../protocol/requested-authn-context.ts';

export function isReachable(
  required: RequestedAuthnContext,
  methods: readonly AuthenticationMethod[],
  { snapshot }: ProtocolContext,
): boolean {
  return methods.some((method) => satisfiedClass(required, method, snapshot.settings) !== undefined);
}

/** The login methods that the settings offer to users in general. */
export function usualMethods({ snapshot }: ProtocolContext): readonly AuthenticationMethod[] {
  const strongest = strongestMethod(snapshot.settings);
  return strongest === 'persona' ? ['persona'] : [...new Set(['password', strongest] as const)];
}

export function unmetContext({ classes }: RequestedAuthnContext): Refused {
  return refused(samlRefusals.authn_context_unmet, { sent: classes });
}
