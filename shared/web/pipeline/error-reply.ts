// The only place that turns errors into responses. Designed rejections get a response that fits their surface.
// Unexpected errors get a 500 with a request id and no detail, and are logged with their cause.

import type { Logger } from '#shared/base/logger.ts';
import type { AddressedRoute } from '#shared/engine/exchange/addressed-route.ts';
import { json, type Reply, withHeaders, withRefusal } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext } from '#shared/engine/exchange/request.ts';
import { ApiError, PageError } from '#shared/engine/exchange/route.ts';
import { httpRefusals } from '#shared/model/refusals/families/http.ts';
import { OAuthError } from '#shared/model/refusals/oauth-error.ts';
import { RefusedError, refused } from '#shared/model/refusals/refusal.ts';
import { ConfigurationUnavailableError } from '#shared/state/configuration/active-configuration.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { LargeReadsBusyError } from './large-reads.ts';

/** Renders the page that explains an error to a person. The process passes it in, since not every process has pages. */
export type RenderErrorPage = (
  status: number,
  title: string,
  message: string,
  path: ManagementContext['path'],
  /** The id of a request in the recorder. */
  requestId?: string,
) => Reply;

interface ErrorReplyOptions {
  readonly route: Pick<AddressedRoute, 'surface' | 'path'>;
  /** Responses of this endpoint must not be stored, its rejections included. */
  readonly noStore: boolean;
  readonly requestId: string;
  /** The Accept header names JSON: then a page's rejection is JSON too (STO-23). */
  readonly acceptsJson: boolean;
  readonly renderErrorPage: (status: number, title: string, message: string) => Reply;
  readonly log: Logger;
}

export function errorReply(error: unknown, options: ErrorReplyOptions): Reply {
  const reply = replyTo(error, options);
  return error instanceof RefusedError ? withRefusal(reply, error.refusal) : reply;
}

function replyTo(error: unknown, options: ErrorReplyOptions): Reply {
  if (error instanceof OAuthError) {
    return { ...json(error.status, error.body, error.headers), noStore: options.noStore };
  }
  if (error instanceof ApiError) {
    const body = error.kind === undefined ? { error: error.message } : { error: error.message, kind: error.kind };
    return { ...json(error.status, body, error.headers), noStore: options.noStore };
  }
  if (error instanceof PageError) return options.renderErrorPage(error.status, error.title, error.message);
  if (error instanceof ConfigurationUnavailableError) return configurationUnavailable(error, options);
  if (error instanceof RuntimeStoreUnavailableError) return storeUnavailable(error, options);
  if (error instanceof LargeReadsBusyError) {
    const { error: code } = httpRefusals.large_reads_busy;
    return serviceUnavailable(options, { error: code, error_description: error.message, retryAfter: '5' });
  }
  options.log.error({ err: error, requestId: options.requestId, path: options.route.path }, 'unexpected error');
  return unexpected(options);
}

function configurationUnavailable(error: ConfigurationUnavailableError, options: ErrorReplyOptions): Reply {
  options.log.warn({ err: error.cause, requestId: options.requestId, kind: error.kind }, 'configuration unavailable');
  const { kind } = error;
  const reply = serviceUnavailable(options, {
    error: httpRefusals.configuration_unavailable.error,
    error_description: refused(httpRefusals.configuration_unavailable, { kind }).message,
    kind,
    retryAfter: kind === 'lock_unsupported' ? undefined : '1',
  });
  return withRefusal(reply, httpRefusals.configuration_unavailable);
}

function storeUnavailable(error: RuntimeStoreUnavailableError, options: ErrorReplyOptions): Reply {
  if (!error.isLogged) {
    options.log.warn({ err: error.cause, requestId: options.requestId }, 'runtime store unavailable');
  }
  const reply = serviceUnavailable(options, {
    error: httpRefusals.runtime_store_unavailable.error,
    error_description: httpRefusals.runtime_store_unavailable.answer,
    retryAfter: '1',
  });
  return withRefusal(reply, httpRefusals.runtime_store_unavailable);
}

// The endpoint did not build these responses: they carry no no-store headers (HDR-02, STO-23).
function serviceUnavailable(
  options: ErrorReplyOptions,
  refusal: { error: string; error_description: string; kind?: string; retryAfter: string | undefined },
): Reply {
  const { retryAfter, ...body } = refusal;
  const headers = retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
  if (options.route.surface === 'page' && !options.acceptsJson) {
    return withHeaders(options.renderErrorPage(503, 'Not available at the moment', refusal.error_description), headers);
  }
  return json(503, body, headers);
}

function unexpected(options: ErrorReplyOptions): Reply {
  const { status, error, answer } = httpRefusals.server_error;
  const sentence = answer({ requestId: options.requestId });
  if (options.route.surface === 'page' && !options.acceptsJson) {
    return options.renderErrorPage(status, 'Unexpected error', sentence);
  }
  const body = options.route.surface === 'api' ? { error: sentence } : { error, error_description: sentence };
  return { ...json(status, body), noStore: options.noStore };
}
