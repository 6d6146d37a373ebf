import { expect } from 'chai';
import { versionStepFault } from '../../../../core/release/version-step.ts';

const ROWS: readonly (readonly [known: string, own: string, first: string | undefined])[] = [
  ['0.1.0', '0.1.0', undefined],
  ['0.1.0', '0.1.7', undefined],
  ['0.1.9', '0.2.0', undefined],
  ['0.2.0', '0.1.9', undefined],
  ['0.1.0', '0.2.0-rc.1', undefined],
  ['0.1.0', '0.3.0', '0.2'],
  ['0.3.0', '0.1.0', '0.2'],
  ['1.4.0', '2.0.0', undefined],
  ['2.0.3', '1.4.0', undefined],
  ['1.4.0', '2.1.0', '2.0'],
  ['2.1.0', '1.4.0', '2.0'],
  ['2.0.0', '0.9.0', 'the last 1.x'],
  ['1.4.0', '3.0.0', '2.0'],
  ['', '0.3.0', undefined],
  ['0.1.0', 'main', undefined],
];

describe('versionStepFault', () => {
  for (const [known, own, first] of ROWS) {
    it(`${first === undefined ? 'lets' : 'refuses'} ${own} after ${known === '' ? 'nothing' : known}`, () => {
      const refused = versionStepFault(known, own);
      if (first === undefined) expect(refused).to.equal(undefined);
      else expect(refused).to.contain(`version ${known} works here, and ${own} is not the next one`);
      if (first !== undefined) expect(refused).to.contain(`Go to ${first} first`);
    });
  }
});
