// The allowed imports as data, as docs/architecture.md shows them. Each rule says what to do instead of a forbidden
// import.
import type { Import } from '#test/support/imports.ts';

export interface ImportRule {
  readonly name: string;
  /** The importing files to which the rule applies. */
  readonly from: RegExp;
  readonly allows: (imported: Import) => boolean;
  /** What to do instead. */
  readonly door: string;
  /** A forbidden import, which proves that the rule works. */
  readonly refuses: readonly [from: string, to: string];
}

const isOurs = (to: string) => /^(?:api|cli|supervisor|services|shared|test|bench|package\.json)(?:\/|$)/.test(to);
const roomOf = (path: string) => /^services\/[^/]+\//.exec(path)?.[0] ?? '';

/** Each layer of shared/ may import itself and the layers before it (docs/architecture.md). */
const layers = ['base', 'protocol', 'model', 'state', 'engine', 'web', 'process'];
const layerOf = (path: string) => layers.indexOf(/^shared\/([^/]+)\//.exec(path)?.[1] ?? '');

/** Packages that only one place may import. */
const packageHomes: readonly {
  readonly packages: readonly [string, ...string[]];
  readonly home: RegExp;
  readonly door: string;
}[] = [
  {
    packages: ['better-sqlite3'],
    home: /^shared\/state\/store\/sqlite\/engine\.ts$/,
    door: 'openConnection (engine.ts), behind the ports',
  },
  {
    packages: ['pg'],
    home: /^shared\/state\/store\/postgres\/open-postgres-location\.ts$/,
    door: 'openRuntimeStore, which loads it only for a store that is one',
  },
  {
    packages: ['jose'],
    home: /^(?:shared\/(?:state\/keys|engine\/tokens)|services\/oidc\/client-documents)\//,
    door: 'shared/state/keys and shared/engine/tokens for what is ours, services/oidc/client-documents for what clients sign',
  },
  { packages: ['xml-crypto'], home: /^shared\/engine\/saml-signing\//, door: 'shared/engine/saml-signing' },
  { packages: ['@xmldom/xmldom'], home: /^services\/saml\//, door: 'services/saml' },
  {
    packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/node', '@modelcontextprotocol/sdk'],
    home: /^services\/mcp\/(?:server|stdio-connection|streamable-http)\.ts$/,
    door: 'services/mcp/server.ts',
  },
  {
    packages: ['express'],
    home: /^(?:shared\/web\/pipeline\/|services\/(?:oidc|saml)\/app\.ts$)/,
    door: 'a Route (shared/engine/exchange/route.ts), or a stage (shared/web/pipeline/stage.ts)',
  },
  { packages: ['pino'], home: /^shared\/base\/logger\.ts$/, door: 'the Logger you are handed' },
  { packages: ['pino-pretty'], home: /^shared\/process\/worker\/open-logger\.ts$/, door: 'the Logger you are handed' },
  { packages: ['proper-lockfile'], home: /^shared\/base\/locking\//, door: 'shared/base/locking/directory-lock.ts' },
  { packages: ['yaml'], home: /^(?:shared\/state\/configuration|cli)\//, door: 'shared/state/configuration' },
  { packages: ['otplib'], home: /^shared\/engine\/login\//, door: 'shared/engine/login' },
  { packages: ['qr'], home: /^shared\/web\/pages\//, door: 'shared/web/pages' },
  {
    packages: ['preact', 'preact-render-to-string'],
    home: /^(?:shared\/web\/pages|services\/(?:management|oidc|saml|demo))\//,
    door: 'the components in shared/web/pages',
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
      /^(?:supervisor\/|shared\/base\/(?:clock|error-text|start-refusal)\.ts$|shared\/model\/runtime-store\/store-location\.ts$|shared\/process\/worker\/(?:listen-here|tcp-address|beyond-loopback|deferred|stack-lease)\.ts$)/.test(
        to,
      ) ||
      (typeOnly && to === 'shared/process/worker/mailbox.ts'),
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
      !isOurs(to) || to.startsWith('shared/') || (from === 'shared/base/version.ts' && to === 'package.json'),
    door: 'take what you need as an argument',
    refuses: ['shared/web/pipeline/frontend.ts', 'services/oidc/app.ts'],
  },
  {
    name: `the layers of shared know only those before them: ${layers.join(', ')}`,
    from: /^shared\//,
    allows: ({ from, to }) => layerOf(from) >= 0 && layerOf(to) <= layerOf(from),
    door: 'move what is needed down, or hand it in as an argument',
    refuses: ['shared/model/domain/session.ts', 'shared/state/store/open-store.ts'],
  },
  {
    name: 'protocol and the rules of the model are pure: no I/O, no environment',
    from: /^shared\/(?:protocol|model\/(?:domain|refusals|oauth-rules|saml-rules))\//,
    allows: ({ to }) =>
      /^shared\/(?:protocol|model)\//.test(to) ||
      /^shared\/base\/(?:clock|group-by-key|small-pieces|untrusted-values)\.ts$/.test(to) ||
      ['node:crypto', 'node:net', 'node:url', 'zod'].includes(to),
    door: 'take times, ids and texts as arguments and return values; the caller reads and writes',
    refuses: ['shared/model/oauth-rules/scope.ts', 'node:fs'],
  },
  {
    name: 'ports of the store know domain types only',
    from: /^shared\/state\/store\/ports\//,
    allows: ({ to, typeOnly }) =>
      /^shared\/(?:model\/domain|state\/store\/ports)\//.test(to) ||
      to === 'shared/base/clock.ts' ||
      (typeOnly && /^shared\/model\/(?:audit\/audit-event\.ts$|configuration\/)/.test(to)),
    door: 'say it in words of shared/model/domain',
    refuses: ['shared/state/store/ports/authorization-codes.ts', 'shared/state/store/sqlite/database.ts'],
  },
  {
    name: 'the engines of the store are named where it is opened and nowhere else',
    from: /^(?:api|cli|supervisor|services|shared)\//,
    allows: ({ from, to }) => {
      const [engine] = /^shared\/state\/store\/(?:sqlite|postgres)\//.exec(to) ?? [];
      return engine === undefined || from.startsWith(engine) || from === 'shared/state/store/open-store.ts';
    },
    door: 'openRuntimeStore (shared/state/store/open-store.ts) and the ports it answers',
    refuses: ['shared/state/store/operations/work.ts', 'shared/state/store/sqlite/database.ts'],
  },
  {
    name: 'store operations are carried out by the engines alone',
    from: /^(?:api|cli|supervisor|services|shared)\//,
    allows: ({ from, to }) =>
      !/^shared\/state\/store\/operations\//.test(to) ||
      /^shared\/state\/store\/(?:operations|sqlite|postgres)\//.test(from),
    door: 'openRuntimeStore (shared/state/store/open-store.ts) and the ports it answers',
    refuses: ['services/oidc/main.ts', 'shared/state/store/operations/sessions.ts'],
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
