// A caller of startIdp has no command line, and its `settings` reject server.host and server.port.
import type { Remedies } from '#shared/process/worker/listen-here.ts';

export const addressRemedies: Remedies = { port: 'the option port', host: 'the option host' };
