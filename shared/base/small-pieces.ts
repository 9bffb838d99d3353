/** Of one body: each piece of it that arrives by itself costs far more than its few bytes. Smaller than `bytesBelow` bytes is small. */
export const smallPieces = { bytesBelow: 512, countMax: 16 * 1024 } as const;
