// The 26 tools of the contract (MCP-21), then later ones, in the order of tools/list.
//
// To add a tool: add an entry in a `*-tools.ts` file, after the 26 of the contract (the last of which is
// clear_audit_log). A new file needs a line here. `tool.ts` describes an entry.
import type { Tool } from '../tool.ts';
import { auditTools } from './audit-tools.ts';
import { clientTools } from './client-tools.ts';
import { clockTools } from './clock-tools.ts';
import { configurationTools } from './configuration-tools.ts';
import { faultTools } from './fault-tools.ts';
import { keyTools } from './key-tools.ts';
import { recorderTools } from './recorder-tools.ts';
import { sandboxTools } from './sandbox-tools.ts';
import { serviceProviderTools } from './service-provider-tools.ts';
import { sessionTools } from './session-tools.ts';
import { settingTools } from './setting-tools.ts';
import { tokenTools } from './token-tools.ts';
import { userTools } from './user-tools.ts';
import { verdictTools } from './verdict-tools.ts';

const inOrder = [
  ...[userTools, clientTools, tokenTools, settingTools, configurationTools, keyTools, auditTools],
  ...[sandboxTools, clockTools, faultTools, sessionTools, serviceProviderTools, recorderTools, verdictTools],
];

export const tools: ReadonlyMap<string, Tool> = new Map(inOrder.flat().map((tool) => [tool.name, tool]));
