import { expect } from 'chai';
import { npmRun } from '../../support/npm-run.ts';
import { untilTrue } from '../../support/wait-for.ts';

const STARTED_MS = 90_000;

/** Programs of this checkout that run for minutes, and a process that each of them has by then. */
const PROGRAMS: readonly (readonly [words: readonly string[], part: string])[] = [
  [['run', 'soak'], 'standalone/main.ts'],
  [['run', 'docs:dashboard'], 'kube-apiserver'],
  [['run', 'test:integration', '--', 'test/integration/cli/first-day.test.ts'], 'mocha'],
];

describe('what a person starts', function suite() {
  this.timeout(180_000);

  for (const [words, part] of PROGRAMS)
    it(`ends with all of its processes within 12 s after Ctrl-C, and says so: npm ${words.join(' ')}`, async () => {
      const npm = npmRun(words);
      try {
        await untilTrue(
          `${part} runs`,
          async () => (await npm.members()).some((line) => line.includes(part)),
          STARTED_MS,
        );
        npm.signal('SIGINT', 'group');
        expect(await npm.left()).to.deep.equal([]);
        expect(npm.output().match(/Stopping \(SIGINT\)|SIGINT: stopping/g), npm.output()).to.have.lengthOf(1);
      } finally {
        await npm.kill();
      }
    });
});
