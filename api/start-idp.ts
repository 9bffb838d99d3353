// startIdp: starts an identity provider for a test, in this process or as separate processes (section API).

import { systemStopwatch } from '#shared/base/clock.ts';
import { startRefusalOf } from '#shared/base/start-refusal.ts';
import { effectiveAddresses } from '#shared/engine/exchange/issuer.ts';
import { clientKind, type EntryKind, userKind } from '#shared/model/configuration/entry-kinds.ts';
import { storeKindOf } from '#shared/model/configuration/store-kinds.ts';
import { discoveryDocument } from '#shared/model/oauth-rules/discovery-document.ts';
import { mentionsHooks } from '#shared/process/worker/hooks-before-workers.ts';
import { basePathOf } from '#shared/protocol/oidc/issuer-address.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import type { LoadedConfiguration } from '#shared/state/configuration/load/load-configuration.ts';
import { objectGiven } from './arguments.ts';
import { IdpError, IdpStartError } from './errors.ts';
import { type RunningInstance, runInProcess } from './in-process.ts';
import { type Addresses, type Instance, makeInstance } from './instance.ts';
import { type ChosenKeys, chooseKeys } from './instance-keys.ts';
import { type Prepared, prepareStart } from './start-options.ts';
import type { ClientEntry, Idp, IdpAbortSignal, NamedUser, StackIdp, StartIdp, StartOptions } from './types.ts';

export const startIdp: StartIdp = start;

function start(options: StartOptions & { readonly stack: true }): Promise<StackIdp>;
function start(options?: StartOptions): Promise<Idp>;
async function start(options: StartOptions = {}): Promise<Idp> {
  return (await startInstance(options)).idp;
}

/** Like startIdp, but also returns what the fixtures of a test runner need. */
export async function startInstance(options: StartOptions): Promise<Instance> {
  const { signal } = objectGiven('startIdp', options);
  if (signal?.aborted === true) throw signal.reason;
  const prepared = prepareStart(options);
  const chosen = chooseKeys(prepared);
  if (!prepared.options.stack) {
    const running = await startUnlessAborted(signal, prepared, (given) => runInProcess(prepared, chosen.pair, given));
    return await instanceUnlessAborted(running, () => asStarted(prepared, options), chosen, signal);
  }
  const stack = await startUnlessAborted(signal, prepared, async (given) => {
    const { runAsStack } = await import('./stack/run-as-stack.ts');
    return await runAsStack(prepared, chosen.pair, given);
  });
  const instance = await instanceUnlessAborted(stack, () => asStarted(prepared, options), chosen, signal);
  const idp: StackIdp = {
    ...instance.idp,
    get mcpUrl() {
      return stack.mcpUrl();
    },
    get pid() {
      return stack.pid();
    },
  };
  return { ...instance, idp };
}

/**
 * Starts within the timeout and until the signal is aborted. If it fails, nothing is left running.
 * @throws IdpStartError, and the reason of the signal
 */
