// One call from beginning to end, in the order of MCP-09: freshness, readonly, secret, unknown tool, arguments, handler;
// then its audit event, whatever came out. Knows no transport.

import { ConfigurationUnavailableError } from '#shared/configuration/active-configuration.ts';
import { standingBy } from '#shared/domain/movable-clock.ts';
import { secretsEqual } from '#shared/protocol/secrets-equal.ts';
import { RuntimeStoreUnavailableError } from '#shared/store/runtime-store-unavailable.ts';
import { isSharedBetweenProcesses } from '#shared/store/store-location.ts';
import type { CallsInFlight } from './calls-in-flight.ts';
import { callEvent, recordLater } from './record-call.ts';
import { isFailure, type Tool, type ToolContext, type ToolResult } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

export type RefusalCode =
  | 'MCP_READONLY_MODE'
  | 'MCP_ADMIN_SECRET_REQUIRED'
  | 'MCP_UNKNOWN_TOOL'
  | 'MCP_INVALID_ARGUMENTS'
  | 'MCP_RUNTIME_STORE_UNAVAILABLE'
  | 'MCP_CONFIGURATION_UNAVAILABLE'
  | 'MCP_INTERNAL_ERROR';

export interface ToolCaller {
  readonly tools: ReadonlyMap<string, Tool>;
  /** Mutating tools are refused (MCP-12). */
  readonly readonly: boolean;
  readonly calls: CallsInFlight;
  readonly context: ToolContext;
}

/** What a refusal says besides its code: `{error, code, tool}` and for some `retryable` (MCP-17). */
class Refusal extends Error {
  readonly code: RefusalCode;
  readonly retryable: boolean | undefined;
  constructor(
    code: RefusalCode,
    message: string,
    options: { readonly retryable?: boolean; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryable = options.retryable;
  }
}

/** The argument with which a mutating call proves the management secret; in no schema and seen by no handler (MCP-13). */
const secretArgument = 'admin_secret';

/** Answers a result for everything that can happen: this promise never rejects. */
export function callTool(
  name: string,
  callArguments: Readonly<Record<string, unknown>>,
  caller: ToolCaller,
): Promise<ToolResult> {
  return caller.calls.track(answer(name, callArguments, caller));
}

async function answer(
  name: string,
  callArguments: Readonly<Record<string, unknown>>,
  caller: ToolCaller,
): Promise<ToolResult> {
  const result = await perform(name, callArguments, caller).catch((error: unknown) => resultOf(error, name, caller));
  const event = callEvent(name, result, caller.context);
  const changed = !isFailure(result) && caller.tools.get(name)?.hints.readOnlyHint === false;
  try {
    await caller.context.audit.record(event, { done: changed });
    return result;
  } catch (error) {
    // Neither the audit nor its outbox could be had.
    if (!changed || !(error instanceof RuntimeStoreUnavailableError)) return resultOf(error, name, caller);
    void recordLater(event, caller.context);
    return resultOf(new Refusal('MCP_RUNTIME_STORE_UNAVAILABLE', doneButNotRecorded, busy(error)), name, caller);
  }
}

async function perform(
  name: string,
  callArguments: Readonly<Record<string, unknown>>,
  { tools, readonly, context }: ToolCaller,
): Promise<ToolResult> {
  await takeOverChangedFiles(context);
  const ofThisCall = { ...context, clock: standingBy(context.store.clock.look()) };
  const tool = tools.get(name);
  const { [secretArgument]: secret, ...visible } = callArguments;
  if (tool?.mutating === true) {
    if (readonly) throw new Refusal('MCP_READONLY_MODE', readOnly);
    requireSecret(secret, context);
  }
  if (tool === undefined)
    throw new Refusal('MCP_UNKNOWN_TOOL', 'There is no tool of that name; tools/list names them.');
  const reading = tool.read(visible);
  if (reading.outcome === 'refused') throw new Refusal('MCP_INVALID_ARGUMENTS', reading.message);
  const result = await reading.run(ofThisCall);
  if (reading.ignored.length === 0) return result;
  // Whoever wrote `role` for `roles` would take the success for the change that was meant.
  return { ...result, ignored_arguments: reading.ignored.slice(0, ignoredShownMax) };
}

const ignoredShownMax = 20;

/** With the shared store a call works on the files as they stand, unless the copy has unsaved changes (MCP-10). */
async function takeOverChangedFiles({ draft, configuration }: ToolContext): Promise<void> {
  if (!isSharedBetweenProcesses({ kind: configuration.peek().settings.runtime.store })) return;
  await configuration.current();
  // Not what the look answered: a save of another session may have put a newer one in force meanwhile.
  draft.follow(configuration.peek());
}

function requireSecret(given: unknown, { draft }: ToolContext): void {
  const secret = draft.managementSecret;
  if (secret === undefined || (typeof given === 'string' && secretsEqual(given, secret))) return;
  throw new Refusal(
    'MCP_ADMIN_SECRET_REQUIRED',
    `A management secret is set: tools that change something need it as the further argument ${secretArgument}. Ask whoever runs this server for it.`,
  );
}

function resultOf(error: unknown, name: string, { context }: ToolCaller): ToolResult {
  if (error instanceof ToolFailure) {
    const kind = error.kind === undefined ? {} : { kind: error.kind };
    return { success: false, error: error.message, ...kind };
  }
  const refusal = refusalOf(error);
  if (refusal.cause !== undefined)
    context.log.warn({ err: refusal.cause, code: refusal.code }, 'a tool call was refused');
  const retryable = refusal.retryable === undefined ? {} : { retryable: refusal.retryable };
  return { error: refusal.message, code: refusal.code, tool: name, ...retryable };
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof RuntimeStoreUnavailableError) {
    const message = 'The runtime store is busy at the moment; try again in a second.';
    return new Refusal('MCP_RUNTIME_STORE_UNAVAILABLE', message, busy(error));
  }
  if (error instanceof ConfigurationUnavailableError) {
    const retryable = error.kind !== 'lock_unsupported';
    const message = retryable
      ? 'The configuration directory is in use by another process; try again in a second.'
      : 'The configuration directory cannot be locked on this filesystem.';
    return new Refusal('MCP_CONFIGURATION_UNAVAILABLE', message, { retryable, cause: error });
  }
  return new Refusal('MCP_INTERNAL_ERROR', 'The call failed unexpectedly; the server log says why.', { cause: error });
}

function busy(cause: RuntimeStoreUnavailableError) {
  return { retryable: true, cause };
}

const readOnly =
  'This MCP server is read-only and the tool changes something; to allow it, start the server without --readonly and IDP_MCP_READONLY.';

/** Whoever reads only "busy" would repeat what has been done. */
const doneButNotRecorded =
  'The call was carried out and what it changed stands; the audit is busy, and its event follows. Do not simply repeat the call: look first at what is there.';
