// The names of the two files of a configuration directory. In a separate file, because commands that read neither file
// need them, too (PKG-29).
import type { ConfigurationFileName } from '#shared/model/configuration/finding.ts';

export const configurationFileNames = {
  settings: 'settings.yaml',
  users: 'users.yaml',
} as const satisfies Readonly<Record<string, ConfigurationFileName>>;
