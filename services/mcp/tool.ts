// Defines a tool: its schema and its handler together, and the meaning of its results. One object per tool.
// call-tool.ts defines the order of the checks of a call (MCP-09).

import * as z from 'zod';
import type { Stopwatch } from '#shared/base/clock.ts';
import { lazy } from '#shared/base/lazy.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { Randomness } from '#shared/base/random.ts';
import { aboutField } from '#shared/base/sentence.ts';
import { unknownName } from '#shared/base/unknown-name.ts';
import { unusableMember } from '#shared/base/untrusted-values.ts';
import { effectiveAddresses, type ProviderAddresses } from '#shared/engine/exchange/issuer.ts';
import type { LogoutContext } from '#shared/engine/logout/logout-context.ts';
import type { OpenSandbox, Sandboxes } from '#shared/engine/sandboxes/open-sandboxes.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { MovableClock } from '#shared/model/domain/movable-clock.ts';
import { clockAt } from '#shared/model/domain/movable-clock.ts';
import { sandboxNamePattern, sandboxPrefix } from '#shared/model/domain/sandbox.ts';
import { toolRefusals } from '#shared/model/refusals/families/mcp-tools.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import type { KeyRing } from '#shared/state/keys/key-ring.ts';
import { NamespaceEndedError } from '#shared/state/store/namespace-id.ts';
import type { AuditLog } from '#shared/state/store/ports/audit.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import type { DraftConfiguration } from './draft-configuration.ts';
import { type JsonSchema, portableSchema } from './portable-schema.ts';
import { toolFailure } from './tool-failure.ts';

/** The services for handlers: one for all sessions of the process. */
export interface ToolContext {
  readonly draft: DraftConfiguration;
  readonly configuration: ActiveConfiguration;
  readonly audit: AuditLog;
  readonly keys: KeyRing;
  /** The clock of this call: moving the namespace's clock meanwhile does not affect it. */
  readonly clock: MovableClock;
  readonly store: Pick<
    RuntimeStore,
    'clock' | 'faults' | 'sessions' | 'samlLogouts' | 'consents' | 'exchanges' | 'recorderSwitch'
  > &
    LogoutContext['store'];
  readonly sandboxes: Sandboxes;
  /** The sandbox that the argument `sandbox` names: store, audit, keys and clock are its own. */
  readonly sandbox?: OpenSandbox;
  /** Whether a running server shares its store with this process. */
  readonly sharesStore: boolean;
  readonly stopwatch: Stopwatch;
  /** Waits. Resolves early, with false, when the process is stopped. */
  wait(milliseconds: number): Promise<boolean>;
  /** Aborts when the client cancels the call, or closes the connection for its result. */
  readonly disconnected: AbortSignal;
  readonly random: Randomness;
  readonly log: Logger;
}

/** The JSON object of a response. `success: false` or a top-level `error` makes it a failure (MCP-16). */
export type ToolResult = Readonly<Record<string, unknown>>;

/** Whether a response is a failure for the protocol (MCP-16). */
export function isFailure(result: ToolResult): boolean {
  return result.success === false || result.error !== undefined;
}

/** For tools that work on a running server's state. @throws ToolFailure with kind `no_server` (SBX-49) */
export function requireServer({ sharesStore }: Pick<ToolContext, 'sharesStore'>): void {
  if (sharesStore) return;
  throw toolFailure(toolRefusals.tool_without_server);
}

/** The argument of tools that also work in a sandbox (SBX-47). */
const sandboxArgument = {
  sandbox: z.string('must be a string').optional().meta({
    description: 'Name of the sandbox to use.',
  }),
} as const;

/** @throws ToolFailure when no server shares the store, or none of that name lives. */
async function inSandbox(name: string, context: ToolContext): Promise<ToolContext> {
  requireServer(context);
  const open = sandboxNamePattern.test(name) ? await context.sandboxes.find(name) : undefined;
  if (open === undefined) throw toolFailure(toolRefusals.tool_sandbox_unknown);
  const { store, audit, keys, log } = open;
  const clock = clockAt(await store.clock.refresh(), { now: () => context.clock.real() });
  return { ...context, store, audit, keys, log, sandbox: open, clock };
}

