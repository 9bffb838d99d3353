// The only style sheet, assembled from its parts in cascade order. The drawing comes first, as a custom property.
import { pageFile } from './page-files.ts';
import { guilloche } from './style/guilloche.ts';

const parts = ['tokens', 'base', 'components', 'login', 'management', 'print'];

export const styleSheet = [
  `:root { --guilloche: url("${guilloche}"); }`,
  ...parts.map((part) => pageFile(`style/${part}.css`)),
].join('\n');
