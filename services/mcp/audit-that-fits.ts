// As much of the audit as one response may hold: an MCP response is one text, in memory on both sides.
import { bytesOfEntry } from '#shared/model/audit/audit-entry.ts';
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';

/**
 * The newest entries of `pieces` that take `bytesMax` together, in their order. Never keeps more than one piece beyond
 * that in memory.
 */
export async function newestThatFit(
  pieces: AsyncIterable<readonly AuditEntry[]>,
  bytesMax: number,
): Promise<{ readonly entries: Record<string, unknown>[]; readonly leftOut: number }> {
  const kept: { readonly entry: AuditEntry; readonly bytes: number }[] = [];
  let bytes = 0;
  let leftOut = 0;
  for await (const piece of pieces) {
    for (const entry of piece) {
      const size = bytesOfEntry(entry);
      kept.push({ entry, bytes: size });
      bytes += size;
    }
    let surplus = 0;
    for (; bytes > bytesMax; surplus += 1) bytes -= kept[surplus]?.bytes ?? bytes;
    kept.splice(0, surplus);
    leftOut += surplus;
  }
  return { entries: kept.map(({ entry }) => ({ ...entry })), leftOut };
}
