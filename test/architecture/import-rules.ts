// The allowed imports as data, as docs/architecture.md shows them. Each rule says what to do instead of a forbidden
// import.
import type { Import } from '#test/support/imports.ts';

export interface ImportRule {
  readonly name: string;
  /** The importing files to which the rule applies. */
  readonly from: RegExp;
  readonly allows: (imported: Import) => boolean;
  /** What to do instead. */
  readonly instead: string;
  /** A forbidden import, which proves that the rule works. */
  readonly forbids: readonly [from: string, to: string];
}

const isOurs = (to: string) => /^(?:api|cli|supervisor|services|shared|test|bench|package\.json)(?:\/|$)/.test(to);
const serviceOf = (path: string) => /^services\/[^/]+\//.exec(path)?.[0] ?? '';

/** Each layer of shared/ may import itself and the layers before it (docs/architecture.md). */
const layers = ['base', 'protocol', 'model', 'state', 'engine', 'web', 'process'];
const layerOf = (path: string) => layers.indexOf(/^shared\/([^/]+)\//.exec(path)?.[1] ?? '');

/** Packages that only one place may import. */
const wrappedPackages: readonly {
  readonly packages: readonly [string, ...string[]];
  readonly wrapper: RegExp;
  readonly instead: string;
}[] = [
  {
    packages: ['better-sqlite3'],
    wrapper: /^shared\/state\/store\/sqlite\/engine\.ts$/,
    instead: 'use openConnection (engine.ts) through the ports',
  },
  {
    packages: ['pg'],
    wrapper: /^shared\/state\/store\/postgres\/open-postgres-location\.ts$/,
    instead: 'use openRuntimeStore, which loads it only for a PostgreSQL store',
  },
  {
    packages: ['jose'],
    wrapper: /^(?:shared\/(?:state\/keys|engine\/tokens)|services\/oidc\/client-documents)\//,
    instead:
      'use shared/state/keys and shared/engine/tokens for our own tokens, services/oidc/client-documents for what clients sign',
  },
  { packages: ['xml-crypto'], wrapper: /^shared\/engine\/saml-signing\//, instead: 'use shared/engine/saml-signing' },
  { packages: ['@xmldom/xmldom'], wrapper: /^services\/saml\//, instead: 'use services/saml' },
  {
    packages: ['@modelcontextprotocol/server', '@modelcontextprotocol/node', '@modelcontextprotocol/sdk'],
    wrapper: /^services\/mcp\/(?:server|stdio-connection|streamable-http)\.ts$/,
    instead: 'use services/mcp/server.ts',
  },
  {
    packages: ['express'],
    wrapper: /^(?:shared\/web\/pipeline\/|services\/(?:oidc|saml)\/app\.ts$)/,
    instead: 'add a Route (shared/engine/exchange/route.ts), or a stage (shared/web/pipeline/stage.ts)',
  },
  { packages: ['pino'], wrapper: /^shared\/base\/logger\.ts$/, instead: 'use the Logger that you get as an argument' },
  {
    packages: ['pino-pretty'],
    wrapper: /^shared\/process\/worker\/open-logger\.ts$/,
    instead: 'use the Logger that you get as an argument',
  },
  {
    packages: ['proper-lockfile'],
    wrapper: /^shared\/base\/locking\//,
    instead: 'use shared/base/locking/directory-lock.ts',
  },
  { packages: ['yaml'], wrapper: /^(?:shared\/state\/configuration|cli)\//, instead: 'use shared/state/configuration' },
  { packages: ['otplib'], wrapper: /^shared\/engine\/login\//, instead: 'use shared/engine/login' },
  { packages: ['qr'], wrapper: /^shared\/web\/pages\//, instead: 'use shared/web/pages' },
  {
    packages: ['preact', 'preact-render-to-string'],
    wrapper: /^(?:shared\/web\/pages|services\/(?:management|oidc|saml|demo))\//,
    instead: 'use the components in shared/web/pages',
  },
];

export const importRules: readonly ImportRule[] = [
  {
    name: 'of the command line are the supervisor, the main.ts files of the services, and shared',
    from: /^cli\//,
    allows: ({ to }) =>
      !isOurs(to) || /^(?:cli\/|supervisor\/main\.ts$|shared\/|services\/(?:oidc|saml|mcp)\/main\.ts$)/.test(to),
    instead: 'start a service through the boot function of its main.ts',
    forbids: ['cli/start.ts', 'services/oidc/app.ts'],
  },
  {
    name: 'of the start API are the frontends of the services and shared, and the supervisor only in its own process',
    from: /^api\//,
    allows: ({ from, to }) =>
      !isOurs(to) ||
      /^(?:api\/|shared\/)/.test(to) ||
      (from === 'api/in-process.ts' && /^services\/(?:oidc\/(?:frontend|saml-relay)|saml\/frontend)\.ts$/.test(to)) ||
      (from === 'api/stack/stack-process.ts' && to === 'supervisor/main.ts'),
    instead:
      'send HTTP requests to the instance like any client; the code that runs one is in api/in-process.ts and api/stack/',
    forbids: ['api/instance.ts', 'services/oidc/frontend.ts'],
  },
  {
    name: 'of the supervisor include no service and no large module',
    from: /^supervisor\//,
    allows: ({ to, typeOnly }) =>
      to.startsWith('node:') ||
      /^(?:supervisor\/|shared\/base\/(?:clock|error-text|start-refusal)\.ts$|shared\/model\/runtime-store\/store-location\.ts$|shared\/process\/worker\/(?:listen-here|tcp-address|beyond-loopback|deferred|stack-lease)\.ts$)/.test(
        to,
      ) ||
      (typeOnly && to === 'shared/process/worker/mailbox.ts'),
    instead:
      'start workers by path and send messages through the mailbox; parse their messages by hand (read-report.ts)',
    forbids: ['supervisor/main.ts', 'zod'],
  },
  {
    name: 'of a service are shared and its own files, never another service',
    from: /^services\//,
    allows: ({ from, to }) =>
      !isOurs(to) ||
      to.startsWith('shared/') ||
      to.startsWith(serviceOf(from)) ||
      (from === 'services/oidc/app.ts' && to.startsWith('services/management/')),
    instead: 'put what two services need into shared/; only services/oidc/app.ts mounts services/management',
    forbids: ['services/saml/app.ts', 'services/oidc/login.tsx'],
  },
  {
    name: 'of shared are only shared',
    from: /^shared\//,
    allows: ({ from, to }) =>
      !isOurs(to) || to.startsWith('shared/') || (from === 'shared/base/version.ts' && to === 'package.json'),
    instead: 'take what you need as an argument',
    forbids: ['shared/web/pipeline/frontend.ts', 'services/oidc/app.ts'],
  },
  {
    name: `of a layer of shared are only the layers before it: ${layers.join(', ')}`,
    from: /^shared\//,
    allows: ({ from, to }) => layerOf(from) >= 0 && layerOf(to) <= layerOf(from),
    instead: 'move the code to a lower layer, or pass it as an argument',
    forbids: ['shared/model/domain/session.ts', 'shared/state/store/open-store.ts'],
  },
  {
    name: 'of protocol and the rules of the model are pure: no I/O, no environment',
    from: /^shared\/(?:protocol|model\/(?:domain|refusals|oauth-rules|saml-rules))\//,
    allows: ({ to }) =>
      /^shared\/(?:protocol|model)\//.test(to) ||
      /^shared\/base\/(?:clock|group-by-key|small-pieces|untrusted-values)\.ts$/.test(to) ||
      ['node:crypto', 'node:net', 'node:url', 'zod'].includes(to),
    instead: 'take times, ids and texts as arguments and return values; the caller reads and writes',
    forbids: ['shared/model/oauth-rules/scope.ts', 'node:fs'],
  },
  {
    name: 'of the ports of the store are only domain types',
    from: /^shared\/state\/store\/ports\//,
    allows: ({ to, typeOnly }) =>
      /^shared\/(?:model\/domain|state\/store\/ports)\//.test(to) ||
      to === 'shared/base/clock.ts' ||
      (typeOnly && /^shared\/model\/(?:audit\/audit-event\.ts$|configuration\/)/.test(to)),
    instead: 'use types of shared/model/domain',
    forbids: ['shared/state/store/ports/authorization-codes.ts', 'shared/state/store/sqlite/database.ts'],
  },
  {
    name: 'of the store engines are only in the file that opens the store',
    from: /^(?:api|cli|supervisor|services|shared)\//,
    allows: ({ from, to }) => {
      const [engine] = /^shared\/state\/store\/(?:sqlite|postgres)\//.exec(to) ?? [];
      return engine === undefined || from.startsWith(engine) || from === 'shared/state/store/open-store.ts';
    },
    instead: 'use openRuntimeStore (shared/state/store/open-store.ts) and the ports that it returns',
    forbids: ['shared/state/store/operations/work.ts', 'shared/state/store/sqlite/database.ts'],
  },
  {
    name: 'of store operations are only in the engines',
    from: /^(?:api|cli|supervisor|services|shared)\//,
    allows: ({ from, to }) =>
      !/^shared\/state\/store\/operations\//.test(to) ||
      /^shared\/state\/store\/(?:operations|sqlite|postgres)\//.test(from),
    instead: 'use openRuntimeStore (shared/state/store/open-store.ts) and the ports that it returns',
    forbids: ['services/oidc/main.ts', 'shared/state/store/operations/sessions.ts'],
  },
  ...wrappedPackages.map(({ packages, wrapper, instead }): ImportRule => {
    return {
      name: `of ${packages.join(', ')} are only in the files that wrap it`,
      from: /^(?:api|cli|supervisor|services|shared)\//,
      allows: ({ from, to }) => !packages.includes(to) || wrapper.test(from),
      instead,
      forbids: ['services/elsewhere.ts', packages[0]],
    };
  }),
];
