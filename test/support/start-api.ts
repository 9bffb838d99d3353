// The start API as its user has it: from the build, with the types of its sources. All instances of a test process that are
// not about keys share one key pair, because generating one takes longer than a start.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { generateRsaKeyPair, privateKeyPem, publicKeyPem } from '#shared/state/keys/key-pair.ts';

/** TEST_IDP_API names another build. */
export const apiPath = process.env.TEST_IDP_API ?? fileURLToPath(new URL('../../dist/index.js', import.meta.url));

const built: typeof import('#api/index.ts') = await import(pathToFileURL(apiPath).href);

export const { startIdp, connectIdp, IdpError, IdpLoginError, IdpRequestError, IdpStartError } = built;

const drawn = generateRsaKeyPair();

export async function pemKeys(): Promise<{ readonly privateKey: string; readonly publicKey: string }> {
  const pair = await drawn;
  return { privateKey: privateKeyPem(pair), publicKey: publicKeyPem(pair.publicKey) };
}

/** Returns the error of a rejected promise, and fails if the promise resolves. */
export async function rejection(promise: Promise<unknown>): Promise<InstanceType<typeof IdpError>> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof IdpError) return error;
    throw error;
  }
  throw new Error('it did not reject');
}
