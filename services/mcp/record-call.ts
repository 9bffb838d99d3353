// The audit event of a call: one for every call, successful or not (AUD-31). While the audit is busy, the event of a
// completed change waits in the audit's outbox (decision 5). If the outbox is not available either, this module writes
// the event as soon as it can.
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { auditMoment } from '#shared/model/domain/movable-clock.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { isFailure, type ToolContext, type ToolResult } from './tool.ts';
import type { ToolFailure } from './tool-failure.ts';

/** A client may send any text as a tool's name. The audit stores at most this many characters. */
const recordedNameMax = 200;

/** With the code of a rejection, or the text and code of a failure. Never with the arguments. */
export function callEvent(
  name: string,
  result: ToolResult,
  failure: ToolFailure | undefined,
  { clock }: Pick<ToolContext, 'clock'>,
): AuditEvent {
  const tool = name.slice(0, recordedNameMax);
  const failed = isFailure(result);
  return {
    event_type: 'mcp_tool',
    ...auditMoment(clock),
    endpoint: 'mcp',
    method: tool,
    status: failed ? 'error' : 'success',
    details: {
      tool,
      ...(failed && { error: result.code ?? result.error }),
      ...(failure && { refusal: failure.refusal.code }),
    },
  };
}

const pauseMilliseconds = 1_000;
const attemptsMax = 300;

/** Records the event of a completed change once the audit is available. Never rejects. */
export async function recordLater(
  event: AuditEvent,
  { audit, log }: Pick<ToolContext, 'audit' | 'log'>,
): Promise<void> {
  log.warn({ event_type: event.event_type }, 'an audit event waits until the audit is available');
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    // The timer does not keep an ending process alive.
    await pause(pauseMilliseconds, undefined, { ref: false });
    try {
      return await audit.record(event);
    } catch (error) {
      if (!(error instanceof RuntimeStoreUnavailableError)) break;
    }
  }
  log.error({ event }, 'the audit event of a completed call could not be recorded');
}
