// Validates the files on disk as the command validate-config does, without hooks and plugins (MCP-48, HOK-13).
import * as z from 'zod';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { toolRefusals } from '#shared/model/refusals/families/mcp-tools.ts';
import { diagnoseDirectory } from '#shared/state/configuration/diagnose-directory.ts';
import { defineTool } from '../tool.ts';
import { toolFailure } from '../tool-failure.ts';

export const validateConfig = defineTool({
  name: 'validate_config',
  title: 'Check the files',
  description:
    'Checks users.yaml and settings.yaml on disk, without running hooks or plugins. Ignores this server’s copy and its unsaved changes. status unavailable means that the directory could not be read and nothing was checked. Use it after a manual edit, before reload_config.',
  waitsFor: 'the lock of the configuration directory',
  arguments: {
    strict: z.boolean('must be true or false').optional().meta({
      description: 'true: unknown keys and missing files are errors. Default: as config_validation says.',
    }),
  },
  output: {
    config_dir: z.string(),
    config_validation: z.enum(['strict', 'default']).optional(),
    strict: z.boolean().optional(),
    status: z.enum(['valid', 'invalid', 'unavailable']),
    valid: z.boolean().optional(),
    findings: z
      .array(z.object({ level: z.string(), message: z.string(), file: z.string().nullable() }))
      .optional()
      .meta({ description: 'Each has level (error, warning, info), message, file and place.' }),
  },
  async handle({ strict }, { configuration, stopwatch }) {
    const { directory } = configuration.inForce();
    if (directory === undefined) throw toolFailure(toolRefusals.tool_without_directory);
    return {
      ...(await diagnoseDirectory({ directory, environment: process.env, problemsOfFault, strict, stopwatch })),
    };
  },
});
