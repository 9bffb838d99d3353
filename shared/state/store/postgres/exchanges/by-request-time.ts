// Sorts exchanges of several processes by the order of their requests (REC-13). Each process writes its own about 150
// ms late, so their numbers follow the batches. Request times are those of the database server, on every machine.

/**
 * Beyond this distance the order written counts. A process delays no exchange longer, and a clock may have been set
 * back.
 */
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
