// How often a race is run anew: some rounds in `npm test`, so that it stays quick, and many in `npm run drills`, whose
// configuration requires test/support/thorough.ts.

/** Whether this run takes its time. */
export const isThorough = process.env.TEST_IDP_THOROUGH === '1';

export function rounds(quick: number, thorough: number): number {
  return isThorough ? thorough : quick;
}
