// The command line was used in a way it does not understand: exit 1, with the usage on standard error (CLI-01).
export class UsageError extends Error {}
