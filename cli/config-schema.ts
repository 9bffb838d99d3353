// `test-idp config-schema`: the JSON Schema of the two files, for editors and other tools (CLI-14, CFG-32).
import { faultNames } from '#shared/engine/faults/catalogue/index.ts';
import { configurationSchema } from '#shared/model/configuration/projections/json-schema.ts';
import { readOptions } from './command-line.ts';
import { optionsOf } from './options.ts';
import { UsageError } from './usage-error.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { file } = readOptions(args, optionsOf['config-schema']);
  if (file !== undefined && file !== 'settings' && file !== 'users') {
    throw new UsageError(`--file must be settings or users, not '${file}'`);
  }
  const schema = configurationSchema(faultNames);
  process.stdout.write(`${JSON.stringify(file === undefined ? schema : schema[file], null, 2)}\n`);
  return 0;
}
