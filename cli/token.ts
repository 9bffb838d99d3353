// `test-idp token`: prints one access token and nothing else on standard output (PKG-25 to PKG-27). It uses a running
// instance. If none was named and none runs, it starts one for this token.
import { isMapping } from '#shared/base/untrusted-values.ts';
import { NotReachableError } from './ask-instance.ts';
import { configDirectoryIfAny, readOptions } from './command-line.ts';
import { configuredInstance, type InstanceAddress, namedInstance } from './instance-address.ts';
import { optionsOf } from './options.ts';
import { requestToken, type TokenWish } from './request-token.ts';
import { UsageError } from './usage-error.ts';

export async function run(args: readonly string[]): Promise<number> {
  const { json, url, 'config-dir': directoryOption, ...values } = readOptions(args, optionsOf.token);
  const { 'set-claims': setClaims, 'remove-claims': removeClaims, ...others } = values;
  const configDirectory = configDirectoryIfAny(directoryOption);
  const wish: TokenWish = {
    ...others,
    claims: claimsOf('claims', values.claims),
    setClaims: claimsOf('set-claims', setClaims),
    removeClaims: removeClaims?.split(',').filter((name) => name !== ''),
    configDirectory,
  };
  const named = namedInstance(url);
  const instance: InstanceAddress = named === undefined ? await configuredInstance(configDirectory) : { base: named };
  let response: Awaited<ReturnType<typeof requestToken>>;
  try {
    response = await requestToken(instance, wish);
  } catch (error) {
    if (named !== undefined || !(error instanceof NotReachableError)) throw error;
    const { requestTokenFromNewInstance } = await import('./token-from-new-instance.ts');
    response = await requestTokenFromNewInstance(instance.base, wish);
  }
  process.stdout.write(`${json === true ? JSON.stringify(response) : response.access_token}\n`);
  return 0;
}

function claimsOf(option: string, text: string | undefined): Readonly<Record<string, unknown>> | undefined {
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (!isMapping(value)) {
    throw new UsageError(`--${option} must be a JSON object, such as {"department":"ops"}`);
  }
  return { ...value };
}
