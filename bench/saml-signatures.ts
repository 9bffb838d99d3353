// The cost of the second signature of a login (SRE-12): the same login for two service providers in turns. One of them
// gets a signed Response around the signed Assertion, the other one only the signed Assertion.
import { rmSync } from 'node:fs';
import { inTurns, share } from './in-turns.ts';
import { all, type Measured, measuredLoad, warmUp } from './measured-load.ts';
import { median } from './median.ts';
import { prepareDirectory, programsOn } from './programs.ts';
import { assertionConsumer, loggedInCookie, responseIn, singleSignOn } from './single-sign-on.ts';
import type { StartedProgram } from './started-program.ts';

interface SignatureBench {
  /** Pairs of loads. */
  readonly rounds: number;
  readonly print: (line: string) => void;
}

const signed = { both: 'urn:bench:both', assertion: 'urn:bench:assertion' } as const;
const signatures = { both: 2, assertion: 1 } as const;
type Signed = keyof typeof signed;

export async function benchSamlSignatures({ rounds, print }: SignatureBench): Promise<void> {
  const service_providers = (['both', 'assertion'] as const).map((sign) => ({
    ...{ entity_id: signed[sign], acs: assertionConsumer, sign },
  }));
  const directory = prepareDirectory({ saml: { service_providers } });
  try {
    const program = await programsOn(directory).ours();
    try {
      const cookie = await loggedInCookie(program);
      const loadOf = (sign: Signed) => () => measure(sign, program, cookie);
      for (const sign of ['both', 'assertion'] as const) {
        await warmUp({ program, request: () => singleSignOn(program, cookie, signed[sign]) });
      }
      const { assertion, both } = await inTurns(rounds, { assertion: loadOf('assertion'), both: loadOf('both') });
      const rate = (of: readonly Measured[]) => median(all(of, 'rate')).toFixed(0);
      print('\nSAML single sign-on, session present, Response and Assertion signed and the Assertion alone, in turns:');
      print(
        `  ${rate(both)}/s, the Assertion alone ${rate(assertion)}/s: ${share(all(both, 'rate'), all(assertion, 'rate'))}, at least 0.55`,
      );
    } finally {
      await program.stop();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(sign: Signed, program: StartedProgram, cookie: string): Promise<Measured> {
  const operation = singleSignOn(program, cookie, signed[sign]);
  const measured = await measuredLoad({ program, request: () => operation });
  for (const sample of measured.samples) {
    const response = responseIn(sample);
    const found = response.split('</ds:SignatureValue>').length - 1;
    if (found !== signatures[sign]) throw new Error(`${found} signatures for ${signed[sign]}:\n${response}`);
  }
  return measured;
}
