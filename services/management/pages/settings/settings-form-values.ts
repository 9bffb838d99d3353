// The posted settings form to changes of settings.yaml (WEB-11): a missing field changes nothing, a blank one clears, and
// a value that already holds is left alone.
import type { z } from 'zod';
import { safeParse } from 'zod/v4/core';
import type { ConfigurationChange } from '#shared/configuration/active-configuration.ts';
import type { Settings } from '#shared/configuration/model/settings.ts';
import type { Parameters } from '#shared/http/parameters.ts';
import { asSentence, type FieldErrors } from '../form-parts.tsx';
import { checkboxField, lineField, textField } from '../form-values.ts';
import { type SettingField, schemaAt, settingFields, settingValue } from './settings-fields.ts';

/** The form as it is shown: text, lines joined by line breaks, or a checkbox's state. */
export type SettingsFormValues = ReadonlyMap<string, string | boolean>;

export function valuesOfSettings(settings: Settings): SettingsFormValues {
  return new Map(settingFields.map((field) => [field.name, shownValue(settingValue(settings, field.path))]));
}

export function valuesOfForm(form: Parameters, before: SettingsFormValues): SettingsFormValues {
  return new Map(
    settingFields.map(({ name, kind }) => {
      const typed = kind === 'flag' ? checkboxField(form, name) : form.first(name);
      return [name, typed ?? before.get(name) ?? ''];
    }),
  );
}

export type SettingsReading =
  | { readonly outcome: 'read'; readonly changes: readonly ConfigurationChange[] }
  | { readonly outcome: 'refused'; readonly errors: FieldErrors };

export function readSettingsForm(form: Parameters, settings: Settings): SettingsReading {
  const changes: ConfigurationChange[] = [];
  const errors = new Map<string, string>();
  for (const field of settingFields) {
    const read = readField(form, field);
    if (read === undefined) continue;
    const problem = problemOf(read.value, field);
    if (problem !== undefined) {
      errors.set(field.name, asSentence(problem));
    } else if (!isSame(read.value, settingValue(settings, field.path))) {
      changes.push({ kind: 'set', path: field.path, value: read.value });
    }
  }
  return errors.size > 0 ? { outcome: 'refused', errors } : { outcome: 'read', changes };
}

/** undefined: the form has no such field. A value of undefined removes the key. */
function readField(form: Parameters, field: SettingField): { readonly value: unknown } | undefined {
  switch (field.kind) {
    case 'flag': {
      const value = checkboxField(form, field.name);
      return value === undefined ? undefined : { value };
    }
    case 'lines': {
      const value = lineField(form, field.name);
      return value === undefined ? undefined : { value: value.length === 0 ? undefined : value };
    }
    case 'number': {
      const text = textField(form, field.name);
      if (text === undefined) return undefined;
      if (text === '') return { value: undefined };
      return { value: /^\d{1,9}$/.test(text) ? Number(text) : text };
    }
    default: {
      const text = textField(form, field.name);
      if (text === undefined) return undefined;
      return { value: text === '' ? field.blank : text };
    }
  }
}

function problemOf(value: unknown, { path }: SettingField): string | undefined {
  if (value === undefined) return undefined;
  const parsed = safeParse(schemaAt(path), value);
  return parsed.success ? undefined : firstMessage(parsed.error.issues);
}

function firstMessage(issues: readonly z.core.$ZodIssue[]): string {
  return issues[0]?.message ?? 'is not acceptable';
}

/** Whether the value already holds. A key to be removed that has no value now needs no write either. */
function isSame(value: unknown, current: unknown): boolean {
  if (Array.isArray(current) && value === undefined) return current.length === 0;
  return JSON.stringify(value) === JSON.stringify(current);
}

function shownValue(value: unknown): string | boolean {
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.join('\n');
  return value === undefined || value === null ? '' : String(value);
}
