// The tables of the runtime store. Every row of a namespace carries it in the column `namespace`. Times are
// milliseconds since 1970, of the namespace's clock or of real time. Records are JSON. Every change of a table needs another
// `runtimeSchema.version`: a store of another version is rejected, never converted (STO-05).
import type { Schema } from '../database-file.ts';
import { byteBoundTables } from './byte-bounds.ts';
import { configurationTables } from './configuration.ts';
import { coordinationTables } from './coordination.ts';
import { faultTables } from './faults.ts';
import { identityTables } from './identities.ts';
import { loginTables } from './logins.ts';
import { namespaceTables } from './namespaces.ts';
import { outboxTables } from './outbox.ts';
import { samlTables } from './saml.ts';
import { sessionTables } from './sessions.ts';
import { tokenTables } from './tokens.ts';

export const runtimeSchema: Schema = {
  title: 'runtime store',
  applicationId: 0x54494472, // "TIDr"
  version: 11,
  statements: [
    namespaceTables,
    configurationTables,
    loginTables,
    sessionTables,
    tokenTables,
    identityTables,
    coordinationTables,
    samlTables,
    faultTables,
    byteBoundTables,
    outboxTables,
  ].join(''),
};
