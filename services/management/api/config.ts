// GET /api/config: the declared configuration, and what request and profile change about it (RST-10 to RST-14). The
// model of the settings selects the members. Secrets are never among them (RST-04).
import * as z from 'zod';
import { deviceVerificationAddress } from '#shared/engine/exchange/issuer.ts';
import { json, type Reply } from '#shared/engine/exchange/reply.ts';
import type { ManagementContext, ParsedRequest } from '#shared/engine/exchange/request.ts';
import type { Route } from '#shared/engine/exchange/route.ts';
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { settingsSummary, settingsSummaryShape } from '#shared/model/configuration/projections/api-summary.ts';
import { settingsFields } from '#shared/model/configuration/settings-fields.ts';
import { publishedEndpoints } from '#shared/model/oauth-rules/endpoint-addresses.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { shownDatabase } from '#shared/state/configuration/shown-database.ts';

const declaredShape = settingsSummaryShape(settingsFields);

/** The members of a section, to be combined with additional ones. */
function sectionShape(name: 'server' | 'oauth' | 'saml') {
  const section = declaredShape[name];
  return section instanceof z.ZodObject ? section.shape : {};
}

const tlsModel = z.strictObject({
  mode: z.string(),
  names: z.array(z.string()).optional(),
  expires_at: z.iso.datetime().optional(),
});

const configurationModel = z
  .strictObject({
    ...declaredShape,
    runtime: z.strictObject({
      store: z.string(),
      path: z.string().optional(),
      url: z.string().optional().describe('Address of the database, without password and parameters.'),
      schema: z.string().optional(),
    }),
    server: z.strictObject({ ...sectionShape('server'), rate_limit_enabled: z.boolean().nullable(), tls: tlsModel }),
    oauth: z.strictObject({
      ...sectionShape('oauth'),
      clients_count: z.int().min(0),
      effective: z
        .strictObject({
          issuer: z.string(),
          base_url: z.string(),
          endpoints: z
            .record(z.string(), z.string())
            .describe('Published addresses, such as `token`, by the names of docs/rest.md.'),
        })
        .describe('Issuer and published addresses for this request.'),
    }),
    saml: z.strictObject({
      ...sectionShape('saml'),
      entity_id: z.string(),
      sso_url: z.string(),
      entity_id_derived: z.boolean(),
      sso_url_derived: z.boolean(),
    }),
    profile_override: z.string().nullable(),
    effective: z
      .strictObject({
        require_pkce: z.boolean(),
        password_hashing: z.boolean(),
        rate_limit_enabled: z.boolean().describe('Value at the start. A change takes effect after a restart.'),
        debug: z.boolean(),
      })
      .describe('Values after the security profile is applied.'),
    hooks: z.strictObject({
      hook_api_version: z.literal(1),
      strict: z.boolean(),
      timeout_seconds: z.number(),
      shell: z.array(z.strictObject({ event: z.string(), failures: z.int().min(0) })),
      plugins: z.array(z.strictObject({ module: z.string(), events: z.array(z.string()), failures: z.int().min(0) })),
      failed_plugins: z.array(z.strictObject({ module: z.string(), reason: z.string() })),
    }),
    cors_applied_origins: z.array(z.string()),
    users_count: z.int().min(0),
  })
  .meta({ id: 'Configuration' });

export const configApiRoutes: readonly Route[] = [
  {
    path: '/api/config',
    audience: 'api',
    methods: { GET: showConfig },
    operations: {
      GET: {
        id: 'showConfiguration',
        summary:
          'Returns the active settings without secrets, and their effective values for the profile and this request.',
        answers: { 200: configurationModel },
      },
    },
  },
];

async function showConfig(_request: ParsedRequest, context: ManagementContext): Promise<Reply> {
  const { snapshot, cors, limitsRate, configuration } = context;
  const { settings, rules } = snapshot;
  const declared = settingsSummary(settingsFields, settings);
  return json(200, {
    ...declared,
    runtime: runtimeMember(snapshot),
    // The files may set it in either place. The response always has it here.
    server: { ...Object(declared.server), rate_limit_enabled: settings.rate_limit_enabled, tls: tlsMember(context) },
    oauth: { ...Object(declared.oauth), clients_count: snapshot.clients.size, effective: effectiveMember(context) },
    saml: { ...Object(declared.saml), ...effectiveSamlAddresses(settings.saml, context) },
    profile_override: snapshot.profileOverride ?? null,
    effective: {
      require_pkce: rules.requirePkce,
      password_hashing: rules.passwordHashing,
      // A reload changes only the declared value (ACT-17).
      rate_limit_enabled: limitsRate,
      debug: rules.debug,
    },
    hooks: configuration.hooksReport(),
    cors_applied_origins: cors.applied,
    users_count: snapshot.users.size,
  });
}

function effectiveMember(context: ManagementContext) {
  const { snapshot, issuer, baseUrl } = context;
  const device = deviceVerificationAddress(snapshot.settings.oauth, context);
  // An endpoint without published address has no member in JSON.
  return { issuer, base_url: baseUrl, endpoints: { ...publishedEndpoints(snapshot, context), device } };
}

/** The protocol of the public socket. Of the certificate, only what every client sees (TLS-16). */
function tlsMember({ tls }: ManagementContext) {
  if (tls === undefined) return { mode: 'off' };
  const { names, expiresAt } = tls.certificate;
  return { mode: tls.mode, names, expires_at: new Date(expiresAt).toISOString() };
}

function runtimeMember({ settings, paths }: ConfigurationSnapshot) {
  const { store } = settings.runtime;
  const path = paths.runtimeStore === undefined ? {} : { path: paths.runtimeStore };
  return { store, ...path, ...shownDatabase(settings.runtime) };
}
