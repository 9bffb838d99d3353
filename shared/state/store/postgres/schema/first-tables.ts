// The tables of the store in PostgreSQL as they were in the first version; what came later is a step (steps.ts), for a new schema, too.
// Every row of a namespace carries it in the column `namespace`; times are milliseconds; records are JSON, kept as text, because
// nobody but this program reads them and they come back as they were. A row of an index takes some 2 KiB at most, so what
// somebody else named (users, clients, service providers) is found by a hash index, and unique by its digest.

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

/** `schema` is a name, quoted. */
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
