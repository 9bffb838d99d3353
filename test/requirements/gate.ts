// The gate between the contract and its tests (`npm run requirements`): reads the rows of this folder and the citations
// in all tests, prints what is proved and what is pending, and ends with exit code 1 on any fault. The rules are in
// check-requirements.ts.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot, sourceFiles } from '#test/support/source-text.ts';
import { checkRequirements, type Section } from './check-requirements.ts';
import { readCitations } from './read-citations.ts';
import type { Requirement } from './row.ts';

const ownFiles = new Set(['row.ts', 'gate.ts', 'check-requirements.ts', 'read-citations.ts']);

process.exitCode = await gate(repositoryRoot);

async function gate(root: string): Promise<number> {
  const sections = await readSections(join(root, 'test', 'requirements'));
  const read = readCitations(sourceFiles('test', root));
  const { faults, pending, proved } = checkRequirements(sections, read.citations);
  const all = sections.reduce((sum, { requirements }) => sum + requirements.length, 0);
  console.log(`${all} clauses in ${sections.length} sections: ${proved} proved, ${pending.length} pending`);
  for (const { id, says } of pending) console.log(`  pending ${id}: ${says}`);
  for (const fault of [...read.faults, ...faults]) console.error(`fault: ${fault}`);
  return read.faults.length + faults.length === 0 ? 0 : 1;
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
