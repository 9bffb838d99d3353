// The version of the program: the package's.
import { version } from '../package.json' with { type: 'json' };

export { version };
