// The sandboxes of a process. They are created, found, reset and ended through the store, so that every process has the
// same ones. They are opened here with everything that a request in one needs. An open sandbox is kept while it is
// used. The store is queried each time whether it still exists.

import { type Clock, plusSeconds } from '#shared/base/clock.ts';
import type { Logger } from '#shared/base/logger.ts';
import type { Randomness } from '#shared/base/random.ts';
import { declareFaults } from '#shared/engine/faults/declared-faults.ts';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import type { AuditEvent } from '#shared/model/audit/audit-event.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { auditMoment, clockAt, type MovableClock } from '#shared/model/domain/movable-clock.ts';
import type { Sandbox } from '#shared/model/domain/sandbox.ts';
import { instanceIdBytes } from '#shared/model/domain/token-mark.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import {
  contradictionsIn,
  type OwnSettings,
  readOwnSettings,
  withOwnSettings,
} from '#shared/state/configuration/sandbox-settings.ts';
import { keptKey } from '#shared/state/keys/kept-key.ts';
import { type DrawKeyPair, generateKeyPair } from '#shared/state/keys/key-pair.ts';
import type { KeyRing } from '#shared/state/keys/key-ring.ts';
import { PreparedKeys } from '#shared/state/keys/prepared-keys.ts';
import { sandboxKeyRing } from '#shared/state/keys/sandbox-keys.ts';
import type { OpenedStore } from '#shared/state/store/opened-store.ts';
import type { AuditLog, RuntimeStore, SandboxKey, SandboxVersion } from '#shared/state/store/ports/index.ts';
import { readSandboxRequest } from './sandbox-request.ts';

/** Everything that a request in a sandbox needs. */
export interface OpenSandbox {
  readonly sandbox: Sandbox;
  readonly store: RuntimeStore;
  readonly audit: AuditLog;
  readonly keys: KeyRing;
  readonly log: Logger;
  readonly configuration: Pick<ActiveConfiguration, 'inForce' | 'refreshed'>;
  clockOfRequest(): MovableClock;
}

export type SandboxCreation =
  | { readonly outcome: 'created'; readonly sandbox: Sandbox }
  | { readonly outcome: 'exists' }
  | { readonly outcome: 'invalid'; readonly message: string }
  | { readonly outcome: 'limit'; readonly retryAfterSeconds: number };

/** Makes the event for a change of a sandbox, with the data of the current request. */
export type SandboxEvent = (sandbox: Sandbox) => AuditEvent;

export interface Sandboxes {
  /** undefined: no sandbox with that name exists. */
  find(name: string): Promise<OpenSandbox | undefined>;
  /** In order of creation. */
  list(): Promise<readonly Sandbox[]>;
  show(name: string): Promise<Sandbox | undefined>;
  create(request: unknown, created: SandboxEvent): Promise<SandboxCreation>;
  reset(name: string, event: SandboxEvent): Promise<Sandbox | undefined>;
  /** Returns how many of them existed. */
  end(names: readonly string[] | 'all', event: SandboxEvent): Promise<number>;
  /** Ends expired sandboxes, and closes unused ones; called every few seconds. */
  sweep(): Promise<void>;
}

interface SandboxesDependencies {
  readonly opened: Pick<OpenedStore, 'sandboxes' | 'namespaces'>;
  readonly configuration: ActiveConfiguration;
  /** The signing keys of the stack. */
  readonly keys: KeyRing;
  /** The clock of the default namespace, whose audit records the sandbox events. */
  readonly clock: MovableClock;
  readonly realClock: Clock;
  readonly random: Randomness;
  readonly log: Logger;
  /** The source of new keys: generated on the thread pool, except in tests that provide existing keys. */
  readonly drawKeyPair?: DrawKeyPair;
}

/** A generated name that already exists is generated again. */
const drawingsMax = 5;

interface Kept {
  readonly version: SandboxVersion;
  readonly open: OpenSandbox;
  /** No request used the sandbox since the last sweep. */
  idle: boolean;
}

