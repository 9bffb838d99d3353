// The 26 tools of the contract (MCP-21), by name, in the order tools/list shows them.
import type { Tool } from '../tool.ts';
import { auditTools } from './audit-tools.ts';
import { clientTools } from './client-tools.ts';
import { configurationTools } from './configuration-tools.ts';
import { keyTools } from './key-tools.ts';
import { settingTools } from './setting-tools.ts';
import { tokenTools } from './token-tools.ts';
import { userTools } from './user-tools.ts';

export const tools: ReadonlyMap<string, Tool> = new Map(
  [...userTools, ...clientTools, ...tokenTools, ...settingTools, ...configurationTools, ...keyTools, ...auditTools].map(
    (tool) => [tool.name, tool],
  ),
);
