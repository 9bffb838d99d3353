/** The maximum number of OpenID Connect processes in a stack, however it is started. */
export const oidcWorkersMax = 64;
