import { expect } from 'chai';
import { systemRandomness } from '#shared/base/random.ts';
import { createFault, type FaultDependencies } from '#shared/engine/faults/create-fault.ts';
import { KeyRotationRefusedError } from '#shared/state/keys/key-ring.ts';
import { verifies } from '#test/support/verifies.ts';

describe('the creation of a fault', () => {
  verifies('FLT-K103', 'that rotates the key is rejected if no key can be rotated', async () => {
    const refusal = new KeyRotationRefusedError('external_keys_not_rotatable');
    const deps = {
      random: systemRandomness,
      keys: { rotationRefusal: async () => refusal },
    } as Partial<FaultDependencies> as FaultDependencies;
    const eventOf = () => {
      throw new Error('nothing is set');
    };
    const creation = await createFault({ fault: 'key_rotated_before_signing' }, eventOf, deps);
    expect(creation).to.deep.equal({ outcome: 'key_not_rotatable', refusal });
  });
});
