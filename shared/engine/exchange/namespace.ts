// A namespace has its own store, audit, keys, clock and configuration below its own prefix. The default identity
// provider is one, and each sandbox is another. Endpoints use it only through their context.

import type { Logger } from '#shared/base/logger.ts';
import type { ProcessServices } from '#shared/engine/exchange/process-services.ts';
import type { OpenSandbox, Sandboxes } from '#shared/engine/sandboxes/open-sandboxes.ts';
import { keyRingSigner, type Signer } from '#shared/engine/tokens/signer.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import type { MovableClock } from '#shared/model/domain/movable-clock.ts';
import { readSandboxPath, type SandboxPath, sandboxNamePattern, sandboxPrefix } from '#shared/model/domain/sandbox.ts';
import { basePathOf, pathBelowBase } from '#shared/protocol/oidc/issuer-address.ts';
import type { ActiveConfiguration } from '#shared/state/configuration/active-configuration.ts';
import type { KeyRing } from '#shared/state/keys/key-ring.ts';
import type { AuditLog } from '#shared/state/store/ports/audit.ts';
import type { RuntimeStore } from '#shared/state/store/ports/index.ts';
import { type SessionCookie, sessionCookieName } from './session-cookie.ts';

export interface Namespace {
  /** Precedes every path and ends every issuer: empty, or for example `/s/box`. */
  readonly prefix: string;
  readonly store: RuntimeStore;
  readonly audit: AuditLog;
  readonly keys: KeyRing;
  /** Signs with these keys. */
  readonly signer: Signer;
  /** The active snapshot, refreshed or as last read. */
  readonly configuration: Pick<ActiveConfiguration, 'inForce' | 'refreshed'>;
  readonly sessionCookie: SessionCookie;
  /** The name of the sandbox; undefined: the default identity provider. */
  readonly sandbox: string | undefined;
  /** Its log lines name the sandbox (SBX-46). */
  readonly log: Logger;
  /**
   * A clock for one request, set to the namespace's current time. Later moves of the namespace's clock do not change it
   * (TIM-09).
   */
  clockOfRequest(): MovableClock;
  /**
   * A path of this server below the base path: for links, forms, redirects and static addresses. Static files have no
   * prefix.
   */
  path(path: string): string;
}

/** The namespace of a path, and the path within it. */
export interface Place {
  readonly namespace: Namespace;
  readonly path: string;
}

/** A path in a namespace that does not exist. */
export interface UnknownPlace {
  readonly unknown: string;
  /** The path within that namespace. */
  readonly path: string;
}

export interface Namespaces {
  find(path: string): Place | Promise<Place | UnknownPlace>;
}

export function defaultNamespace(services: ProcessServices): Namespace {
  const { store, audit, keys, configuration, clockOfRequest, log } = services;
  return {
    prefix: '',
    sandbox: undefined,
    ...{ store, audit, keys, configuration, clockOfRequest, log },
    signer: keyRingSigner(keys),
    sessionCookie: { name: sessionCookieName, path: '/' },
    path: (path) => path,
  };
}

/** Files that only the default identity provider serves. */
function isStatic(path: string): boolean {
  return path.startsWith('/static/') || path.startsWith('/client-logos/');
}

/** A namespace below the prefix of another, which differs from it in `own`. */
export function namespaceBelow(
  prefix: `/${string}`,
  base: Namespace,
  own: Partial<Omit<Namespace, 'prefix' | 'path' | 'signer'>>,
): Namespace {
  const signer = keyRingSigner(own.keys ?? base.keys);
  return { ...base, ...own, prefix, signer, path: (path) => (isStatic(path) ? path : prefix + path) };
}

/**
 * The default identity provider, and below `/s/<name>` the sandboxes (SBX-17, SBX-19): at the root and below the base
 * path (ADR-04). `isAtRoot`: whether the root of the server has that path.
 */
export function namespacesWithSandboxes(
  home: Namespace,
  sandboxes: Pick<Sandboxes, 'find'>,
  isAtRoot: (path: string) => boolean,
): Namespaces {
  const made = new WeakMap<OpenSandbox, Namespace>();
  const namespaceOf = (open: OpenSandbox): Namespace => {
    let namespace = made.get(open);
    if (namespace === undefined) {
      const { sandbox, store, audit, keys, configuration, log, clockOfRequest } = open;
      const prefix = sandboxPrefix(sandbox.name);
      const sessionCookie = { name: `${home.sessionCookie.name}.${sandbox.name}`, path: prefix };
      namespace = namespaceBelow(prefix, home, {
        ...{ store, audit, keys, configuration, log, clockOfRequest, sessionCookie },
        sandbox: sandbox.name,
      });
      made.set(open, namespace);
    }
    return namespace;
  };
  const findSandbox = async ({ name, path }: SandboxPath): Promise<Place | UnknownPlace> => {
    const open = sandboxNamePattern.test(name) ? await sandboxes.find(name) : undefined;
    return open === undefined ? { unknown: name, path } : { namespace: namespaceOf(open), path };
  };
  const findInside = (path: string) => {
    const inSandbox = readSandboxPath(path);
    return inSandbox === undefined ? { namespace: home, path } : findSandbox(inSandbox);
  };
  const belowBase = (path: string, { settings }: ConfigurationSnapshot) =>
    pathBelowBase(basePathOf(settings.oauth.issuer), path);
  // Another process may have activated another issuer.
  const findRefreshed = async (path: string) => {
    const snapshot = await home.configuration.refreshed().catch(() => undefined);
    return findInside((snapshot && belowBase(path, snapshot)) ?? path);
  };
  return {
    find: (path) => {
      const below = belowBase(path, home.configuration.inForce());
      const isUnknown = (below === undefined || below === path) && !isAtRoot(path);
      return isUnknown ? findRefreshed(path) : findInside(below ?? path);
    },
  };
}
