// The version of the program: the package's. A JSON module has a default export only.
import manifest from '../../package.json' with { type: 'json' };

export const { version } = manifest;
