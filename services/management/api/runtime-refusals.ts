// How the API refuses a create or a promotion: status, kind and a sentence for a human (RUN-03 to RUN-08, RUN-25 to
// RUN-27). What stands in the files goes to the log alone.

import type { Refusal } from '#shared/administration/create-runtime-identity.ts';
import type { Promotion } from '#shared/administration/promote-identity.ts';
import {
  ActivationError,
  ConfigurationRejectedError,
  noConfigurationDirectory,
} from '#shared/configuration/active-configuration.ts';
import type { IdentityKind } from '#shared/domain/runtime-identity.ts';
import { json, type Reply } from '#shared/http/reply.ts';
import type { RequestContext } from '#shared/http/request.ts';
import { ApiError } from '#shared/http/route.ts';

export function notFound(kind: IdentityKind): ApiError {
  return new ApiError(404, `There is no runtime ${kind} of that name.`, { kind: 'not_found' });
}

export function promotionInProgress(kind: IdentityKind): ApiError {
  return new ApiError(409, `The runtime ${kind} is being promoted, or waits for a reload to finish its promotion.`, {
    kind: 'promotion_in_progress',
  });
}

export function creationRefusal(kind: IdentityKind, refusal: Refusal): ApiError {
  switch (refusal.outcome) {
    case 'invalid':
      return new ApiError(400, `The ${kind} is not acceptable: ${refusal.message}.`, { kind: 'invalid' });
    case 'declared':
      return new ApiError(409, `The configuration declares a ${kind} of that name.`, { kind: 'declared' });
    case 'exists':
      return new ApiError(409, `There is a runtime ${kind} of that name already.`, { kind: 'exists' });
  }
}

/** Answers for files that a create cannot be judged by; any other error is thrown on (RUN-08). */
export function unusableFiles(error: unknown, { log }: RequestContext): Reply {
  if (!(error instanceof ConfigurationRejectedError)) throw error;
  log.warn({ err: error }, 'a runtime object cannot be created: the configuration files are not usable');
  if (error instanceof ActivationError) {
    const error_description = 'The configuration files cannot be read or activated; try again.';
    return json(503, { error: 'configuration_unavailable', error_description }, { 'Retry-After': '5' });
  }
  const error_description = 'The configuration files do not load, so it cannot be told which names they declare.';
  return json(503, { error: 'configuration_unloadable', error_description });
}

export function promotionRefusal(
  kind: IdentityKind,
  promotion: Exclude<Promotion, { outcome: 'promoted' }>,
  { log }: RequestContext,
): ApiError {
  if ('message' in promotion) log.warn({ kind, reason: promotion.message }, `promotion refused: ${promotion.outcome}`);
  const refuse = (status: number, sentence: string) => new ApiError(status, sentence, { kind: promotion.outcome });
  switch (promotion.outcome) {
    case 'not_found':
      return notFound(kind);
    case 'promotion_in_progress':
      return promotionInProgress(kind);
    case 'declared':
      return refuse(409, `The configuration declares a ${kind} of that name; the runtime object is as it was.`);
    case 'conflict':
      return refuse(409, 'The file was changed by somebody else meanwhile; nothing was written. Try again.');
    case 'unloadable':
      return refuse(422, `With this ${kind} the file would not load; nothing was written.`);
    case 'lock_unavailable':
      return new ApiError(503, 'The configuration directory is locked by another process; nothing was written.', {
        kind: 'lock_unavailable',
        headers: { 'Retry-After': '1' },
      });
    case 'no_configuration_directory':
      return refuse(409, noConfigurationDirectory);
    case 'write_failed':
      return refuse(500, 'The file could not be written; the log of the server says why.');
    case 'reload_failed':
      return refuse(
        500,
        'The entry is in the file, but the configuration could not be loaded; the next successful reload finishes the promotion.',
      );
  }
}
