// Faults become answers here and nowhere else: designed refusals by their surface, unexpected ones as 500 with a request
// id and no detail, logged with their cause.
import {
  ConfigurationUnavailableError,
  type ObservationFailureKind,
} from '#shared/configuration/active-configuration.ts';
import type { Logger } from '#shared/logger.ts';
import { OAuthError } from '#shared/protocol/oauth2/oauth-error.ts';
import { RuntimeStoreUnavailableError } from '#shared/store/runtime-store-unavailable.ts';
import { json, type Reply, withHeaders } from './reply.ts';
import type { RequestContext } from './request.ts';
import { ApiError, PageError, type Route } from './route.ts';

/** Renders the page that tells a person what went wrong; given by the process, since not every one has pages. */
export type RenderErrorPage = (status: number, title: string, message: string, path: RequestContext['path']) => Reply;

export interface ErrorReplyOptions {
  readonly route: Pick<Route, 'surface' | 'path'>;
  /** What the endpoint builds here may not be stored, its refusals included. */
  readonly noStore: boolean;
  readonly requestId: string;
  /** The Accept header names JSON: a page's refusal is then JSON too (STO-23). */
  readonly acceptsJson: boolean;
  readonly renderErrorPage: (status: number, title: string, message: string) => Reply;
  readonly log: Logger;
}

const observationSentences: Record<ObservationFailureKind, string> = {
  lock_timeout: 'The configuration directory is locked by another process; try again.',
  freshness_in_progress: 'Another request is reading the configuration; try again.',
  lock_unsupported: 'The configuration directory lies on a filesystem without usable locks.',
};

export function errorReply(error: unknown, options: ErrorReplyOptions): Reply {
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
  options.log.error({ err: error, requestId: options.requestId, path: options.route.path }, 'unexpected fault');
  return unexpected(options);
}

function configurationUnavailable(error: ConfigurationUnavailableError, options: ErrorReplyOptions): Reply {
  options.log.warn({ err: error.cause, requestId: options.requestId, kind: error.kind }, 'configuration unavailable');
  return serviceUnavailable(options, {
    error: 'configuration_unavailable',
    error_description: observationSentences[error.kind],
    kind: error.kind,
    retryAfter: error.kind === 'lock_unsupported' ? undefined : '1',
  });
}

function storeUnavailable(error: RuntimeStoreUnavailableError, options: ErrorReplyOptions): Reply {
  options.log.warn({ err: error.cause, requestId: options.requestId }, 'runtime store unavailable');
  return serviceUnavailable(options, {
    error: 'runtime_store_unavailable',
    error_description: 'The runtime store is busy or cannot be written to; try again.',
    retryAfter: '1',
  });
}

// The endpoint did not build these: they carry no no-store headers (HDR-02, STO-23).
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
  const sentence = `Something unexpected went wrong; the log of the server has it under request id ${options.requestId}.`;
  if (options.route.surface === 'page' && !options.acceptsJson) {
    return options.renderErrorPage(500, 'Unexpected fault', sentence);
  }
  const body =
    options.route.surface === 'api' ? { error: sentence } : { error: 'server_error', error_description: sentence };
  return { ...json(500, body), noStore: options.noStore };
}