async function startUnlessAborted<Running extends RunningInstance>(
  signal: IdpAbortSignal | undefined,
  { options: { timeout } }: Prepared,
  run: (givenUp: AbortSignal) => Promise<Running>,
): Promise<Running> {
  const givenUp = new AbortController();
  let abort = () => {};
  let timer: NodeJS.Timeout | undefined;
  const lost = new Promise<never>((_, reject) => {
    abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
    timer = setTimeout(() => reject(tooLate(timeout)), timeout);
  });
  const start = systemStopwatch.read();
  const running = run(givenUp.signal).catch((error: unknown) => {
    throw asStartError(error);
  });
  try {
    const inTime = await Promise.race([running, lost]);
    // A start that blocks the event loop delays the timer, so the time is checked again here.
    if (systemStopwatch.since(start) > timeout) throw tooLate(timeout);
    return inTime;
  } catch (error) {
    givenUp.abort();
    // An instance that becomes ready after that is stopped. When the caller receives the error, nothing runs any more
    // (API-14).
    const over = running.then(
      (late) => late.stop(),
      () => {},
    );
    await within(giveUpMilliseconds, over);
    throw error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}

function tooLate(timeout: number): IdpStartError {
  return new IdpStartError(
    'timeout',
    `The instance was not ready within ${timeout / 1000} s, so the start was cancelled.`,
  );
}

/** Longer than a process gets before it is killed. */
const giveUpMilliseconds = 6_000;

async function within(milliseconds: number, done: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([done, late]);
  clearTimeout(timer);
}

/**
 * Passes the instance to the caller. From here on, the signal stops it. If it is already aborted, the instance stops at
 * once.
 */
async function instanceUnlessAborted(
  running: RunningInstance,
  started: () => Prepared,
  chosen: ChosenKeys,
  signal: IdpAbortSignal | undefined,
): Promise<Instance> {
  try {
    if (signal?.aborted === true) throw signal.reason;
    return instanceOf(running, started(), chosen, signal);
  } catch (error) {
    await running.stop();
    throw error;
  }
}

/** Reads the files again if on_before_load may have changed them. The hook has run by now. */
function asStarted(prepared: Prepared, options: StartOptions): Prepared {
  const { configDirectory } = prepared.start;
  return configDirectory !== undefined && mentionsHooks(configDirectory) ? prepareStart(options) : prepared;
}

/** Gives each error a kind, as a stack does (API-28). */
function asStartError(error: unknown): unknown {
  if (error instanceof IdpError || !(error instanceof Error)) return error;
  return new IdpStartError(startRefusalOf(error), error.message, { cause: error });
}

function instanceOf(
  running: RunningInstance,
  { configuration }: Prepared,
  { keys }: ChosenKeys,
  signal: IdpAbortSignal | undefined,
): Instance {
  const leave = () => void instance.idp.stop();
  const instance = makeInstance({
    addresses: addressesOf(running.url, configuration),
    managementSecret: configuration.managementSecret,
    keys,
    users: named(userKind, configuration.users, (username, members): NamedUser => ({ username, ...members })),
    clients: named(clientKind, configuration.clients, (client_id, members): ClientEntry => ({ client_id, ...members })),
    async reset() {
      if (storeKindOf(configuration.settings.runtime).place !== undefined) {
        const remedy = 'Use runtime.store: memory, or delete its file between two starts';
        throw new IdpError('not_resettable', `The store is a file that outlives the instance. ${remedy}.`);
      }
      await running.reset().catch((error: unknown) => {
        throw asStartError(error);
      });
    },
    async stop() {
      signal?.removeEventListener('abort', leave);
      await running.stop();
    },
  });
  signal?.addEventListener('abort', leave);
  return instance;
}

/** The addresses of discovery and SAML metadata, from the functions that write these documents. */
function addressesOf(url: string, configuration: LoadedConfiguration): Addresses {
  const addresses = effectiveAddresses(configuration.settings.oauth, url, '');
  return {
    url,
    issuer: addresses.issuer,
    discoveryUrl: `${url}${basePathOf(addresses.issuer)}/.well-known/openid-configuration`,
    jwksUrl: String(discoveryDocument({ ...configuration, generation: 0 }, addresses).jwks_uri),
    samlMetadataUrl: `${url}/saml/metadata`,
    samlSsoUrl: effectiveSamlAddresses(configuration.settings.saml, addresses).sso_url,
    port: Number(new URL(url).port || 80),
  };
}

/** The active entries by name, with their secrets. */
function named<Entry, Effective, Shown>(
  kind: EntryKind<Entry, Effective>,
  entries: ReadonlyMap<string, Effective>,
  shown: (name: string, members: Readonly<Record<string, unknown>>) => Shown,
): Readonly<Record<string, Shown>> {
  const pairs = [...entries].map(([name, effective]) => {
    const viewed = kind.view(effective);
    const present = kind.fields.flatMap((field) => {
      const value = viewed[field.name];
      return value === undefined ? [] : [[field.name, value] as const];
    });
    return [name, shown(name, Object.fromEntries(present))] as const;
  });
  return Object.fromEntries(pairs);
}
