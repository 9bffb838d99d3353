// One transaction on one session. BEGIN and its locks are sent with the first read, COMMIT with the last write.
import * as z from 'zod';
import type { AuditEntry } from '#shared/model/audit/audit-event.ts';
import type { NamespaceKey } from '../namespace-id.ts';
import { type Connection, isBroken, isReadOnlyRefusal, type PreparedText } from './connection.ts';
import type { Writer } from './statement.ts';
import { StatementMessages } from './statement-messages.ts';

/** A running transaction. Its recorded entries, whose events it adds to the audit, are reported after the commit. */
export interface Transaction extends Writer {
  readonly recorded: { readonly namespace: NamespaceKey; readonly entry: AuditEntry }[];
}

interface TransactionPlan<Result> {
  /** Statements that take the transaction's locks. */
  readonly locks: readonly PreparedText[];
  readonly work: (on: Transaction) => Promise<Result>;
}

interface Committed<Result> {
  readonly result: Result;
  readonly recorded: Transaction['recorded'];
  /**
   * The response to COMMIT was lost with the session. Another session uses this id to read whether it was committed
   * (PGS-34).
   */
  readonly lost?: { readonly xid: string; readonly cause: unknown };
}

const begin: PreparedText = { text: 'BEGIN ISOLATION LEVEL READ COMMITTED', name: 'begin', values: [] };
const identify: PreparedText = { text: 'SELECT pg_current_xact_id()::text AS xid', name: 'xid', values: [] };
const commit: PreparedText = { text: 'COMMIT', name: 'commit', values: [] };
const xidRow = z.object({ xid: z.string() });

export async function inTransaction<Result>(
  session: Connection,
  { locks, work }: TransactionPlan<Result>,
): Promise<Committed<Result>> {
  const recorded: Transaction['recorded'] = [];
  let xid = '';
  const messages = new StatementMessages(session, [begin, identify, ...locks], (answers) => {
    xid = xidRow.parse(answers[1]?.rows[0]).xid;
  });
  const rollBack = async (error: unknown) => {
    // A broken session is dropped and not queried: its locks and its transaction end with it.
    if (messages.isOpened && session.isOpen() && !isBroken(error)) {
      await session.runText('ROLLBACK').catch(() => session.drop());
    }
    return error;
  };
  let result: Result;
  try {
    const ask = (prepared: PreparedText) => messages.ask(prepared);
    result = await work({ ask, put: (prepared) => messages.put(prepared), recorded });
    if (!messages.isOpened) {
      // The transaction id must be known before the commit is sent.
      const written = messages.drain();
      await messages.flush();
      for (const prepared of written) messages.put(prepared);
    }
  } catch (error) {
    throw await rollBack(error);
  }
  try {
    await messages.flush([commit]);
  } catch (error) {
    // After a rejection the outcome is known. The next server may also number its transactions differently.
    if (!isBroken(error) || isReadOnlyRefusal(error)) throw await rollBack(error);
    // Frees its place in the pool for the session that reads the outcome.
    session.drop();
    return { result, recorded, lost: { xid, cause: error } };
  }
  return { result, recorded };
}
