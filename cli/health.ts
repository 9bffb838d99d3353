// `test-idp health`: whether an instance responds, as an exit code, for health checks of containers and for scripts
// (PKG-28).
import { askInstance } from './ask-instance.ts';
import { configDirectoryIfAny, readOptions } from './command-line.ts';
import { configuredInstance, type InstanceAddress, namedInstance } from './instance-address.ts';
import { optionsOf } from './options.ts';
import { UsageError } from './usage-error.ts';

export async function run(args: readonly string[]): Promise<number> {
  const values = readOptions(args, optionsOf.health);
  const timeoutMilliseconds = 1000 * seconds(values.timeout ?? '3');
  const named = namedInstance(values.url);
  const instance: InstanceAddress =
    named === undefined ? await configuredInstance(configDirectoryIfAny(values['config-dir'])) : { base: named };
  const { base, caFile } = instance;
  const { status } = await askInstance(new URL(`${base}/health`), { timeoutMilliseconds, caFile });
  if (status === 200) return 0;
  throw new Error(`${base}/health returned ${status}`);
}

function seconds(text: string): number {
  const value = /^\d{1,4}(?:\.\d{1,3})?$/.test(text) ? Number(text) : 0;
  if (value <= 0) throw new UsageError(`--timeout must be seconds, such as 3 or 0.5, not '${text}'`);
  return value;
}
