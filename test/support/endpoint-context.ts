// A request and its context for endpoints that are called as functions: a real in-memory store, a manual clock and an audit
// that collects its events. Everything else is missing unless the test provides it.

import type { Logger } from '#shared/base/logger.ts';
import { Parameters } from '#shared/base/parameters.ts';
import { systemRandomness } from '#shared/base/random.ts';
import { noHooks } from '#shared/engine/exchange/output-hooks.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import { keyRingSigner } from '#shared/engine/tokens/signer.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { clockAt, realTime } from '#shared/model/domain/movable-clock.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { manualClock } from '#test/support/manual-clock.ts';
import { silentLogger } from '#test/support/silent-logger.ts';
import { type SnapshotContent, snapshotOf } from './configuration-snapshot.ts';
import { openEmptyMemoryStore } from './open-test-store.ts';

export interface EndpointContext {
  readonly context: ManagementContext;
  readonly store: RuntimeStore;
  readonly clock: ReturnType<typeof manualClock>;
  readonly events: AuditEvent[];
  /** The entries that were logged at level warn. */
  readonly warnings: object[];
  close(): Promise<void>;
}

/** Of a provider without base path. */
export const addresses = {
  issuer: 'http://idp.example',
  baseUrl: 'http://idp.example',
  backchannelUrl: 'http://idp.example',
  prefix: '',
} as const;

export async function openEndpointContext(
  content: SnapshotContent = {},
  given: Partial<ManagementContext> = {},
): Promise<EndpointContext> {
  const { opened } = await openEmptyMemoryStore();
  const clock = manualClock(1_800_000_000_000);
  const events: AuditEvent[] = [];
  const warnings: object[] = [];
  const log: Logger = silentLogger();
  log.warn = (...entry: unknown[]) => void warnings.push(entry);
  const context: Partial<ManagementContext> = {
    requestId: 'test-1',
    snapshot: snapshotOf(content),
    ...addresses,
    path: (path) => path,
    sessionCookie: { name: 'test_idp_session', path: '/' },
    requestOrigin: 'http://idp.example',
    clientAddress: '127.0.0.1',
    userAgent: 'test',
    clock: clockAt(realTime, clock),
    random: systemRandomness,
    store: opened.store,
    audit: { ...opened.audit, record: async (event) => void events.push(event) },
    outputHooks: noHooks,
    ...(given.keys === undefined ? {} : { signer: keyRingSigner(given.keys) }),
    held: { wait: async () => true, isEnding: false },
    disconnected: () => new AbortController().signal,
    log,
    boundHost: '127.0.0.1',
    ...given,
  };
  return { context: context as ManagementContext, store: opened.store, clock, events, warnings, close: opened.close };
}

export function jsonRequest(value: unknown): ParsedRequest {
  const body = Buffer.from(JSON.stringify(value));
  return requestWith({ mediaType: 'application/json', body, bodyLength: body.length });
}

export function formRequest(
  form: Readonly<Record<string, string>>,
  headers: Record<string, string> = {},
): ParsedRequest {
  return requestWith({
    mediaType: 'application/x-www-form-urlencoded',
    form: new Parameters(Object.entries(form)),
    headers,
  });
}

function requestWith(parts: Partial<ParsedRequest>): ParsedRequest {
  return {
    method: 'POST',
    path: '/',
    pathParameters: {},
    rawQuery: '',
    query: Parameters.none,
    headers: {},
    mediaType: undefined,
    body: Buffer.alloc(0),
    bodyLength: 0,
    bodyRefusal: undefined,
    form: Parameters.none,
    ...parts,
  };
}
