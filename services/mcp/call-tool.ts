// One call from beginning to end, in the order of MCP-09: freshness, readonly, secret, unknown tool, arguments,
// handler. Then its audit event is recorded, for successes and failures. Independent of the transport.

import { clockAt } from '#shared/model/domain/movable-clock.ts';
import { mcpRefusals as refusals } from '#shared/model/refusals/families/mcp.ts';
import { type Refused, RefusedError, refused } from '#shared/model/refusals/refusal.ts';
import { isSharedBetweenProcesses } from '#shared/model/runtime-store/store-location.ts';
import { secretsEqual } from '#shared/protocol/secrets-equal.ts';
import { ConfigurationUnavailableError } from '#shared/state/configuration/active-configuration.ts';
import { RuntimeStoreUnavailableError } from '#shared/state/store/runtime-store-unavailable.ts';
import type { CallsInFlight } from './calls-in-flight.ts';
import { callEvent, recordLater } from './record-call.ts';
import { isFailure, type Tool, type ToolContext, type ToolResult } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

export interface ToolCaller {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Mutating tools are rejected (MCP-12). */
  readonly readonly: boolean;
  readonly calls: CallsInFlight;
  readonly context: Omit<ToolContext, 'disconnected'>;
}

/** A rejected call: `{error, code, tool}` and for some `retryable` (MCP-17). */
class RefusedCall extends RefusedError {
  readonly retryable: boolean | undefined;
  constructor(happened: Refused, options: { readonly retryable?: boolean; readonly cause?: unknown } = {}) {
    super(happened, options);
    this.retryable = options.retryable;
  }
}

/**
 * The argument with which a mutating call proves the management secret. No schema contains it, and no handler receives
 * it (MCP-13).
 */
const secretArgument = 'admin_secret';

/** Returns a result in every case: this promise never rejects. */
export function callTool(
  name: string,
  callArguments: Readonly<Record<string, unknown>>,
  caller: ToolCaller,
  disconnected: AbortSignal = new AbortController().signal,
): Promise<ToolResult> {
  return caller.calls.track(answer(name, callArguments, caller, disconnected));
}

async function answer(
  name: string,
  callArguments: Readonly<Record<string, unknown>>,
  caller: ToolCaller,
  disconnected: AbortSignal,
): Promise<ToolResult> {
  let failure: ToolFailure | undefined;
  const result = await perform(name, callArguments, caller, disconnected).catch((error: unknown) => {
    if (error instanceof ToolFailure) failure = error;
    return resultOf(error, name, caller);
  });
  const event = callEvent(name, result, failure, caller.context);
  const changed = !isFailure(result) && caller.tools.get(name)?.hints.readOnlyHint === false;
  try {
    await caller.context.audit.record(event, { done: changed });
    return result;
  } catch (error) {
    // Neither the audit nor its outbox was available.
    if (!changed || !(error instanceof RuntimeStoreUnavailableError)) return resultOf(error, name, caller);
    void recordLater(event, caller.context);
    return resultOf(storeUnavailable(error, { done: true }), name, caller);
  }
}

async function perform(
  name: string,
  callArguments: Readonly<Record<string, unknown>>,
  { tools, readonly, context }: ToolCaller,
  disconnected: AbortSignal,
): Promise<ToolResult> {
  await takeOverChangedFiles(context);
  const clock = clockAt(await context.store.clock.refresh(), { now: () => context.clock.real() });
  const ofThisCall = { ...context, clock, disconnected };
  const tool = tools.get(name);
  const { [secretArgument]: secret, ...visible } = callArguments;
  if (tool?.mutating === true) {
    if (readonly) throw new RefusedCall(refused(refusals.MCP_READONLY_MODE));
    requireSecret(secret, context);
  }
  if (tool === undefined) throw new RefusedCall(refused(refusals.MCP_UNKNOWN_TOOL));
  const reading = tool.read(visible);
  if (reading.outcome === 'refused') {
    throw new RefusedCall(refused(refusals.MCP_INVALID_ARGUMENTS, { problem: reading.message }));
  }
  const result = await reading.run(ofThisCall);
  if (reading.ignored.length === 0) return result;
  // A caller who wrote `role` for `roles` would otherwise believe that the intended change succeeded.
  return { ...result, ignored_arguments: reading.ignored.slice(0, ignoredShownMax) };
}

const ignoredShownMax = 20;

/** With the shared store a call works on the current files, unless the copy has unsaved changes (MCP-10). */
async function takeOverChangedFiles({
  draft,
  configuration,
}: Pick<ToolContext, 'draft' | 'configuration'>): Promise<void> {
  if (!isSharedBetweenProcesses({ kind: configuration.inForce().settings.runtime.store })) return;
  await configuration.refreshed();
  // Not the return value of the refresh: meanwhile another session's save may have activated a newer configuration.
  draft.follow(configuration.inForce());
}

function requireSecret(given: unknown, { draft }: Pick<ToolContext, 'draft'>): void {
  const secret = draft.managementSecret;
  if (secret === undefined || (typeof given === 'string' && secretsEqual(given, secret))) return;
  throw new RefusedCall(refused(refusals.MCP_ADMIN_SECRET_REQUIRED, { argument: secretArgument }));
}

function resultOf(error: unknown, name: string, { context }: ToolCaller): ToolResult {
  if (error instanceof ToolFailure) {
    const kind = error.kind === undefined ? {} : { kind: error.kind };
    return { success: false, error: error.message, ...kind };
  }
  const { refusal, message, retryable, cause } = refusedCall(error);
  if (cause !== undefined) context.log.warn({ err: cause, code: refusal.code }, 'rejected a tool call');
  return { error: message, code: refusal.code, tool: name, ...(retryable !== undefined && { retryable }) };
}

function refusedCall(error: unknown): RefusedCall {
  if (error instanceof RefusedCall) return error;
  if (error instanceof RuntimeStoreUnavailableError) return storeUnavailable(error, { done: false });
  if (error instanceof ConfigurationUnavailableError) {
    const retryable = error.kind !== 'lock_unsupported';
    const happened = refused(refusals.MCP_CONFIGURATION_UNAVAILABLE, { lockable: retryable });
    return new RefusedCall(happened, { retryable, cause: error });
  }
  return new RefusedCall(refused(refusals.MCP_INTERNAL_ERROR), { cause: error });
}

function storeUnavailable(cause: RuntimeStoreUnavailableError, facts: { readonly done: boolean }): RefusedCall {
  return new RefusedCall(refused(refusals.MCP_RUNTIME_STORE_UNAVAILABLE, facts), { retryable: true, cause });
}