/** The configuration and the issuer for tokens of this call: those of the copy, or of the sandbox. */
export function servedBy({
  draft,
  sandbox,
}: ToolContext): ProviderAddresses & { readonly snapshot: ConfigurationSnapshot } {
  const snapshot = sandbox === undefined ? draft.snapshot() : sandbox.configuration.inForce();
  const prefix = sandbox === undefined ? '' : sandboxPrefix(sandbox.sandbox.name);
  // No request decides here, so the issuer is the one in the settings.
  return { snapshot, ...effectiveAddresses(snapshot.settings.oauth, undefined, prefix) };
}

/** The active configuration of the running server, not the copy that is being edited. */
export function inForce({
  sandbox,
  configuration,
}: Pick<ToolContext, 'sandbox' | 'configuration'>): ConfigurationSnapshot {
  return (sandbox?.configuration ?? configuration).inForce();
}

/** Facts that an editor may show its user before a call (MCP: ToolAnnotations). */
interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: false;
}

type Reading =
  | {
      readonly outcome: 'read';
      /** Argument names that the tool does not know: allowed (MCP-18), but often misspelt. */
      readonly ignored: readonly string[];
      run(context: ToolContext): Promise<ToolResult>;
    }
  /** `message` names the argument and the expected value, never the given value. */
  | { readonly outcome: 'refused'; readonly message: string };

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Rejected by --readonly, and requires the management secret (MCP-11). */
  readonly mutating: boolean;
  readonly hints: ToolHints;
  /** What a slow call may be waiting for. */
  readonly waitsFor: string | undefined;
  readonly inputSchema: JsonSchema;
  readonly outputSchema: JsonSchema;
  /** Validates the arguments by exactly the published schema. Nothing happens before `run`. */
  read(callArguments: unknown): Reading;
}

interface ToolDefinition<Shape extends z.ZodRawShape> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mutating?: boolean;
  /** Reverts or overwrites state that the tool itself cannot restore. */
  readonly destructive?: boolean;
  /**
   * The arguments limit the tool's effect or its scope, so an unknown one, such as a misspelt filter or `sandbox`, must
   * not be ignored. REST rejects unknown members in the same cases (FLT-35, TIM-31, SBX-47, REC-30).
   */
  readonly refusesUnknown?: true;
  /** Calling it twice with the same arguments has the same effect as calling it once. */
  readonly idempotent?: boolean;
  readonly waitsFor?: string;
  /**
   * It accepts the argument `sandbox`, and its handler then works in that sandbox. Every other tool rejects the
   * argument (SBX-48).
   */
  readonly takesSandbox?: true;
  readonly arguments: Shape;
  /** The model of a successful response. MCP-17 alone describes a failure. */
  readonly output: z.ZodRawShape;
  /** For responses with several forms: members of which each response has at least one. */
  readonly outputHasOneOf?: readonly string[];
  handle(args: z.output<z.ZodObject<Shape>>, context: ToolContext): Promise<ToolResult> | ToolResult;
}

