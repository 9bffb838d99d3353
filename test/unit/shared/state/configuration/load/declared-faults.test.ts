// The faults that settings.yaml declares: their shape is of the settings model, what the catalogue objects to is found by the loader.
import { expect } from 'chai';
import { problemsOfFault } from '#shared/engine/faults/read-fault-order.ts';
import { readOwnSettings } from '#shared/state/configuration/sandbox-settings.ts';
import { verifies } from '#test/support/verifies.ts';
import { accepted, findingsOf } from '../load-texts.ts';

const at = (line: number, column: number) => `error: settings.yaml:${line}:${column}`;

describe('faults in settings.yaml', () => {
  verifies('FLT-32', 'names an unknown fault and the nearest names', () => {
    expect(findingsOf('faults: [{fault: jwks_wrong}]')).to.deep.equal([
      `${at(1, 11)} Unknown fault "jwks_wrong". Did you mean "jwks_wrong_use"?`,
    ]);
    expect(findingsOf('faults: [{fault: 5}]')).to.deep.equal([
      `${at(1, 11)} faults[0].fault must be the name of a fault in the catalogue`,
    ]);
    expect(findingsOf('faults: [{times: 1}]')).to.deep.equal([`${at(1, 10)} faults[0].fault is missing`]);
  });

  verifies('FLT-32', 'names members, endpoints, conditions and parameters that the fault cannot have', () => {
    const text = [
      'faults:',
      '  - {fault: delay, mood: 1}',
      '  - {fault: delay, parameters: {ms: 0, tempo: 1}}',
      '  - {fault: token_expired, at: jwks}',
      '  - {fault: delay, at: jwks, when: {client_id: web}}',
      '  - {fault: delay, times: -1, mood: 1}',
    ];
    expect(findingsOf(text.join('\n'))).to.deep.equal([
      `${at(2, 20)} Unknown key "mood" for faults[0]. Known: fault, at, when, times, parameters, ttl_seconds, quiet.`,
      `${at(3, 33)} faults[1].parameters.ms Too small: expected number to be >=1`,
      `${at(3, 40)} Unknown key "tempo" for faults[1].parameters. Known: ms, delay_ms.`,
      `${at(4, 28)} faults[2].at token_expired is not possible at jwks. Possible: token.`,
      `${at(5, 30)} faults[3].when no request at these endpoints names a client, so when.client_id never matches`,
      `${at(6, 20)} faults[4].times Too small: expected number to be >=0`,
    ]);
  });

  verifies(['FLT-32', 'CFG-08'], 'reports them beside everything else that is wrong with the file', () => {
    expect(findingsOf('server: {port: x}\nfaults: [{fault: dely, times: -1}]')).to.deep.equal([
      `${at(1, 10)} server.port must be a whole number from 1 to 65535`,
      `${at(2, 11)} Unknown fault "dely". Did you mean "delay"?`,
      `${at(2, 24)} faults[0].times Too small: expected number to be >=0`,
    ]);
  });

  it('reads placeholders in them as anywhere else', () => {
    const text = `faults: [{fault: "\${NAME}", ttl_seconds: "\${SECONDS}"}]`;
    const { faults } = accepted(text, undefined, { environment: { NAME: 'delay', SECONDS: '5' } }).settings;
    expect(faults).to.deep.equal([{ fault: 'delay', ttl_seconds: 5 }]);
  });

  verifies('SBX-34', 'reports the same of the settings of a sandbox', () => {
    const problemOf = (faults: unknown) => {
      const reading = readOwnSettings({ faults }, problemsOfFault);
      return reading.outcome === 'refused' ? reading.message : undefined;
    };
    expect(problemOf([{ fault: 'dely' }])).to.equal('Unknown fault "dely". Did you mean "delay"?');
    expect(problemOf([{ fault: 'delay' }, { fault: 'delay', parameters: { ms: 0 } }])).to.equal(
      'faults[1].parameters.ms Too small: expected number to be >=1',
    );
    expect(problemOf([{ fault: 'delay' }])).to.equal(undefined);
  });
});
