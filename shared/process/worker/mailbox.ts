// The messages between supervisor and workers. They carry control only, never state: workers coordinate through the
// store, the lock and the audit. Workers validate messages with these models. The supervisor must start fast and loads
// no library, so it validates with supervisor/read-report.ts. A test proves that both agree.
import * as z from 'zod';
import { startRefusals } from '#shared/base/start-refusal.ts';
import { startValues } from '#shared/engine/exchange/start-values.ts';
import { isTokenMark, type TokenMark } from '#shared/model/domain/token-mark.ts';
import { parseStoreLocation, type StoreLocation } from '#shared/model/runtime-store/store-location.ts';

/** Whether the public socket speaks TLS, and with which files (TLS-01). Paths are absolute. */
const tlsInForce = z.union([
  z.enum(['off', 'auto']),
  z.object({ cert: z.string(), key: z.string(), ca: z.string().optional() }),
]);

export type WorkerName = 'oidc' | 'saml' | 'mcp' | 'demo';

const storeLocation = z.custom<StoreLocation>((value) => parseStoreLocation(value) !== undefined);

/** The start parameters of a worker: from the command line when it runs alone, else from the supervisor. */
const workerStart = z.object({
  /** Absolute path of the configuration directory. undefined: the embedded configuration (PKG-13). */
  configDirectory: z.string().optional(),
  /** Replaces the embedded configuration: the contents of the two files, which a test passed as values (API-04). */
  given: z.object({ settings: z.string(), users: z.string() }).optional(),
  /** The jti suffix of this run's tokens, if the same keys signed for a previous run (API-26). undefined: none. */
  tokenMark: z.custom<TokenMark>(isTokenMark).optional(),
  /** Where keys are stored, regardless of the configuration. Without it and without a directory: in memory. */
  keysDirectory: z.string().optional(),
  /** Command-line overrides. undefined: the files decide. */
  host: z.string().optional(),
  port: z.number().int().min(0).max(65_535).optional(),
  /** IDP_DEFAULT_HOST: the host when neither the command line nor the file names one (IMG-04). */
  defaultHost: z.string().optional(),
  profile: z.enum(['dev', 'stricter-dev', 'oauth21']).optional(),
  strict: z.boolean().optional(),
  /** `--tls`. Under a supervisor, the value that its first worker declared. undefined: the files decide. */
  tls: tlsInForce.optional(),
  /** `--log-level`. Under a supervisor, the value that its first worker declared. undefined: the files decide. */
  logLevel: z.string().optional(),
  /** The values that the first worker of this stack declared (ACT-17). undefined: the files decide. */
  atStart: startValues.optional(),
  /** `start --declare`: the files become active even if they were superseded before (CLU-14). */
  declare: z.boolean().optional(),
  /** `mcp --readonly`: tools that change state are rejected (MCP-12). */
  readonly: z.boolean().optional(),
  /** Log messages for the start, written once: by the process that runs alone or by the supervisor. */
  remarks: z
    .array(z.object({ level: z.enum(['info', 'warn']), message: z.string() }))
    .readonly()
    .optional(),
  /** Only one process of a stack runs on_before_load: the supervisor, before its workers start (HOK-04). */
  runBeforeLoadHook: z.boolean(),
  /** The first worker of the stack, which starts at the same time, reports the findings in the files (CFG-31). */
  reportedBySibling: z.boolean().optional(),
  /** Present under a supervisor. */
  stack: z
    .object({
      /** Private directory (mode 0700): sockets and, with `runtime.store: memory`, the store. */
      directory: z.string(),
      /** Where the SAML front end listens and the OIDC worker relays to. */
      samlSocket: z.string(),
      /** When the supervisor started it, in milliseconds since 1970. */
      startedAt: z.number(),
      /** The number of its workers. */
      workers: z.number().int(),
    })
    .optional(),
  /** `start --demo`: the URL of the demonstration, and the provider's URL once the public socket is open. */
  demo: z.object({ url: z.string(), baseUrl: z.string().optional() }).optional(),
  /**
   * The store that the first worker of this stack declared. `host` and `port` are then declared values too (STO-01,
   * SUP-06).
   */
  store: storeLocation.optional(),
});

export type WorkerStart = z.output<typeof workerStart>;

/** Supervisor → worker. `socket` carries the bound socket as its handle, and the address that it is bound to. */
export const orderModel = z.discriminatedUnion('type', [
  workerStart.extend({ type: z.literal('start') }),
  z.object({ type: z.literal('socket'), host: z.string(), port: z.number().int() }),
  z.object({ type: z.literal('drain') }),
  /**
   * Ends at once and leaves requests without response. The worker also stops its hooks, which a killed process cannot
   * do.
   */
  z.object({ type: z.literal('end') }),
  z.object({ type: z.literal('ping') }),
]);

export type Order = z.output<typeof orderModel>;

/** The address and the store from the configuration, with command-line overrides applied. */
const declaredPlace = z.object({
  host: z.string(),
  port: z.number().int(),
  /** The location that this worker opens: with `runtime.store: memory` under a supervisor, `stack` in its directory. */
  store: storeLocation,
  tls: tlsInForce,
  /** The file of the certificate authority to trust, if one exists. */
  caFile: z.string().optional(),
  /** `logging.level`: the supervisor uses it for its own log lines, and every later worker uses it too. */
  logLevel: z.string().optional(),
  /** Passed to every later worker of the stack, so that a replacement has the same values. */
  atStart: startValues,
});

export type DeclaredPlace = z.output<typeof declaredPlace>;

/** Worker → supervisor. */
export const reportModel = z.discriminatedUnion('type', [
  declaredPlace.extend({ type: z.literal('declared') }),
  /** The worker serves requests. `path` follows the base URL in the ready line. */
  z.object({ type: z.literal('ready'), path: z.string() }),
  z.object({ type: z.literal('pong') }),
  /**
   * The worker will not start. The reason is one line for a person. `forGood`: no other process of this stack can start
   * or go on either. `mendable`: another process can start once a person has corrected the file that the reason names.
   */
  z.object({
    type: z.literal('fatal'),
    reason: z.string(),
    refusal: z.enum(startRefusals),
    forGood: z.literal(true).optional(),
    mendable: z.literal(true).optional(),
  }),
  /** This worker received SIGTERM. The supervisor decides whether it drains and is replaced. */
  z.object({ type: z.literal('asked_to_leave') }),
]);

export type Report = z.output<typeof reportModel>;
