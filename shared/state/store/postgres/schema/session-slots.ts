/** Each session writes its own counter rows, so that commits do not wait for each other (PGS-21). */
export const slots = 32;
export const slotOfSession = `(pg_backend_pid() % ${slots})`;
