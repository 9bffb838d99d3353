// Who may know whom, as data: the map that docs/architecture.md draws, with the right door for whoever took a wrong one.
import type { Import } from '#test/support/imports.ts';

export interface ImportRule {
  readonly name: string;
  /** The files the rule is about. */
  readonly from: RegExp;
  readonly allows: (imported: Import) => boolean;
  /** What to do instead. */
  readonly door: string;
  /** An import that the rule must refuse: proves that it refuses at all. */
  readonly refuses: readonly [from: string, to: string];
}

const isOurs = (to: string) => /^(?:api|cli|supervisor|services|shared|test|bench|package\.json)(?:\/|$)/.test(to);
const roomOf = (path: string) => /^services\/[^/]+\//.exec(path)?.[0] ?? '';

/** Packages that one place wraps for all others. */
const packageHomes: readonly {
  readonly packages: readonly [string, ...string[]];
  readonly home: RegExp;
  readonly door: string;
}[] = [
  {
    packages: ['better-sqlite3'],
    home: /^shared\/store\/sqlite\/engine\.ts$/,
    door: 'openConnection (engine.ts), behind the ports',
  },
  {
    packages: ['pg'],
    home: /^shared\/store\/postgres\/open-postgres-location\.ts$/,
    door: 'openRuntimeStore, which loads it only for a store that is one',
  },
  {
    packages: ['jose'],
    home: /^(?:shared\/(?:keys|issuing)|services\/oidc\/client-documents)\//,
    door: 'shared/keys and shared/issuing for what is ours, services/oidc/client-documents for what clients sign',
  },
  { packages: ['xml-crypto'], home: /^shared\/saml\/signing\//, door: 'shared/saml/signing' },
  { packages: ['@xmldom/xmldom'], home: /^services\/saml\//, door: 'services/saml' },
  {
    packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/node', '@modelcontextprotocol/sdk'],
    home: /^services\/mcp\/(?:server|stdio-connection|streamable-http)\.ts$/,
    door: 'services/mcp/server.ts',
  },
  { packages: ['path-to-regexp'], home: /^shared\/http\//, door: 'a Route (shared/http/route.ts)' },
  { packages: ['pino'], home: /^shared\/logger\.ts$/, door: 'the Logger you are handed' },
  { packages: ['pino-pretty'], home: /^shared\/worker\/open-logger\.ts$/, door: 'the Logger you are handed' },
  { packages: ['proper-lockfile'], home: /^shared\/locking\//, door: 'shared/locking/directory-lock.ts' },
  { packages: ['yaml'], home: /^(?:shared\/configuration|cli)\//, door: 'shared/configuration' },
  { packages: ['otplib'], home: /^shared\/login\//, door: 'shared/login' },
  { packages: ['qr'], home: /^shared\/pages\//, door: 'shared/pages' },
  {
    packages: ['preact', 'preact-render-to-string'],
    home: /^(?:shared\/(?:pages|login)|services\/(?:management|oidc|saml|demo))\//,
    door: 'the components in shared/pages',
  },
];

export const importRules: readonly ImportRule[] = [
  {
    name: 'the command line knows the supervisor, the mains of the services and shared',
    from: /^cli\//,
    allows: ({ to }) =>
      !isOurs(to) || /^(?:cli\/|supervisor\/main\.ts$|shared\/|services\/(?:oidc|saml|mcp)\/main\.ts$)/.test(to),
    door: 'start a service through the boot function of its main.ts',
    refuses: ['cli/start.ts', 'services/oidc/app.ts'],
  },
  {
    name: 'the start API knows the frontends of the services and shared, and the supervisor in its own process alone',
    from: /^api\//,
    allows: ({ from, to }) =>
      !isOurs(to) ||
      /^(?:api\/|shared\/)/.test(to) ||
      (from === 'api/in-process.ts' && /^services\/(?:oidc\/(?:frontend|saml-relay)|saml\/frontend)\.ts$/.test(to)) ||
      (from === 'api/stack/stack-process.ts' && to === 'supervisor/main.ts'),
    door: 'speak HTTP to the instance as everybody does; what runs one stands in api/in-process.ts and api/stack/',
    refuses: ['api/instance.ts', 'services/oidc/frontend.ts'],
  },
  {
    name: 'the supervisor knows no service and loads nothing heavy',
    from: /^supervisor\//,
    allows: ({ to, typeOnly }) =>
      to.startsWith('node:') ||
      /^(?:supervisor\/|shared\/(?:clock|error-text|start-refusal)\.ts$|shared\/store\/store-location\.ts$|shared\/worker\/(?:listen-here|tcp-address|deferred|stack-lease)\.ts$)/.test(
        to,
      ) ||
      (typeOnly && to === 'shared/worker/mailbox.ts'),
    door: 'start workers by path and talk to them through the mailbox; check what they say by hand (read-report.ts)',
    refuses: ['supervisor/main.ts', 'zod'],
  },
  {
    name: 'services know shared and never each other',
    from: /^services\//,
    allows: ({ from, to }) =>
      !isOurs(to) ||
      to.startsWith('shared/') ||
      to.startsWith(roomOf(from)) ||
      (from === 'services/oidc/app.ts' && to.startsWith('services/management/')),
    door: 'what two services need lives in shared/; only services/oidc/app.ts mounts services/management',
    refuses: ['services/saml/app.ts', 'services/oidc/login.tsx'],
  },
  {
    name: 'shared knows shared alone',
    from: /^shared\//,
    allows: ({ from, to }) =>
      !isOurs(to) || to.startsWith('shared/') || (from === 'shared/version.ts' && to === 'package.json'),
    door: 'take what you need as an argument',
    refuses: ['shared/http/pipeline/frontend.ts', 'services/oidc/app.ts'],
  },
  {
    name: 'protocol, domain and refusals are pure: no I/O, no environment, no adapters',
    from: /^shared\/(?:protocol|domain|refusals)\//,
    allows: ({ to, typeOnly }) =>
      /^shared\/(?:protocol|domain|refusals)\//.test(to) ||
      /^shared\/(?:(?:clock|group-by-key|untrusted-values)\.ts$|configuration\/profile-rules\.ts$|configuration\/model\/)/.test(
        to,
      ) ||
      (typeOnly &&
        /^shared\/(?:configuration\/configuration-snapshot\.ts|store\/ports\/|audit\/audit-event\.ts$)/.test(to)) ||
      ['node:crypto', 'node:net', 'node:url', 'zod'].includes(to),
    door: 'take times, ids and texts as arguments and return values; the caller reads and writes',
    refuses: ['shared/protocol/oauth2/scope.ts', 'node:fs'],
  },
  {
    name: 'ports of the store know domain types only',
    from: /^shared\/store\/ports\//,
    allows: ({ to, typeOnly }) =>
      /^shared\/(?:domain|store\/ports)\//.test(to) ||
      to === 'shared/clock.ts' ||
      (typeOnly && /^shared\/(?:audit\/audit-event\.ts$|configuration\/model\/)/.test(to)),
    door: 'say it in words of shared/domain',
    refuses: ['shared/store/ports/authorization.ts', 'shared/store/sqlite/database.ts'],
  },
  {
    name: 'the engines of the store are named where it is opened and nowhere else',
    from: /^(?:api|cli|supervisor|services|shared)\//,
    allows: ({ from, to }) => {
      const [engine] = /^shared\/store\/(?:sqlite|postgres)\//.exec(to) ?? [];
      return engine === undefined || from.startsWith(engine) || from === 'shared/store/open-store.ts';
    },
    door: 'openRuntimeStore (shared/store/open-store.ts) and the ports it answers',
    refuses: ['shared/store/operations/work.ts', 'shared/store/sqlite/database.ts'],
  },
  {
    name: 'store operations are carried out by the engines alone',
    from: /^(?:api|cli|supervisor|services|shared)\//,
    allows: ({ from, to }) =>
      !/^shared\/store\/operations\//.test(to) || /^shared\/store\/(?:operations|sqlite|postgres)\//.test(from),
    door: 'openRuntimeStore (shared/store/open-store.ts) and the ports it answers',
    refuses: ['services/oidc/main.ts', 'shared/store/operations/sessions.ts'],
  },
  ...packageHomes.map(({ packages, home, door }): ImportRule => {
    return {
      name: `${packages.join(', ')} stays in its home`,
      from: /^(?:api|cli|supervisor|services|shared)\//,
      allows: ({ from, to }) => !packages.includes(to) || home.test(from),
      door,
      refuses: ['services/elsewhere.ts', packages[0]],
    };
  }),
];
