import { bindsToLoopback } from '#shared/base/loopback.ts';

/** The warning for a program that other machines can reach (CLI-03). undefined for loopback addresses. */
export function beyondLoopback(host: string): string | undefined {
  if (bindsToLoopback(host)) return undefined;
  return `listening on ${host}, which is no loopback address: this is a test program, keep it in a network you trust`;
}