export function openSandboxes(deps: SandboxesDependencies): Sandboxes {
  const { realClock, random } = deps;
  const { sandboxes: stored } = deps.opened;
  const { drawKeyPair = generateKeyPair } = deps;
  const preparedKeys = new PreparedKeys(async () => {
    const { algorithm } = deps.configuration.inForce().settings.jwt;
    return keptKey(await drawKeyPair(algorithm), realClock);
  });
  const kept = new Map<string, Kept>();
  const expired: SandboxEvent = (sandbox) => ({
    event_type: 'sandbox_deleted',
    ...auditMoment(deps.clock),
    status: 'success',
    details: { name: sandbox.name, instance_id: sandbox.instanceId, reason: 'expired' },
  });

  /** Declares the faults in the sandbox's settings, which apply from the start (SBX-33). */
  const declareOwnFaults = async (sandbox: Sandbox) => {
    const own = ownSettingsOf(sandbox);
    if (!own.has('faults')) return;
    const { faults } = withOwnSettings(deps.configuration.inForce(), own).settings;
    await declareFaults(faults, { store: deps.opened.namespaces.of(sandbox).store, random });
  };

  const create = async (request: unknown, created: SandboxEvent): Promise<SandboxCreation> => {
    const reading = readSandboxRequest(request);
    if (reading.outcome === 'invalid') return reading;
    const { name: requestedName, ttlSeconds, settings, keys, own } = reading.request;
    const contradictions = contradictionsIn(deps.configuration.inForce(), own).map(({ message }) => message);
    if (contradictions.length > 0) return { outcome: 'invalid', message: contradictions.join('; ') };
    const key = keys === 'own' ? preparedKeys.takeReady() : undefined;
    for (let drawing = 1; ; drawing += 1) {
      const now = realClock.now();
      const sandbox: Sandbox = {
        name: requestedName ?? drawName(random),
        instanceId: random.token(instanceIdBytes),
        ...{ createdAt: now, expiresAt: plusSeconds(now, ttlSeconds), ttlSeconds, settings, keys },
      };
      const creation = await stored.create(sandbox, key, now, created(sandbox), expired);
      if (creation.outcome === 'created') {
        await declareOwnFaults(sandbox);
        return { outcome: 'created', sandbox };
      }
      if (creation.outcome === 'limit') {
        return { outcome: 'limit', retryAfterSeconds: Math.max(1, Math.ceil((creation.next - now) / 1000)) };
      }
      if (requestedName !== undefined || drawing === drawingsMax) return { outcome: 'exists' };
    }
  };

  return {
    find: async (name) => {
      const version = await stored.version(name, realClock.now());
      const known = kept.get(name);
      if (version === undefined) {
        if (known !== undefined) kept.delete(name);
        return undefined;
      }
      if (known !== undefined && isSame(known.version, version)) {
        known.idle = false;
        return known.open;
      }
      const sandbox = await stored.find(name, realClock.now());
      if (sandbox === undefined) return undefined;
      const open = openSandbox(sandbox, deps, preparedKeys);
      // The version read meanwhile may be a later sandbox with the same name. Then the next request reads it again.
      if (sandbox.instanceId === version.instanceId) kept.set(name, { version, open, idle: false });
      return open;
    },
    list: () => stored.list(realClock.now()),
    show: (name) => stored.find(name, realClock.now()),
    create,
    reset: async (name, event) => {
      const sandbox = await stored.reset(name, random.token(instanceIdBytes), realClock.now(), event);
      if (sandbox !== undefined) await declareOwnFaults(sandbox);
      return sandbox;
    },
    end: (names, event) => stored.end(names, realClock.now(), event),
    sweep: async () => {
      for (const [name, one] of kept) {
        if (one.idle) kept.delete(name);
        one.idle = true;
      }
      await stored.sweep(realClock.now(), expired);
    },
  };
}

function isSame(one: SandboxVersion, other: SandboxVersion): boolean {
  return one.instanceId === other.instanceId && one.newestKey === other.newestKey;
}

function openSandbox(
  sandbox: Sandbox,
  { opened, configuration, keys, realClock, log }: SandboxesDependencies,
  preparedKeys: PreparedKeys<SandboxKey>,
): OpenSandbox {
  const { store, audit } = opened.namespaces.of(sandbox);
  const own = ownSettingsOf(sandbox);
  const sandboxLog = log.child({ sandbox: sandbox.name });
  /** The sandbox's configuration, derived from the snapshot of the stack. */
  const configured = onceForEach((inForce: ConfigurationSnapshot) => {
    for (const { key, message } of contradictionsIn(inForce, own)) {
      sandboxLog.warn({ key }, `after a reload, settings of this sandbox conflict, so the default applies: ${message}`);
    }
    return withOwnSettings(inForce, own);
  });
  return {
    sandbox,
    store,
    audit,
    keys: sandboxKeyRing(sandbox, {
      store: opened.sandboxes,
      shared: keys,
      realClock,
      draw: () => preparedKeys.take(),
      maxPrevious: () => configuration.inForce().settings.jwt.max_previous_keys,
      secrets: store.sharedSecrets,
      announcesNext: () => configured(configuration.inForce()).settings.saml.metadata_next_key,
    }),
    log: sandboxLog,
    configuration: {
      refreshed: async () => configured(await configuration.refreshed()),
      inForce: () => configured(configuration.inForce()),
    },
    clockOfRequest: () => clockAt(store.clock.state(), realClock),
  };
}

/** The settings were checked at the creation. A later version of the program leaves out what it no longer accepts. */
function ownSettingsOf({ settings }: Sandbox): OwnSettings {
  const reading = readOwnSettings(settings, problemsOfFault);
  return reading.outcome === 'read' ? reading.own : new Map();
}

/** Stores the result for the last value, because the next call nearly always has the same value. */
function onceForEach<Value extends object, Made>(make: (value: Value) => Made): (value: Value) => Made {
  let last: { readonly value: Value; readonly made: Made } | undefined;
  return (value) => {
    if (last?.value !== value) last = { value, made: make(value) };
    return last.made;
  };
}

const drawnNameLength = 12;
const nameCharacters = 'abcdefghijklmnopqrstuvwxyz0123456789';

function drawName(random: Randomness): string {
  const character = () => nameCharacters.charAt(random.integerBelow(nameCharacters.length));
  return Array.from({ length: drawnNameLength }, character).join('');
}
