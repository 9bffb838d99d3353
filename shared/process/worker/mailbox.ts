// What supervisor and workers say to each other: control only, never state (workers coordinate through the store, the
// lock and the audit). Workers check what they are told with these models; the supervisor, which must start fast and
// loads no library, checks what it hears with supervisor/read-report.ts, and a test proves that both agree.
import * as z from 'zod';
import { startRefusals } from '#shared/base/start-refusal.ts';
import { startValues } from '#shared/engine/exchange/start-values.ts';
import { isTokenMark, type TokenMark } from '#shared/model/domain/token-mark.ts';
import { parseStoreLocation, type StoreLocation } from '#shared/model/runtime-store/store-location.ts';

/** Whether and with what the door speaks TLS (TLS-01); paths are absolute. */
const tlsInForce = z.union([
  z.enum(['off', 'auto']),
  z.object({ cert: z.string(), key: z.string(), ca: z.string().optional() }),
]);

export type WorkerName = 'oidc' | 'saml' | 'mcp' | 'demo';

const storeLocation = z.custom<StoreLocation>((told) => parseStoreLocation(told) !== undefined);

/** What a worker is told at its start, by the command line when it is alone and by the supervisor otherwise. */
const workerStart = z.object({
  /** Absolute path of the configuration directory; left out: the embedded configuration (PKG-13). */
  configDirectory: z.string().optional(),
  /** Stands in for the embedded configuration: what a test handed over as values, as the texts of the two files (API-04). */
  given: z.object({ settings: z.string(), users: z.string() }).optional(),
  /** How the tokens of this life end, where the same keys signed for a former one (API-26); left out: they have no mark. */
  tokenMark: z.custom<TokenMark>(isTokenMark).optional(),
  /** Where keys are kept, whatever the configuration says; without it and without a directory: in memory. */
  keysDirectory: z.string().optional(),
  /** Command-line overrides; undefined: what the files say. */
  host: z.string().optional(),
  port: z.number().int().min(0).max(65_535).optional(),
  /** IDP_DEFAULT_HOST: where neither the command line nor the file names one (IMG-04). */
  defaultHost: z.string().optional(),
  profile: z.enum(['dev', 'stricter-dev', 'oauth21']).optional(),
  strict: z.boolean().optional(),
  /** `--tls`, and under a supervisor what its first worker declared; left out: what the files say. */
  tls: tlsInForce.optional(),
  /** `--log-level`, and under a supervisor what its first worker declared; left out: what the files say. */
  logLevel: z.string().optional(),
  /** What the first worker of this stack declared (ACT-17); left out: what the files say. */
  atStart: startValues.optional(),
  /** `start --declare`: the files come into force, also when they were superseded before (CLU-14). */
  declare: z.boolean().optional(),
  /** `mcp --readonly`: tools that change something are refused (MCP-12). */
  readonly: z.boolean().optional(),
  /** What is said once at the start, by whoever runs alone or keeps the stack. */
  remarks: z
    .array(z.object({ level: z.enum(['info', 'warn']), message: z.string() }))
    .readonly()
    .optional(),
  /** Only one process of a stack runs on_before_load: the supervisor does, before its workers start (HOK-04). */
  runBeforeLoadHook: z.boolean(),
  /** The first worker of the stack, which starts beside this one, says what it finds in the files (CFG-31). */
  toldBySibling: z.boolean().optional(),
  /** Present under a supervisor. */
  stack: z
    .object({
      /** Private directory (mode 0700): sockets and, with `runtime.store: memory`, the store. */
      directory: z.string(),
      /** Where the SAML frontend listens and the door relays to. */
      samlSocket: z.string(),
      /** When the supervisor started it, in milliseconds since 1970. */
      startedAt: z.number(),
      /** How many workers it has. */
      workers: z.number().int(),
    })
    .optional(),
  /** `start --demo`: where the demonstration answers, and, once the door is open, where it finds the provider. */
  demo: z.object({ url: z.string(), baseUrl: z.string().optional() }).optional(),
  /** The store the first worker of this stack declared; `host` and `port` are then what it declared too (STO-01, SUP-06). */
  store: storeLocation.optional(),
});

export type WorkerStart = z.output<typeof workerStart>;

/** Supervisor → worker. `door` carries the bound socket as its handle and says what it is bound to. */
export const orderModel = z.discriminatedUnion('type', [
  workerStart.extend({ type: z.literal('start') }),
  z.object({ type: z.literal('door'), host: z.string(), port: z.number().int() }),
  z.object({ type: z.literal('drain') }),
  /** At once, leaving requests unanswered; it takes its hooks along, which a killed process cannot. */
  z.object({ type: z.literal('end') }),
  z.object({ type: z.literal('ping') }),
]);

export type Order = z.output<typeof orderModel>;

/** Where the configuration wants the door and the store, command-line overrides applied. */
const declaredPlace = z.object({
  host: z.string(),
  port: z.number().int(),
  /** The location this worker opens: with `runtime.store: memory` under a supervisor, `stack` in its directory. */
  store: storeLocation,
  tls: tlsInForce,
  /** The file of the authority to be trusted, where there is one. */
  caFile: z.string().optional(),
  /** `logging.level`: the supervisor's own few lines follow it, and so does every later worker. */
  logLevel: z.string().optional(),
  /** Handed to every later worker of the stack, so that a replacement is like its siblings. */
  atStart: startValues,
});

export type DeclaredPlace = z.output<typeof declaredPlace>;

/** Worker → supervisor. */
export const reportModel = z.discriminatedUnion('type', [
  declaredPlace.extend({ type: z.literal('declared') }),
  /** It answers; `path` follows the base URL in the ready line. */
  z.object({ type: z.literal('ready'), path: z.string() }),
  z.object({ type: z.literal('pong') }),
  /**
   * It will not start, and why, in one line for a person. `forGood`: nor would another process of this stack, nor can it go on.
   * `mendable`: another process will, once a person has mended the file that the reason names.
   */
  z.object({
    type: z.literal('fatal'),
    reason: z.string(),
    refusal: z.enum(startRefusals),
    forGood: z.literal(true).optional(),
    mendable: z.literal(true).optional(),
  }),
  /** Somebody sent this worker SIGTERM: the supervisor decides whether it drains and is replaced. */
  z.object({ type: z.literal('asked_to_leave') }),
]);

export type Report = z.output<typeof reportModel>;
