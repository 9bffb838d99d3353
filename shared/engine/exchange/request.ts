// A request as the endpoints read it, and the context that the pipeline makes for it.
import type { IncomingHttpHeaders } from 'node:http';
import type { BodyRefusal } from '#shared/base/bounded-body.ts';
import type { Stopwatch } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { Parameters } from '#shared/base/parameters.ts';
import type { Randomness } from '#shared/base/random.ts';
import type { HeldAnswers } from '#shared/engine/faults/held-answers.ts';
import type { Sandboxes } from '#shared/engine/sandboxes/open-sandboxes.ts';
import type { Signer } from '#shared/engine/tokens/signer.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { auditMoment, type MovableClock } from '#shared/model/domain/movable-clock.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import type { KeyRing } from '#shared/state/keys/key-ring.ts';
import type { AuditLog } from '#shared/state/store/ports/audit.ts';
import type { Cluster, RuntimeStore } from '#shared/state/store/ports/index.ts';
import type { ServerTls } from '#shared/state/tls/open-server-tls.ts';
import type { ActiveFault } from './active-fault.ts';
import type { CorsPolicy } from './cors.ts';
import type { ProviderAddresses } from './issuer.ts';
import type { OutputHooks } from './output-hooks.ts';
import type { Recording } from './recording.ts';
import type { Reply } from './reply.ts';
import type { BrowserSession, SessionCookie } from './session-cookie.ts';

export interface ParsedRequest {
  readonly method: string;
  /** Path without query, as sent. */
  readonly path: string;
  /** Path parameters of the route, decoded. */
  readonly pathParameters: Readonly<Record<string, string>>;
  /** The raw query without the question mark, still encoded as transmitted (SAM-25). */
  readonly rawQuery: string;
  readonly query: Parameters;
  readonly headers: IncomingHttpHeaders;
  /** Media type of the body in lower case without parameters, or undefined. */
  readonly mediaType: string | undefined;
  /** The raw body; empty when there was none. Never above 1 MiB (HDR-17). */
  readonly body: Buffer;
  /** Bytes actually read, chunked bodies too; above 1 MiB only together with `bodyRefusal`. */
  readonly bodyLength: number;
  /**
   * Why the body was not read. Only routes with `seesRefusedBody` get such requests; the pipeline rejects the others.
   */
  readonly bodyRefusal: BodyRefusal | undefined;
  /** The form fields, when the media type is application/x-www-form-urlencoded; else none. */
  readonly form: Parameters;
}

/**
 * The context of a protocol endpoint. It is limited so that the endpoint works in a sandbox and faults can change its
 * output.
 */
export interface ProtocolContext extends ProviderAddresses {
  readonly requestId: string;
  /** The configuration at the start of the request, which uses it to the end (ACT-13). */
  readonly snapshot: ConfigurationSnapshot;
  /**
   * A path of this server as a browser must request it, with the base path. Every link, form action, redirect and static
   * address is built here.
   */
  path(path: string): string;
  /**
   * Scheme and host as the browser sees them, such as `http://127.0.0.1:8000`. Trusted forwarded headers are applied.
   */
  readonly requestOrigin: string;
  /** The peer's address, or the forwarded one (ISS-07). */
  readonly clientAddress: string | undefined;
  readonly userAgent: string | undefined;
  /**
   * The address that the front end is bound to since the start (`--host`, else server.host); undefined where it is
   * unknown.
   */
  readonly boundHost?: string | undefined;
  /** Cross-origin rules, fixed since the process started. */
  readonly cors: CorsPolicy;
  /** The clock of this request alone. Later moves of the namespace's clock do not change it. */
  readonly clock: MovableClock;
  readonly random: Randomness;
  readonly stopwatch: Stopwatch;
  /** Aborts with a ClientGoneError once the client has closed the connection before it was answered. */
  disconnected(): AbortSignal;
  readonly store: RuntimeStore;
  readonly audit: AuditLog;
  readonly keys: KeyRing;
  /** Signs everything that this request issues. */
  readonly signer: Signer;
  /** Changes to its output before it is written. Most requests have none. */
  readonly outputHooks: OutputHooks;
  /** The fault for this request. Most requests have none. */
  readonly fault?: ActiveFault | undefined;
  /** The recording of this request; undefined where nothing is recorded. */
  readonly recording?: Recording | undefined;
  readonly log: Logger;
  /** The name of its sandbox, for output that shows it; undefined in the default identity provider. */
  readonly sandbox: string | undefined;
  /** The name and path of this namespace's cookie. */
  readonly sessionCookie: SessionCookie;
  /** The browser's signed cookie, verified; made on first use (see session-cookie.ts). */
  session(): Promise<BrowserSession>;
}

/** What the web UI and the REST API may use in addition: the state of the instance, and its changeable parts. */
export interface ManagementContext extends ProtocolContext {
  /** Whether rates are limited, fixed since the process started. */
  readonly limitsRate: boolean;
  /** For responses that wait for an event: the waiting ends with the worker. */
  readonly held: Pick<HeldAnswers, 'wait' | 'isEnding'>;
  /** The configuration, for endpoints that change the declared files: promotion, forms, reload. */
  readonly configuration: ActiveConfiguration;
  /** The address of the demonstration that logs in at this namespace, while one runs. */
  readonly demoUrl?: string | undefined;
  /** The front end's certificate; undefined with plain HTTP and in workers behind the front end. */
  readonly tls?: ServerTls | undefined;
  /** The sandboxes, for endpoints that create and delete them. */
  readonly sandboxes: Sandboxes;
  /** Where machines share the store: the machines that use it. */
  readonly cluster?: Cluster | undefined;
  /** Whether a path of this server exists in the request's namespace. Pages do not link to paths that do not exist. */
  reaches(path: string): boolean;
  /** The browser's session with the default identity provider. It decides who may write, for sandboxes too (SBX-44). */
  managementSession(): Promise<BrowserSession>;
}

/** From a parsed request and its context to a reply. An endpoint takes the smaller context where that is enough. */
export type Endpoint<Context extends ProtocolContext = ManagementContext> = (
  request: ParsedRequest,
  context: Context,
) => Promise<Reply>;

/** An audit event, completed with the facts of the request. `endpoint` is the canonical path (AUD-11). */
export function auditEvent(
  request: ParsedRequest,
  context: ProtocolContext,
  event: Omit<AuditEvent, 'at' | 'clock' | 'ip_address' | 'user_agent' | 'method'>,
): AuditEvent {
  const { at, clock } = auditMoment(context.clock);
  const { ip_address, user_agent, method } = requestFacts(request, context);
  // Member by member, for speed: most requests leave an event, and `{ ...event, ...facts }` takes microseconds.
  return {
    event_type: event.event_type,
    at,
    clock,
    username: event.username,
    client_id: event.client_id,
    ip_address,
    user_agent,
    endpoint: event.endpoint,
    method,
    status: event.status,
    details: event.details ?? {},
    request: event.request,
  };
}

/** The facts of the request for an event. */
export function requestFacts(
  { method }: ParsedRequest,
  { clientAddress, userAgent }: Pick<ProtocolContext, 'clientAddress' | 'userAgent'>,
): Pick<AuditEvent, 'ip_address' | 'user_agent' | 'method'> {
  return { ip_address: clientAddress, user_agent: userAgent, method };
}
