// `npm run docs` writes the generated documents: docs/settings.md and the JSON Schemas for editors, the lists of
// rejections, faults and verdict rules in docs/errors.md, docs/faults.md and docs/verdict.md, the public surface, and
// the files generated from the declared routes (openapi/files.ts).
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { configurationTypes } from './configuration-types.ts';
import { demoGuide, withDemoCode } from './demo-guide.ts';
import { configurationDocuments } from './documents/configuration.ts';
import { withFaults } from './documents/faults.ts';
import { withRefusals } from './documents/refusals.ts';
import { withRules } from './documents/rules.ts';
import { readJudgedResults, withJudgedClients } from './judged-clients.ts';
import { openApiFiles } from './openapi/files.ts';
import { publicSurface } from './public-surface.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
mkdirSync(`${root}/docs/schema`, { recursive: true });
for (const [path, text] of Object.entries(configurationDocuments())) writeFileSync(`${root}/${path}`, text);
writeFileSync(`${root}/docs/errors.md`, withRefusals(readFileSync(`${root}/docs/errors.md`, 'utf8')));
const faults = withFaults(readFileSync(`${root}/docs/faults.md`, 'utf8'));
writeFileSync(`${root}/docs/faults.md`, withJudgedClients(faults, readJudgedResults()));
writeFileSync(`${root}/docs/verdict.md`, withRules(readFileSync(`${root}/docs/verdict.md`, 'utf8')));
writeFileSync(`${root}/${demoGuide}`, withDemoCode(readFileSync(`${root}/${demoGuide}`, 'utf8')));
writeFileSync(`${root}/api/configuration-types.ts`, configurationTypes());
writeFileSync(`${root}/docs/public-surface.txt`, publicSurface());
for (const [path, text] of Object.entries(openApiFiles())) writeFileSync(`${root}/${path}`, text);
