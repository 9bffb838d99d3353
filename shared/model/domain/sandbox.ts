// A sandbox: a separate identity provider below `/s/<name>` that expires automatically (section SBX). Its lifetime is
// real time, even if its clock was moved. Pure.
import type { Instant } from '#shared/base/clock.ts';

export interface Sandbox {
  readonly name: string;
  /** Differs for every sandbox of the same name, so that a later one finds nothing of this one (SBX-14). */
  readonly instanceId: string;
  /** Real time, like its end. */
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly ttlSeconds: number;
  /** As given at creation, nested as in settings.yaml. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** `own`: it has its own key, or gets one at the first use. */
  readonly keys: SandboxKeys;
}

export const sandboxKeyKinds = ['shared', 'own'] as const;
type SandboxKeys = (typeof sandboxKeyKinds)[number];

/** The maximum number of sandboxes in a store (SBX-05). */
export const sandboxesMax = 1000;
/** The maximum number of audit entries of a sandbox (SBX-31). */
export const sandboxAuditEntriesMax = 1000;
export const sandboxLifetimeSeconds = { least: 1, most: 86_400, byDefault: 3600 } as const;

export const sandboxNamePattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export function sandboxPrefix(name: string): `/s/${string}` {
  return `/s/${name}`;
}

export interface SandboxPath {
  /** As spelled in the path. Another spelling is another name (SBX-23). */
  readonly name: string;
  /** The path inside the sandbox. */
  readonly path: string;
}

const below = /^\/s\/([^/]*)(\/.*)?$/;
const inserted = /^(\/\.well-known\/(?:openid-configuration|oauth-authorization-server))\/s\/([^/]*)$/;

/**
 * The sandbox and inner path of a path, including discovery by path insertion (SBX-19). undefined for every other path.
 */
export function readSandboxPath(path: string): SandboxPath | undefined {
  if (path.startsWith('/s/')) {
    const [, name, rest = '/'] = below.exec(path) ?? [];
    return name === undefined ? undefined : { name, path: rest };
  }
  if (!path.startsWith('/.well-known/')) return undefined;
  const [, document, name] = inserted.exec(path) ?? [];
  return document === undefined || name === undefined ? undefined : { name, path: document };
}
