// The settings of the copy: shown without secrets, changed by the fields of the contract's table (MCP-35 to MCP-37).

import * as z from 'zod';
import { effectiveAddresses } from '#shared/engine/exchange/issuer.ts';
import { argumentName } from '#shared/model/configuration/projections/tool-argument.ts';
import { storeKindNames } from '#shared/model/configuration/store-kinds.ts';
import { effectiveSamlAddresses } from '#shared/protocol/saml/effective-addresses.ts';
import { shownDatabase } from '#shared/state/configuration/shown-database.ts';
import { inMemoryOnly, revisionOutput, successOutput } from '../common-models.ts';
import { changeSetting, settingArguments, showSettings, toolSettings } from '../setting-arguments.ts';
import { defineTool, type Tool } from '../tool.ts';

const getSettings = defineTool({
  name: 'get_settings',
  title: 'Read the settings',
  description:
    'Returns the settings in this server’s copy, including unsaved changes but no secrets: the arguments of update_settings, the effective SAML addresses, the runtime store, the security profile with the effective values, and the hooks.',
  arguments: {},
  output: {
    settings_revision: revisionOutput('settings.yaml'),
    issuer: z.string(),
    saml: z.object({
      entity_id: z.string(),
      entity_id_derived: z.boolean(),
      sso_url: z.string(),
      sso_url_derived: z.boolean(),
    }),
    runtime: z.object({
      store: z.enum(storeKindNames),
      path: z.string().optional(),
      url: z.string().optional(),
      schema: z.string().optional(),
    }),
    security_profile: z.string(),
    profile_override: z.string().nullable(),
    effective: z.record(z.string(), z.unknown()),
    hooks: z.record(z.string(), z.unknown()),
  },
  handle(_args, { draft, configuration }) {
    const snapshot = draft.snapshot();
    const { settings, rules, paths } = snapshot;
    return {
      settings_revision: draft.revisions.settings,
      config_version: settings.config_version,
      config_validation: settings.config_validation,
      ...showSettings(settings),
      saml: effectiveSamlAddresses(settings.saml, effectiveAddresses(settings.oauth, undefined, '')),
      scopes_supported: settings.oauth.scopes_supported,
      scope_enforcement: rules.enforceScope,
      unknown_scopes: settings.oauth.unknown_scopes,
      rate_limit_token_endpoint: settings.server.rate_limit_token_endpoint,
      authority_prefixes: settings.authority_prefixes,
      allowed_identity_classes: settings.allowed_identity_classes,
      runtime: { store: settings.runtime.store, path: paths.runtimeStore, ...shownDatabase(settings.runtime) },
      security_profile: settings.security_profile,
      profile_override: snapshot.profileOverride ?? null,
      effective: {
        require_pkce: rules.requirePkce,
        refresh_token_rotation: rules.rotateRefreshTokens,
        password_grant: rules.allowPasswordGrant,
        password_hashing: rules.passwordHashing,
        rate_limit_enabled: rules.rateLimitEnabled,
        debug: rules.debug,
      },
      hooks: configuration.hooksReport(),
    };
  },
});

const updateSettings = defineTool({
  name: 'update_settings',
  title: 'Change settings',
  description: `Changes the given settings. Others stay unchanged. Change secrets, hooks, the security profile and other settings in the file. The issuer is not checked here, but save_config rejects one that is not a URL. ${inMemoryOnly}`,
  mutating: true,
  idempotent: true,
  destructive: true,
  arguments: settingArguments,
  output: {
    ...successOutput,
    updated_fields: z.array(z.string()).optional(),
    current_settings: z.record(z.string(), z.unknown()).optional(),
  },
  handle(args, { draft }) {
    const changes = toolSettings.filter((field) => args[argumentName(field)] !== undefined);
    // All or nothing: the copy adopts the settings only after every value was validated.
    let settings = draft.snapshot().settings;
    for (const field of changes) settings = changeSetting(settings, field, args[argumentName(field)]);
    if (changes.length > 0) draft.changeSettings(settings);
    return {
      success: true,
      updated_fields: changes.map(argumentName),
      current_settings: showSettings(settings),
    };
  },
});

export const settingTools: readonly Tool[] = [getSettings, updateSettings];
