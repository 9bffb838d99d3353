// `npm run clients`: every client logs in unmodified, and docs/clients.md gets the table of results.
import { readFileSync, writeFileSync } from 'node:fs';
import { type ClientRow, clientRows, languages } from './client-rows.ts';
import { logIn, type Measured } from './log-in.ts';
import { openSurroundings } from './surroundings.ts';
import { tableOf, withTable } from './table.ts';

const document = new URL('../../../docs/clients.md', import.meta.url);

const { surroundings, close } = await openSurroundings(
  {
    skip() {
      throw new Error('nothing can be measured without it');
    },
  },
  languages,
);
try {
  const measured = new Map<ClientRow, Measured>();
  for (const row of clientRows) measured.set(row, await logIn(row, surroundings));
  writeFileSync(document, withTable(readFileSync(document, 'utf8'), tableOf(measured)));
} finally {
  await close();
}
