// Remarks on the environment at a start: no configuration files exist, or a file exists that another program would read
// and this one does not.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { WorkerStart } from '#shared/process/worker/mailbox.ts';
import { configurationFileNames } from '#shared/state/configuration/load/file-names.ts';

type Remark = NonNullable<WorkerStart['remarks']>[number];

const ourFiles = Object.values(configurationFileNames);

/** `configDirectory`: undefined when the embedded configuration runs. */
export function remarksAtStart(
  configDirectory: string | undefined,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): readonly Remark[] {
  const remarks: Remark[] = [];
  if (configDirectory === undefined) {
    const message =
      'running without configuration files, in memory (user admin, client demo-client). "test-idp init" writes files to start from';
    remarks.push({ level: 'info', message });
  } else {
    const bootstrap = join(configDirectory, 'bootstrap.yaml');
    if (existsSync(bootstrap)) {
      remarks.push({
        level: 'warn',
        message: `${bootstrap} is ignored. The configuration files are settings.yaml and users.yaml`,
      });
    }
    // Many other programs also use ./config.
    if (existsSync(configDirectory) && !ourFiles.some((name) => existsSync(join(configDirectory, name)))) {
      const message = `${configDirectory} has neither settings.yaml nor users.yaml. If it belongs to another program, name your own with --config-dir. "test-idp init" creates one`;
      remarks.push({ level: 'warn', message });
    }
  }
  const foreign = Object.keys(environment).filter((name) => name.startsWith('NANOIDP_'));
  if (foreign.length > 0) {
    const message = `${foreign.sort().join(', ')} ${foreign.length === 1 ? 'has' : 'have'} no effect. The known variables are IDP_CONFIG_DIR, IDP_MANAGEMENT_SECRET and IDP_MCP_READONLY`;
    remarks.push({ level: 'warn', message });
  }
  return remarks;
}
