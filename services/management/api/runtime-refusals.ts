// The rejections of a create or a promotion: status, kind and a sentence for a person (RUN-03 to RUN-08, RUN-25 to
// RUN-27). Content of the files appears in the log only.

import { isMapping } from '#shared/base/untrusted-values.ts';
import { parseJsonBody } from '#shared/engine/exchange/json-body.ts';
import { refusalReply } from '#shared/engine/exchange/refusal-reply.ts';
import { type Reply, withHeaders } from '#shared/engine/exchange/reply.ts';
import type { ParsedRequest, ProtocolContext } from '#shared/engine/exchange/request.ts';
import { type ApiError, apiError } from '#shared/engine/exchange/route.ts';
import type { IdentityKind, RuntimeKind } from '#shared/model/domain/runtime-identity.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { managementRefusals } from '#shared/model/refusals/families/management.ts';
import { runtimeIdentityRefusals } from '#shared/model/refusals/families/runtime-identities.ts';
import { ActivationError, ConfigurationRejectedError } from '#shared/state/configuration/active-configuration.ts';
import type { Refusal } from '../runtime-identities/create-runtime-identity.ts';
import type { Promotion } from '../runtime-identities/promote-identity.ts';

/** The possible rejections of a create. */
export const creationRefusals = [
  managementRefusals.body_not_json,
  runtimeIdentityRefusals.runtime_identity_invalid,
  runtimeIdentityRefusals.runtime_identity_declared,
  runtimeIdentityRefusals.runtime_identity_exists,
  httpRefusals.configuration_not_activated,
  httpRefusals.configuration_unloadable,
] as const;

/** The possible rejections of a promotion. */
export const promotionRefusals = [
  runtimeIdentityRefusals.runtime_identity_not_found,
  runtimeIdentityRefusals.runtime_identity_being_promoted,
  runtimeIdentityRefusals.promotion_of_declared_name,
  runtimeIdentityRefusals.promotion_conflict,
  runtimeIdentityRefusals.promotion_unloadable,
  runtimeIdentityRefusals.promotion_lock_unavailable,
  runtimeIdentityRefusals.promotion_without_directory,
  runtimeIdentityRefusals.promotion_not_writable,
  runtimeIdentityRefusals.promotion_write_failed,
  runtimeIdentityRefusals.promotion_reload_failed,
] as const;

/** The members of the body of a create or a change. @throws ApiError when it is no JSON object */
export function entryOf(kind: RuntimeKind, request: ParsedRequest): Readonly<Record<string, unknown>> {
  const body = parseJsonBody(request);
  if (isMapping(body)) return body;
  throw creationRefusal(kind, { outcome: 'invalid', message: 'The body must be a JSON object.' });
}

export function notFound(kind: RuntimeKind): ApiError {
  return apiError(runtimeIdentityRefusals.runtime_identity_not_found, { kind });
}

export function promotionInProgress(kind: RuntimeKind): ApiError {
  return apiError(runtimeIdentityRefusals.runtime_identity_being_promoted, { kind });
}

export function creationRefusal(kind: RuntimeKind, refusal: Refusal): ApiError {
  switch (refusal.outcome) {
    case 'invalid':
      return apiError(runtimeIdentityRefusals.runtime_identity_invalid, { kind, problem: refusal.message });
    case 'declared':
      return apiError(runtimeIdentityRefusals.runtime_identity_declared, { kind });
    case 'exists':
      return apiError(runtimeIdentityRefusals.runtime_identity_exists, { kind });
  }
}

/** The response when the files are unusable for checking a create. Any other error is thrown again (RUN-08). */
export function unusableFiles(error: unknown, { log }: ProtocolContext): Reply {
  if (!(error instanceof ConfigurationRejectedError)) throw error;
  log.warn({ err: error }, 'a runtime object cannot be created, because the configuration files do not load');
  if (error instanceof ActivationError) {
    return withHeaders(refusalReply(httpRefusals.configuration_not_activated), { 'Retry-After': '5' });
  }
  return refusalReply(httpRefusals.configuration_unloadable);
}

export function promotionRefusal(
  kind: IdentityKind,
  promotion: Exclude<Promotion, { outcome: 'promoted' }>,
  { log }: ProtocolContext,
): ApiError {
  if ('message' in promotion)
    log.warn({ kind, reason: promotion.message }, `rejected a promotion: ${promotion.outcome}`);
  switch (promotion.outcome) {
    case 'not_found':
      return notFound(kind);
    case 'promotion_in_progress':
      return promotionInProgress(kind);
    case 'declared':
      return apiError(runtimeIdentityRefusals.promotion_of_declared_name, { kind });
    case 'unloadable':
      return apiError(runtimeIdentityRefusals.promotion_unloadable, { kind, problem: promotion.message });
    case 'no_configuration_directory':
      return apiError(runtimeIdentityRefusals.promotion_without_directory);
    case 'conflict':
    case 'not_writable':
    case 'lock_unavailable':
    case 'write_failed':
    case 'reload_failed':
      return apiError(runtimeIdentityRefusals[`promotion_${promotion.outcome}`]);
  }
}
