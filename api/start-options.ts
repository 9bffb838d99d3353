// The options of startIdp, checked, and the configuration they stand for: as the texts of the two files, so that they are
// judged and run exactly as files are (API-02 to API-06).

import { resolve } from 'node:path';
import * as z from 'zod';
import { joinSentences } from '#shared/base/sentence.ts';
import { isMapping } from '#shared/base/untrusted-values.ts';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { describeFinding } from '#shared/model/configuration/finding.ts';
import { storeKindOf } from '#shared/model/configuration/store-kinds.ts';
import type { WorkerStart } from '#shared/process/worker/mailbox.ts';
import { oidcWorkersMax } from '#shared/process/worker/oidc-workers.ts';
import { diagnosed } from '#shared/state/configuration/diagnose-directory.ts';
import { builtInUsersText, demoClient } from '#shared/state/configuration/load/built-in-defaults.ts';
import type { LoadedConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import { loadDirectory } from '#shared/state/configuration/load/load-directory.ts';
import type { LoadOptions } from '#shared/state/configuration/load/load-options.ts';
import { problemOfDirectory } from '#shared/state/configuration/load/read-files.ts';
import type { AcceptedLoad } from '#shared/state/configuration/read-declared-configuration.ts';
import { renderBlock } from '#shared/state/configuration/write/render-yaml.ts';
import { noOther } from './arguments.ts';
import { IdpError, IdpStartError } from './errors.ts';
import type { StartOptions } from './types.ts';

const millisecondsMax = 2 ** 31 - 1;

const aFunction = (value: unknown) => typeof value === 'function';
const pemKeys = z.strictObject({ privateKey: z.string(), publicKey: z.string() });
const keysHandle = z.custom<{ pem(): Promise<unknown> }>(
  (value) => typeof value === 'object' && value !== null && aFunction(Reflect.get(value, 'pem')),
);
const abortSignal = z.custom<AbortSignal>(
  (value) => typeof value === 'object' && value !== null && aFunction(Reflect.get(value, 'addEventListener')),
  'must be an AbortSignal',
);
const entries = z.union([z.array(z.looseObject({})), z.record(z.string(), z.looseObject({}))], {
  error: 'must be a list or a record of entries',
});

const optionsModel = z.strictObject({
  users: entries.optional(),
  clients: entries.optional(),
  settings: z.looseObject({}, 'must be an object').optional(),
  profile: z.enum(['dev', 'stricter-dev', 'oauth21']).optional(),
  strict: z.boolean().optional(),
  configDir: z.string().min(1).optional(),
  host: z.string().min(1).default('127.0.0.1'),
  port: z.number().int().min(0).max(65_535).default(0),
  issuer: z.string().optional(),
  keys: z
    .union([z.string().min(1), pemKeys, keysHandle], { error: 'must be PEM keys, a directory or idp.keys' })
    .optional(),
  stack: z.boolean().default(false),
  oidcWorkers: z.number().int().min(1).max(oidcWorkersMax).default(1),
  log: z.enum(['silent', 'debug', 'info', 'warning', 'error', 'critical']).default('silent'),
  signal: abortSignal.optional(),
  timeout: z.number().positive().max(millisecondsMax).default(15_000),
});

type ReadOptions = z.output<typeof optionsModel>;

/** What a start runs. */
export interface Prepared {
  readonly options: ReadOptions;
  readonly start: Omit<WorkerStart, 'stack' | 'store' | 'runBeforeLoadHook'>;
  /** As it will be in force. */
  readonly configuration: LoadedConfiguration;
  /** undefined with `configDir`: the start reads the files under the lock of their directory, after their hooks. */
  readonly loaded: AcceptedLoad | undefined;
}

/** @throws IdpError invalid_option, IdpStartError configuration_rejected */
export function prepareStart(given: StartOptions): Prepared {
  const options = readStartOptions(given);
  const { configDir, host, port, profile, strict, log } = options;
  const texts = configDir === undefined ? textsOf(options) : undefined;
  const configDirectory = configDir === undefined ? undefined : resolve(configDir);
  const keysDirectory = typeof options.keys === 'string' ? resolve(options.keys) : undefined;
  const isStrict = strict ?? configDir === undefined;
  const load: LoadOptions = {
    directory: configDirectory,
    given: texts,
    keysDirectory,
    environment: configDirectory === undefined ? {} : process.env,
    problemsOfFault,
    strictOverride: isStrict ? true : undefined,
    profileOverride: profile,
  };
  const loaded = accepted(load);
  const { configuration } = loaded;
  if (options.keys !== undefined && configuration.settings.jwt.external_keys !== undefined) {
    throw invalid('keys', 'and jwt.external_keys of the settings exclude each other.');
  }
  if (options.keys !== undefined && storeKindOf(configuration.settings.runtime).keepsKeys) {
    throw invalid('keys', 'and runtime.store: postgres exclude each other. The stacks share the keys in the database.');
  }
  if (configuration.settings.server.tls !== undefined) {
    throw invalid('server.tls', 'is not supported by startIdp(), which serves plain HTTP. Remove it.');
  }
  const start = {
    ...{ configDirectory, given: texts, keysDirectory, profile, host, port },
    strict: isStrict,
    logLevel: log.toUpperCase(),
  };
  return { options, start, configuration, loaded: configDirectory === undefined ? loaded : undefined };
}

function readStartOptions(given: StartOptions): ReadOptions {
  const parsed = optionsModel.safeParse(given);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    if (issue?.code === 'unrecognized_keys') {
      noOther('startIdp', { [issue.keys[0] ?? '']: true }, Object.keys(optionsModel.shape));
    }
    throw invalid(issue?.path.map(String).join('.') || 'options', `is invalid: ${issue?.message}`);
  }
  const options = parsed.data;
  if (options.configDir !== undefined) {
    for (const member of ['users', 'clients', 'settings', 'issuer'] as const) {
      if (options[member] !== undefined)
        throw invalid(member, 'and configDir exclude each other. Write it in the files.');
    }
  }
  for (const [path, option] of saidByOptions) {
    const [section, key] = path.split('.');
    if (memberOf(memberOf(options.settings, section), key) !== undefined) {
      throw invalid(`settings.${path}`, `has no effect in startIdp(). Use the option ${option}.`);
    }
  }
  if (given.oidcWorkers !== undefined && !options.stack) throw invalid('oidcWorkers', 'requires stack: true.');
  return options;
}

