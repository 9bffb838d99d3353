/** So many processes answer OpenID Connect at most, however a stack is started. */
export const oidcWorkersMax = 64;
