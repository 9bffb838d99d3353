// The limit for every token: how many RSA-2048 SHA-256 signatures per second this machine makes when all cores do
// nothing else.
import { generateKeyPairSync, sign } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';

export async function rsaSignaturesPerSecond(seconds: number): Promise<number> {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const data = Buffer.alloc(400, 7);
  const end = performance.now() + seconds * 1000;
  let signed = 0;
  const signOne = () =>
    new Promise<void>((resolve, reject) => {
      sign('RSA-SHA256', data, privateKey, (error) => (error === null ? resolve() : reject(error)));
    });
  const started = performance.now();
  await Promise.all(
    Array.from({ length: availableParallelism() * 2 }, async () => {
      while (performance.now() < end) {
        await signOne();
        signed += 1;
      }
    }),
  );
  return (signed * 1000) / (performance.now() - started);
}
