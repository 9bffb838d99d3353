// Changes of entries and settings as edits of the two texts (WRT-10 to WRT-12). A key is written only when its value,
// placeholders expanded, differs. A key that the contract wants written only while it differs from its default is
// removed when it equals the default. Locks, revisions and whether the result loads are checked elsewhere.
import type { ConfigurationChange } from '../active-configuration.ts';
import { builtInSettingsText, builtInUsersText } from '../load/built-in-defaults.ts';
import type { LoadedConfiguration } from '../load/load-configuration.ts';
import type { Environment } from '../load/placeholders.ts';
import type { ConfigurationTexts } from '../load/read-files.ts';
import type { ChangeExpectation } from './change-expectation.ts';
import { ClientsEditor } from './edit-clients.ts';
import { ServiceProvidersEditor } from './edit-service-providers.ts';
import { SettingsEditor } from './edit-settings.ts';
import { UsersEditor } from './edit-users.ts';
import { TextTooLargeError, YamlText } from './yaml-text.ts';

type AppliedChanges =
  | {
      readonly outcome: 'applied';
      readonly texts: ConfigurationTexts;
      readonly expectations: readonly ChangeExpectation[];
    }
  | { readonly outcome: 'exists' | 'unknown' }
  | { readonly outcome: 'too_large'; readonly which: keyof ConfigurationTexts; readonly bytes: number };

/** `present`: the content of the texts, without overrides of the command line. */
export function applyChanges(
  texts: ConfigurationTexts,
  present: LoadedConfiguration,
  changes: readonly ConfigurationChange[],
  environment: Environment,
): AppliedChanges {
  const settingsText = new YamlText(texts.settings ?? builtInSettingsText);
  const usersText = new YamlText(texts.users ?? builtInUsersText);
  const users = new UsersEditor(usersText, present.users, environment);
  const clients = new ClientsEditor(settingsText, present.settings.oauth.clients, environment);
  const serviceProviders = new ServiceProvidersEditor(settingsText, present, environment);
  const settings = new SettingsEditor(settingsText, present.settings, environment);
  for (const change of changes) {
    try {
      const outcome = applyChange(change, { users, clients, serviceProviders, settings });
      if (outcome !== 'applied') return { outcome };
    } catch (error) {
      if (!(error instanceof TextTooLargeError)) throw error;
      return { outcome: 'too_large', which: change.kind.endsWith('_user') ? 'users' : 'settings', bytes: error.bytes };
    }
  }
  return {
    outcome: 'applied',
    texts: {
      settings: settingsText.edited ? settingsText.text : texts.settings,
      users: usersText.edited ? usersText.text : texts.users,
    },
    expectations: [users, clients, serviceProviders, settings].flatMap((editor) => [...editor.expectations()]),
  };
}

interface Editors {
  readonly users: UsersEditor;
  readonly clients: ClientsEditor;
  readonly serviceProviders: ServiceProvidersEditor;
  readonly settings: SettingsEditor;
}

function applyChange(
  change: ConfigurationChange,
  { users, clients, serviceProviders, settings }: Editors,
): 'applied' | 'exists' | 'unknown' {
  switch (change.kind) {
    case 'add_user':
      return users.add(change.username, change.entry);
    case 'replace_user':
      return users.replace(change.username, change.entry);
    case 'delete_user':
      return users.delete(change.username);
    case 'add_client':
      return clients.add(change.entry);
    case 'replace_client':
      return clients.replace(change.client_id, change.entry);
    case 'delete_client':
      return clients.delete(change.client_id);
    case 'add_service_provider':
      return serviceProviders.add(change.entity_id, change.entry);
    case 'replace_service_provider':
      return serviceProviders.replace(change.entity_id, change.entry);
    case 'delete_service_provider':
      return serviceProviders.delete(change.entity_id);
    case 'set':
      settings.set(change.path, change.value);
      return 'applied';
  }
}
