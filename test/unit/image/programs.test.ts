import { expect } from 'chai';
import { chooseProgram, HELP } from '../../../image/programs.ts';

describe('chooseProgram', () => {
  for (const name of ['operator', 'api', 'orb', 'example-provider', 'status-prober']) {
    it(`gives ${name} everything behind its name, and help reports it`, () => {
      const choice = chooseProgram([name, '--help', 'operator']);
      expect(choice).to.have.property('kind', 'run');
      expect(choice).to.have.property('name', name);
      expect(choice).to.have.deep.property('rest', ['--help', 'operator']);
      expect(HELP).to.match(new RegExp(`^  ${name} +\\S`, 'm'));
    });
  }

  for (const word of ['--help', '-h', 'help']) {
    it(`takes ${word} as a question`, () => expect(chooseProgram([word])).to.deep.equal({ kind: 'help' }));
  }

  const wrong: readonly (readonly [string, readonly string[], string])[] = [
    ['no program', [], 'no program is named'],
    ['an unknown program', ['sh', '-c', 'id'], 'there is no program "sh"'],
    ['a program with a typing error', ['operater'], 'there is no program "operater": did you mean operator?'],
    ['a name that every object has', ['constructor'], 'there is no program "constructor"'],
    ['a flag of a program before its name', ['--listen', 'operator'], 'there is no program "--listen"'],
  ];
  for (const [why, argv, message] of wrong) {
    it(`refuses ${why}`, () => expect(chooseProgram(argv)).to.deep.equal({ kind: 'wrong', message }));
  }
});
