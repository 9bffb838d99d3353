/** A stack has so many processes for OpenID Connect at most, however it is started. */
export const oidcWorkersMax = 64;
