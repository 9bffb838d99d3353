// What users and programs rely on, one line each. The changelog must mention a changed line, and a removed line needs a
// new major version (PKG-32). docs/public-surface.txt is the current list, and `.released.txt` next to it that of the
// last published version.

import { readdirSync, readFileSync } from 'node:fs';
import { optionsOf } from '#cli/options.ts';
import { tools } from '#services/mcp/tools/index.ts';
import { oidcRoutes } from '#services/oidc/app.ts';
import { samlFrontendRoutes } from '#services/saml/app.ts';
import { addressed } from '#shared/engine/exchange/addressed-route.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import { faultNames } from '#shared/engine/faults/catalogue/index.ts';
import { configurationSchema } from '#shared/model/configuration/projections/json-schema.ts';
import manifest from '../package.json' with { type: 'json' };

export function publicSurface(): string {
  const { settings, users } = configurationSchema(faultNames);
  const lines = [
    ...Object.entries(optionsOf).flatMap(([command, options]) => [
      `command ${command}`,
      ...Object.keys(options).map((option) => `option ${command} --${option}`),
    ]),
    ...['0 fine', '1 refused or failed', '2 could not look'].map((code) => `exit code ${code}`),
    ...['event', 'base_url', 'pid', 'mcp_url'].map((member) => `ready line ${member}`),
    ...[
      'IDP_CONFIG_DIR',
      'IDP_DEFAULT_HOST',
      'IDP_DEFAULT_MCP_PORT',
      'IDP_MANAGEMENT_SECRET',
      'IDP_MCP_READONLY',
      'IDP_URL',
    ].map((name) => `environment ${name}`),
    ...keysOf(settings).map((key) => `settings.yaml ${key}`),
    ...keysOf(users).map((key) => `users.yaml ${key}`),
    ...[...oidcRoutes, ...samlFrontendRoutes].flatMap(operations),
    ...[...tools.keys()].map((name) => `tool ${name}`),
    ...Object.keys(manifest.exports).map((name) => `export ${name}`),
    ...['declarations/index', 'declarations/vitest', 'declarations/playwright', 'errors', ...typeFiles()].flatMap(
      exportedNames,
    ),
  ];
  return `${[...new Set(lines)].sort().join('\n')}\n`;
}

/** Pages are for people. Programs rely on paths under /api and on the protocols' own addresses. */
function operations(route: Route): string[] {
  const { path, surface, methods } = addressed(route);
  return surface === 'page' || path.includes('*')
    ? []
    : Object.keys(methods).map((method) => `operation ${method} ${path}`);
}

/** The files of the public types, which `api/types.ts` exports. */
function typeFiles(): string[] {
  const names = readdirSync(new URL('../api/types/', import.meta.url));
  return names.map((name) => `types/${name.replace(/\.ts$/, '')}`);
}

/** `type StartOptions.port?: number`, from a file of api/: what the user's compiler knows. */
function exportedNames(file: string): string[] {
  const text = readFileSync(new URL(`../api/${file}.ts`, import.meta.url), 'utf8');
  const values = [...text.matchAll(/^export declare const (\w+): ([^;]+);$/gm)].map(
    ([, name, type = '']) => `value ${name}: ${type.replaceAll(/\s+/g, ' ')}`,
  );
  const declared = [...text.matchAll(/^export (?:interface|class) (\w+)[^{]*\{\n(.*?)^\}/gms)];
  const members = declared.flatMap(([, name = '', body = '']) =>
    [...body.matchAll(/^ {2}(?:readonly )?(\[?[\w.]+\]?\??(?:[:(<]).*?);$/gm)].map(
      ([, member]) => `type ${name}.${member}`,
    ),
  );
  const aliases = [...text.matchAll(/^export type (\w+)(?:<.*>)? =/gm)].map(([, name]) => `type ${name}`);
  const passedOn = [...text.matchAll(/^export type \{ ([^}]+) \} from/gm)].flatMap(([, names = '']) =>
    names.split(', ').map((name) => `type ${name}`),
  );
  return [...values, ...members, ...aliases, ...passedOn];
}

interface Schema {
  readonly type?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
}

/** `oauth.clients[].client_id string`. */
function keysOf(schema: Schema, path = ''): string[] {
  const { properties = {}, items, additionalProperties: others, anyOf = [] } = schema;
  return [
    ...Object.entries(properties).flatMap(([name, member]) => {
      const here = path === '' ? name : `${path}.${name}`;
      return [`${here} ${typeOf(member)}`, ...keysOf(member, here)];
    }),
    ...(items === undefined ? [] : keysOf(items, `${path}[]`)),
    ...(typeof others === 'object' ? keysOf(others, `${path}.*`) : []),
    ...anyOf.flatMap((each) => keysOf(each, path)),
  ];
}

function typeOf({ type, enum: values, anyOf = [] }: Schema): string {
  if (values !== undefined) return values.map(String).join('|');
  if (type !== undefined) return [type].flat().join('|');
  return [...new Set(anyOf.flatMap((rule) => typeOf(rule).split('|')))].join('|') || 'any';
}
