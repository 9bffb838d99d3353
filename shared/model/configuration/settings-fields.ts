// The rows of settings.yaml, computed once.
import { fieldsOf, type ModelField } from './read-model.ts';
import { settingsModel } from './settings.ts';

export const settingsFields: readonly ModelField[] = fieldsOf(settingsModel);
