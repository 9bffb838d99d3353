// The keys of settings.yaml that no form offers, with their values (WEB-10). For secrets, commands and values that may
// contain them, the page shows only that they are set.
import type { ConfigurationSnapshot } from '#shared/model/configuration/configuration-snapshot.ts';
import { isOfferedInForm } from '#shared/model/configuration/projections/form.ts';
import { type ModelField, valueAt } from '#shared/model/configuration/read-model.ts';
import { settingsFields } from '#shared/model/configuration/settings-fields.ts';

interface FileOnlySetting {
  readonly path: string;
  readonly value: string;
}

const fields = settingsFields.filter((field) => !isOfferedInForm(field) && field.notes.form !== 'elsewhere');

export function fileOnlySettings({ settings, managementSecret }: ConfigurationSnapshot): readonly FileOnlySetting[] {
  return fields.map((field) => {
    const value = field.path === 'management_secret' ? managementSecret : valueAt(settings, field.path);
    const { alias, showsAlias } = field.notes;
    return { path: showsAlias === true && alias !== undefined ? alias : field.path, value: shown(field, value) };
  });
}

function shown({ notes }: ModelField, value: unknown): string {
  const isSet = value !== undefined && value !== null && value !== '';
  if (notes.secret === true) return isSet ? 'set' : 'not set';
  if (!isSet) return notes.whenAbsent ?? 'not set';
  if (typeof value !== 'object') return String(value);
  // Of a mapping only the names are shown: its values may be anything.
  const items = Array.isArray(value) ? value : Object.keys(value);
  return items.length === 0 ? 'none' : items.join(', ');
}
