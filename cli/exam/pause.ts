import { setTimeout as wait } from 'node:timers/promises';

/** @throws the reason of the signal */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}
