// The deadline of an operation of any store, waiting included (STO-16, PGS-30).
export const storeDeadlineMilliseconds = 5_000;
