// The statements about the clock of a namespace, and about what is over when it goes back.
import { clockColumns, clockRow } from '../rows/namespace.ts';
import { endingsOf, expiringTables } from './expiring-tables.ts';
import { command, query, type StatementTexts } from './text.ts';

export const clockTexts = {
  find: query(`SELECT ${clockColumns} FROM namespaces WHERE namespace = @ns`, clockRow),
  store: command(
    'UPDATE namespaces SET clock_offset_milliseconds = @offset, clock_frozen_at = @frozen_at WHERE namespace = @ns',
  ),
} satisfies StatementTexts;

/** What is over at `@now` stays over when the clock goes back to `@then`. */
export const returnTexts = {
  ...endingsOf(expiringTables.filter(({ endsForGood }) => endsForGood)),
  // Kept for what their clients hear, or for who still holds them: they are past their time from the new clock on, too.
  device_grants_kept: command(
    `UPDATE device_grants SET expires_at = @then, forgotten_at = @end_of_device_record
     WHERE namespace = @ns AND expires_at <= @now AND expires_at > @then`,
  ),
  metadata_documents_kept: command(
    `UPDATE metadata_documents SET fresh_until = @then
     WHERE namespace = @ns AND fresh_until <= @now AND fresh_until > @then`,
  ),
} satisfies StatementTexts;
