// The settings of update_settings and get_settings, by their argument names (MCP-36, MCP-37). The model of
// settings.yaml selects them.
import type { z } from 'zod';
import {
  argumentName,
  isOfferedToTools,
  toolArguments,
} from '#shared/model/configuration/projections/tool-argument.ts';
import { type ModelField, valueAt } from '#shared/model/configuration/read-model.ts';
import type { Settings } from '#shared/model/configuration/settings.ts';
import { settingsFields } from '#shared/model/configuration/settings-fields.ts';
import { toolRefusals } from '#shared/model/refusals/families/mcp-tools.ts';
import { toolFailure } from './tool-failure.ts';

export const toolSettings: readonly ModelField[] = settingsFields.filter(isOfferedToTools);

export const settingArguments: Readonly<Record<string, z.ZodType>> = toolArguments(toolSettings);

/** Every setting by its argument name. Absent values are null. */
export function showSettings(settings: Settings): Readonly<Record<string, unknown>> {
  return Object.fromEntries(toolSettings.map((field) => [argumentName(field), valueAt(settings, field.path) ?? null]));
}

/** The settings with this value. @throws ToolFailure when the value has the wrong form (MCP-19). */
export function changeSetting(settings: Settings, field: ModelField, value: unknown): Settings {
  const read = field.model.safeParse(value ?? undefined);
  const isUnjudged = field.notes.tool !== false && field.notes.tool?.unjudged === true;
  if (!read.success && !isUnjudged) {
    const problem = read.error.issues[0]?.message ?? 'cannot be used';
    throw toolFailure(toolRefusals.tool_setting_invalid, { problem: `${argumentName(field)} ${problem}` });
  }
  const [section = '', ...below] = field.path.split('.');
  return { ...settings, [section]: placed(valueAt(settings, section), below, read.success ? read.data : value) };
}

function placed(root: unknown, [key, ...below]: readonly string[], value: unknown): unknown {
  return key === undefined ? value : { ...Object(root), [key]: placed(valueAt(root, key), below, value) };
}
