// The audit event of a call: one for every call, whatever came of it (AUD-31). The event of what has
// been done waits in the audit's outbox while the audit is busy (decision 5); where not even that can be had, it follows
// from here as soon as it can be written.
import { setTimeout as pause } from 'node:timers/promises';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import { auditMoment } from '#shared/model/domain/movable-clock.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import { isFailure, type ToolContext, type ToolResult } from './tool.ts';
import type { ToolFailure } from './tool-failure.ts';

/** A client may send any text as a tool's name; the audit keeps so much of it. */
const recordedNameMax = 200;

/** With the code of a refusal, or the text of a failure and its code beside it; never the arguments. */
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

/** Records an event of something that has been done, once the audit can be had; never rejects. */
export async function recordLater(
  event: AuditEvent,
  { audit, log }: Pick<ToolContext, 'audit' | 'log'>,
): Promise<void> {
  log.warn({ event_type: event.event_type }, 'an audit event waits for the audit');
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    // A process that is about to end does not wait for it.
    await pause(pauseMilliseconds, undefined, { ref: false });
    try {
      return await audit.record(event);
    } catch (error) {
      if (!(error instanceof RuntimeStoreUnavailableError)) break;
    }
  }
  log.error({ event }, 'an audit event of something that was done could not be recorded');
}
