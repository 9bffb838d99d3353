// What the two files of a configuration directory are called; alone, since commands that read neither name them, too (PKG-29).
import type { ConfigurationFileName } from '#shared/model/configuration/finding.ts';

export const configurationFileNames = {
  settings: 'settings.yaml',
  users: 'users.yaml',
} as const satisfies Readonly<Record<string, ConfigurationFileName>>;
