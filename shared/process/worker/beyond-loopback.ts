import { bindsToLoopback } from '#shared/base/loopback.ts';

/** The warning for a program that other machines can reach (CLI-03). undefined for loopback addresses. */
export function beyondLoopback(host: string): string | undefined {
  if (bindsToLoopback(host)) return undefined;
  return `listening on ${host}, which is not a loopback address. This is a test program: run it only in a network that you trust`;
}
