// Exchanges of several processes in the order of their requests (REC-13). Each process writes its own some 150 ms late, so
// their numbers follow the batches. Request times are the database server's, on whichever machine.

/** Further apart, the order written counts: a process holds an exchange back no longer, and a clock may have been set back. */
const heldAtMostMilliseconds = 1000;

/** `written`: in the order of their numbers. */
export function byRequestTime<Timed extends { readonly at: number }>(written: readonly Timed[]): readonly Timed[] {
  const ordered: Timed[] = [];
  for (const one of written) {
    const isBeside = ({ at }: Timed) => at <= one.at || at - one.at >= heldAtMostMilliseconds;
    ordered.splice(ordered.findLastIndex(isBeside) + 1, 0, one);
  }
  return ordered;
}
