// The files of the repository that are generated from the configuration models, by path. `npm run docs` writes them,
// and a test compares them.
import { faultNames } from '#shared/engine/faults/catalogue/index.ts';
import { configurationSchema } from '#shared/model/configuration/projections/json-schema.ts';
import { settingsReference } from './settings-reference.ts';

export function configurationDocuments(): Readonly<Record<string, string>> {
  const { settings, users } = configurationSchema(faultNames);
  return {
    'docs/settings.md': settingsReference(),
    'docs/schema/settings.schema.json': `${JSON.stringify(settings, null, 2)}\n`,
    'docs/schema/users.schema.json': `${JSON.stringify(users, null, 2)}\n`,
  };
}
