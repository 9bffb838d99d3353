// Lists the packages in the bundles, each with version and licence text, in one text file (PKG-03). Distributing dist/
// also distributes their code, and each of their licences requires a copy of its text.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The directory of the package to which a bundled file belongs, such as `node_modules/zod`. */
const packageDirectory = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;

/**
 * `metafiles` are those of the builds whose outputs are together. The text is the same for the same packages on any
 * machine. Throws for a package without licence text that is not listed here.
 */
export function thirdPartyLicences(metafiles, root) {
  const inputs = metafiles.flatMap((metafile) =>
    Object.values(metafile.outputs).flatMap((output) =>
      Object.entries(output.inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])),
    ),
  );
  const directories = new Set(inputs.flatMap((path) => packageDirectory.exec(path)?.[0] ?? []));
  const packages = [...directories].map((directory) => describePackage(join(root, directory)));
  packages.sort((one, other) => compare(one.name, other.name) || compare(one.version, other.version));
  const title = 'test-idp contains the following packages, each under its own licence.\n';
  return [title, ...packages.map(sectionOf)].join(`\n${'-'.repeat(80)}\n\n`);
}

function describePackage(directory) {
  const { name, version, license } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const files = readdirSync(directory).filter((file) => /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i.test(file));
  const texts = files.sort(compare).map((file) => readFileSync(join(directory, file), 'utf8').trim());
  if (texts.length === 0) texts.push(licenceInReadme(directory));
  if (texts[0] === undefined) throw new Error(`${name} ${version} brings no licence text`);
  return { name, version, license, texts };
}

/** Some packages have their licence only at the end of their README. */
function licenceInReadme(directory) {
  const readme = readdirSync(directory).find((file) => /^readme(?:\.|$)/i.test(file));
  if (readme === undefined || !existsSync(join(directory, readme))) return undefined;
  const text = readFileSync(join(directory, readme), 'utf8');
  const [, section] = /^#+\s*licen[cs]e.*\n([\s\S]*)/im.exec(text) ?? [];
  return section !== undefined && /permission|copyright/i.test(section) ? section.trim() : undefined;
}

function sectionOf({ name, version, license, texts }) {
  return `${name} ${version}\nLicence: ${typeof license === 'string' ? license : 'see below'}\n\n${texts.join('\n\n')}\n`;
}

function compare(one, other) {
  return one < other ? -1 : one > other ? 1 : 0;
}
