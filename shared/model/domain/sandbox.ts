// A sandbox: an identity provider of its own below `/s/<name>` that ends by itself (section SBX). Its lifetime is real
// time, whatever its clock says. Pure.
import type { Instant } from '#shared/base/clock.ts';

export interface Sandbox {
  readonly name: string;
  /** Another one for every life of the name: whoever bears it later finds nothing of this one (SBX-14). */
  readonly instanceId: string;
  /** Real time, like its end. */
  readonly createdAt: Instant;
  readonly expiresAt: Instant;
  readonly ttlSeconds: number;
  /** As given at the creation, nested as in settings.yaml. */
  readonly settings: Readonly<Record<string, unknown>>;
  /** `own`: it has a key of its own, or gets one at its first use. */
  readonly keys: SandboxKeys;
}

export const sandboxKeyKinds = ['shared', 'own'] as const;
type SandboxKeys = (typeof sandboxKeyKinds)[number];

/** So many sandboxes live in a store at once (SBX-05). */
export const sandboxesMax = 1000;
/** A sandbox keeps so many audit entries (SBX-31). */
export const sandboxAuditEntriesMax = 1000;
export const sandboxLifetimeSeconds = { least: 1, most: 86_400, byDefault: 3600 } as const;

export const sandboxNamePattern = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

export function sandboxPrefix(name: string): `/s/${string}` {
  return `/s/${name}`;
}

export interface SandboxPath {
  /** As it stands in the path: another spelling of a name is another name (SBX-23). */
  readonly name: string;
  /** The path inside the sandbox. */
  readonly path: string;
}

const below = /^\/s\/([^/]*)(\/.*)?$/;
const inserted = /^(\/\.well-known\/(?:openid-configuration|oauth-authorization-server))\/s\/([^/]*)$/;

/** Where a path lies that names a sandbox, discovery by path insertion included (SBX-19); undefined for every other. */
export function readSandboxPath(path: string): SandboxPath | undefined {
  if (path.startsWith('/s/')) {
    const [, name, rest = '/'] = below.exec(path) ?? [];
    return name === undefined ? undefined : { name, path: rest };
  }
  if (!path.startsWith('/.well-known/')) return undefined;
  const [, document, name] = inserted.exec(path) ?? [];
  return document === undefined || name === undefined ? undefined : { name, path: document };
}
