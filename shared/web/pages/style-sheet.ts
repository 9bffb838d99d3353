// The only style sheet, assembled from its parts in cascade order. The drawing comes first, as a custom property.
import { pageFile } from './page-files.ts';
import { backgroundPattern } from './style/background-pattern.ts';

const parts = ['tokens', 'base', 'components', 'login', 'management', 'print'];

export const styleSheet = [
  `:root { --background-pattern: url("${backgroundPattern}"); }`,
  ...parts.map((part) => pageFile(`style/${part}.css`)),
].join('\n');
