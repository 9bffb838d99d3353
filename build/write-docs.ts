// `npm run docs`: writes what is derived from the configuration models: docs/settings.md and the JSON Schemas that the
// shipped configuration files point their editors at.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generatedDocuments } from '#shared/configuration/generated-documents.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
mkdirSync(`${root}/docs/schema`, { recursive: true });
for (const [path, text] of Object.entries(generatedDocuments())) writeFileSync(`${root}/${path}`, text);