export function defineTool<Shape extends z.ZodRawShape>(definition: ToolDefinition<Shape>): Tool {
  const own = definition.takesSandbox === true ? sandboxArgument : {};
  const known = { ...definition.arguments, ...own };
  const model = lazy(() => z.object(definition.arguments, 'the arguments must be a JSON object'));
  // Building all schemas takes a tenth of the start of this process, and a stack may never serve an editor.
  const inputSchema = lazy(() => inputSchemaOf(z.object(known)));
  const outputSchema = lazy(() => ({
    ...outputSchemaOf(z.object(definition.output)),
    ...(definition.outputHasOneOf && { anyOf: definition.outputHasOneOf.map((name) => ({ required: [name] })) }),
  }));
  const mutating = definition.mutating ?? false;
  const destructive = definition.destructive ?? false;
  return {
    name: definition.name,
    title: definition.title,
    // Its schema allows further members, like every published one (MCP-18).
    description: definition.description + (definition.refusesUnknown === true ? ' Rejects unknown arguments.' : ''),
    mutating,
    hints: {
      readOnlyHint: !mutating && !destructive,
      destructiveHint: destructive,
      idempotentHint: definition.idempotent ?? !mutating,
      openWorldHint: false,
    },
    waitsFor: definition.waitsFor,
    get inputSchema() {
      return inputSchema();
    },
    get outputSchema() {
      return outputSchema();
    },
    read(callArguments) {
      const parsed = model().safeParse(callArguments);
      if (!parsed.success) return { outcome: 'refused', message: describeIssues(parsed.error, callArguments) };
      const unusable = unusableMember(callArguments);
      if (unusable !== undefined) {
        const { path, problem } = unusable;
        return { outcome: 'refused', message: `Invalid arguments: ${path.join('.')} ${problem}.` };
      }
      const place = readSandbox(callArguments, definition.takesSandbox === true);
      if (place.outcome === 'refused') return place;
      const { sandbox } = place;
      const ignored = Object.keys(Object(callArguments)).filter((name) => !Object.hasOwn(known, name));
      return {
        outcome: 'read',
        ignored,
        run: async (context) => {
          if (ignored.length > 0 && definition.refusesUnknown === true) {
            const problem = unknownName('field', ignored[0] ?? '', Object.keys(known));
            throw toolFailure(toolRefusals.tool_argument_unknown, { problem });
          }
          if (sandbox === undefined) return definition.handle(parsed.data, context);
          try {
            return await definition.handle(parsed.data, await inSandbox(sandbox, context));
          } catch (error) {
            throw error instanceof NamespaceEndedError ? toolFailure(toolRefusals.tool_sandbox_unknown) : error;
          }
        },
      };
    },
  };
}

/** The sandbox that a call names. */
function readSandbox(
  callArguments: unknown,
  taken: boolean,
): { readonly outcome: 'read'; readonly sandbox: string | undefined } | Extract<Reading, { outcome: 'refused' }> {
  const { sandbox }: { sandbox?: unknown } = Object(callArguments);
  if (sandbox === undefined) return { outcome: 'read', sandbox };
  const refused = (sentence: string) => ({ outcome: 'refused', message: `Invalid arguments: ${sentence}.` }) as const;
  if (!taken)
    return refused('sandbox is not supported: this tool works on the configuration files, and sandboxes have none');
  return typeof sandbox === 'string' ? { outcome: 'read', sandbox } : refused('sandbox must be a string');
}

/** The schema of arguments as sent: defaults are optional, further members allowed (MCP-18). */
function inputSchemaOf(model: z.ZodObject): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(model, { io: 'input', unrepresentable: 'any' });
  return { ...portableSchema(schema), type: 'object' };
}

/**
 * Limits of JavaScript's safe integers apply to the sender of a count and do not help the reader, so they are removed.
 */
function outputSchemaOf(model: z.ZodObject): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(model, {
    io: 'input',
    override({ jsonSchema }) {
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return { ...portableSchema(schema), type: 'object' };
}

const issuesShownMax = 5;

function describeIssues(error: z.ZodError, callArguments: unknown): string {
  const sentences = error.issues.slice(0, issuesShownMax).map(({ path, message }) => {
    const field = path.map(String).join('.');
    if (field === '') return message;
    if (valueAt(path, callArguments) === undefined) return `${field} is missing`;
    return aboutField(field, message);
  });
  const more = error.issues.length - sentences.length;
  return `Invalid arguments: ${sentences.join(', ')}${more > 0 ? `, and ${more} more` : ''}.`;
}

function valueAt(path: readonly PropertyKey[], value: unknown): unknown {
  return path.reduce<unknown>((container, name) => Object(container)[name], value);
}
