// How long an operation of any store may take, waiting included (STO-16, PGS-30).
export const storeDeadlineMilliseconds = 5_000;