/** What an option decides, with its default too: in `settings` it would be left out in silence. */
const saidByOptions = [
  ['server.host', 'host'],
  ['server.port', 'port'],
  ['jwt.keys_dir', 'keys'],
  ['logging.level', 'log'],
] as const;

function memberOf(value: unknown, name: string | undefined): unknown {
  return name !== undefined && isMapping(value) ? value[name] : undefined;
}

function invalid(member: string, problem: string): IdpError {
  return new IdpError('invalid_option', `${member} ${problem}`);
}

/** As test-idp validate-config would judge it. */
function accepted(load: LoadOptions): AcceptedLoad {
  const { directory } = load;
  const problem = directory === undefined ? undefined : problemOfDirectory(directory, 'configDir');
  if (problem !== undefined) {
    const finding = { level: 'error', message: problem, file: null, path: null, line: null, column: null } as const;
    throw new IdpStartError('configuration_rejected', `${directory} ${problem}`, { findings: [finding] });
  }
  const result = loadDirectory(load);
  const { configuration, texts } = result;
  if (configuration !== undefined && texts !== undefined) return { ...result, configuration, texts };
  const errors = result.findings.filter(({ level }) => level === 'error');
  const sentences = errors.map((finding) =>
    describeFinding({ ...finding, ...(directory === undefined && { line: undefined, file: undefined }) }),
  );
  throw new IdpStartError('configuration_rejected', joinSentences(sentences), {
    findings: result.findings.map(diagnosed(result.strict)),
  });
}

function textsOf({ users, clients, settings = {}, issuer }: ReadOptions): { settings: string; users: string } {
  const { oauth = {}, ...others } = plain('settings', settings);
  const declared = isMapping(oauth) ? { ...oauth } : undefined;
  // What is no mapping is judged as a file would be.
  if (declared === undefined) return { settings: textOf({ ...others, oauth }), users: textOf({ users: {} }) };
  const from: Readonly<Record<string, unknown>> = declared;
  if (clients !== undefined && from.clients !== undefined) {
    throw invalid('clients', 'and settings.oauth.clients exclude each other. Use only one of them.');
  }
  if (issuer !== undefined && from.issuer !== undefined)
    throw invalid('issuer', 'and settings.oauth.issuer exclude each other. Use only one of them.');
  // Whoever names an issuer means it, whatever address is asked.
  const fixed = issuer ?? from.issuer;
  const follows = from.issuer_from_request ?? fixed === undefined;
  return {
    settings: textOf({
      ...others,
      oauth: {
        ...from,
        ...(issuer === undefined ? {} : { issuer }),
        issuer_from_request: follows,
        clients: clients === undefined ? (from.clients ?? [demoClient]) : listed(plain('clients', clients)),
      },
    }),
    users: users === undefined ? builtInUsersText : textOf({ users: named(plain('users', users)) }),
  };
}

function listed(clients: unknown): readonly unknown[] {
  if (Array.isArray(clients)) return clients;
  return Object.entries(Object(clients)).map(([client_id, members]) => {
    const { client_id: again = client_id, ...rest } = Object(members);
    if (again !== client_id)
      throw invalid('clients', `has different names for ${JSON.stringify(client_id)} in key and client_id.`);
    return { client_id, ...rest };
  });
}

function named(users: unknown): Readonly<Record<string, unknown>> {
  const pairs: readonly (readonly [string | undefined, unknown])[] = Array.isArray(users)
    ? users.map((user: unknown) => [undefined, user] as const)
    : Object.entries(Object(users));
  const entries = new Map<string, unknown>();
  for (const [key, user] of pairs) {
    const { username = key, ...entry }: { username?: unknown } = Object(user);
    if (typeof username !== 'string') throw invalid('users', 'must have a username in each entry.');
    if (key !== undefined && username !== key)
      throw invalid('users', `has different names for ${JSON.stringify(key)} in key and username.`);
    if (entries.has(username)) throw invalid('users', `has ${JSON.stringify(username)} twice.`);
    entries.set(username, entry);
  }
  return Object.fromEntries(entries);
}

/** What a file could hold. */
function plain<Value extends object>(member: string, value: Value): Record<string, unknown> & Value {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new IdpError('invalid_option', `${member} cannot be converted to JSON.`, { cause });
  }
}

function textOf(value: Readonly<Record<string, unknown>>): string {
  return renderBlock(value, 0, { eol: '\n', step: 2 });
}
