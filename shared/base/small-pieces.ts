/**
 * Limits for one body, because each separate piece costs far more than its few bytes. A piece below `bytesBelow` bytes
 * is small.
 */
export const smallPieces = { bytesBelow: 512, countMax: 16 * 1024 } as const;

/** The largest body of a request that front ends read (HDR-17). */
export const requestBytesMax = 1024 * 1024;
