// Converts the posted settings form to changes of settings.yaml (WEB-11). A missing field changes nothing, a blank one
// clears, and a value that is already active is left unchanged.

import type { Parameters } from '#shared/base/parameters.ts';
import { formFields } from '#shared/model/configuration/projections/form.ts';
import { type ModelField, valueAt } from '#shared/model/configuration/read-model.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { settingsFields } from '#shared/model/configuration/settings-fields.ts';
import type { ConfigurationChange } from '#shared/state/configuration/active-configuration.ts';
import { asSentence, type FieldErrors, withPlace } from '../form-parts.tsx';
import { readControl, shownValues } from '../form-values.ts';

export const settingsForm = formFields(settingsFields);

type SettingsReading =
  | { readonly outcome: 'read'; readonly changes: readonly ConfigurationChange[] }
  | { readonly outcome: 'refused'; readonly errors: FieldErrors };

export function readSettingsForm(form: Parameters, settings: Settings): SettingsReading {
  const changes: ConfigurationChange[] = [];
  const errors = new Map<string, string>();
  const shown = shownValues(settingsForm, settings);
  for (const control of settingsForm) {
    const read = readControl(form, control, shown);
    if (read === undefined) continue;
    const { path } = control.field;
    const value = Array.isArray(read.value) && read.value.length === 0 ? undefined : read.value;
    const problem = problemOf(value, control.field);
    if (problem !== undefined) {
      errors.set(control.name, asSentence(problem));
    } else if (!isSame(value, valueAt(settings, path))) {
      changes.push({ kind: 'set', path, value });
    }
  }
  return errors.size > 0 ? { outcome: 'refused', errors } : { outcome: 'read', changes };
}

function problemOf(value: unknown, { model }: ModelField): string | undefined {
  if (value === undefined) return undefined;
  const parsed = model.safeParse(value);
  if (parsed.success) return undefined;
  const issue = parsed.error.issues[0];
  return issue === undefined ? 'is not acceptable' : withPlace(issue.path, issue.message);
}

/** Whether the value is already active. Removing a key that has no value needs no write either. */
function isSame(value: unknown, current: unknown): boolean {
  if (Array.isArray(current) && value === undefined) return current.length === 0;
  return JSON.stringify(value) === JSON.stringify(current);
}
