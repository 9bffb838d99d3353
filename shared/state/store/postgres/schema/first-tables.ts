// The tables of the store in PostgreSQL in their first version. Later changes are steps (steps.ts), which a new schema
// runs too. Every row of a namespace carries it in the column `namespace`. Times are milliseconds. Records are JSON,
// stored as text, because only this program reads them and text returns them unchanged. An index row takes about 2 KiB
// at most. So externally chosen names (users, clients, service providers) have a hash index, and their uniqueness uses
// a digest.

import { auditTables } from './audit.ts';
import { byteBoundTables, countingTriggers } from './byte-bounds.ts';
import { configurationTables } from './configuration.ts';
import { coordinationTables } from './coordination.ts';
import { exchangeTables } from './exchanges.ts';
import { faultTables } from './faults.ts';
import { identityTables } from './identities.ts';
import { loginTables } from './logins.ts';
import { namespaceTables } from './namespaces.ts';
import { samlTables } from './saml.ts';
import { sessionTables, sessionTriggers } from './sessions.ts';
import { firstVersion } from './steps.ts';
import { tokenTables } from './tokens.ts';

const versionTable = `
  CREATE TABLE store_version (version integer NOT NULL);
  INSERT INTO store_version (version) VALUES (${firstVersion});
`;

/** `schema` is a quoted name. */
export function firstTables(schema: string): string {
  const tables = [
    namespaceTables,
    configurationTables,
    loginTables,
    sessionTables,
    tokenTables,
    identityTables,
    coordinationTables,
    samlTables,
    faultTables,
    exchangeTables,
    auditTables,
    byteBoundTables,
    versionTable,
  ];
  return [...tables, countingTriggers(schema), sessionTriggers(schema)].join('');
}
