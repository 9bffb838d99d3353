// The gate between the contract and its tests (`npm run requirements`). It reads the rows of this folder and the
// citations in all tests. It prints which rows are proved and which are pending, and exits with code 1 on any fault.
// The rules are in check-requirements.ts.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot, sourceFiles } from '#test/support/source-text.ts';
import { checkRequirements, type Section } from './check-requirements.ts';
import { readCitations } from './read-citations.ts';
import type { Requirement } from './row.ts';

/** The sections of the contract, so that a missing file is detected. */
const sectionNames =
  'act api aud aut cam cfg cli clm clt cmd crs dcr dev dis grt hdr hok img int iss key log mcp out pcl pkg prf ref res rev rst run sam sbx sco shv sso sto sup tim tok uin unk web wrt'.split(
    ' ',
  );

const ownFiles = new Set(['row.ts', 'gate.ts', 'check-requirements.ts', 'read-citations.ts']);

process.exitCode = await gate(repositoryRoot);

async function gate(root: string): Promise<number> {
  const sections = await readSections(join(root, 'test', 'requirements'));
  const read = readCitations(sourceFiles('test', root));
  const { faults, pending, proved } = checkRequirements(sections, read.citations);
  const present = new Set(sections.map(({ name }) => name));
  const missing = sectionNames.filter((name) => !present.has(name)).map((name) => `${name}.ts is missing`);
  const all = [...read.faults, ...missing, ...faults];
  const clauses = sections.reduce((sum, { requirements }) => sum + requirements.length, 0);
  console.log(`${clauses} clauses in ${sections.length} sections: ${proved} proved, ${pending.length} pending`);
  for (const { id, says } of pending) console.log(`  pending ${id}: ${says}`);
  for (const fault of all) console.error(`fault: ${fault}`);
  return all.length === 0 ? 0 : 1;
}

async function readSections(folder: string): Promise<Section[]> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.ts') && !ownFiles.has(name));
  return Promise.all(
    names.sort().map(async (name) => {
      const module: { requirements?: readonly Requirement[] } = await import(pathToFileURL(join(folder, name)).href);
      return { name: name.slice(0, -'.ts'.length), requirements: module.requirements ?? [] };
    }),
  );
}
