// `npm run test:api [-- --cases 20 --seed N --only REGEX]`: schemathesis sends to every route that /openapi.json of a
// running platform lists. An answer that the document does not describe, and every 5xx, fails. A request that is shed is
// sent again after its Retry-After, because a busy machine sheds; one that is shed each time fails. An operation whose valid
// bodies are never accepted fails too: then only answers to refusals were seen.
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { endOnSignal, endWithUs, withFolder } from '../../hack/bench/clean-end.ts';
import { startStandalone } from '../support/standalone.ts';
import { answersTable, neverAccepted, readAnswers } from './answers.ts';
import { ACCEPTED, validBodies } from './bodies.ts';
import { ensureSchemathesis, runSchemathesis, whyNoPython } from './schemathesis.ts';
import { configurationOf, everyScope, play, writeStage } from './stage.ts';

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '20' },
    only: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const [cases, seed] = [Number(values.cases), Number(values.seed)] as const;
if (![cases, seed].every(Number.isSafeInteger) || cases < 1) throw new Error('--cases and --seed are whole numbers');
const say = (line: string): void => void process.stderr.write(`${line}\n`);

async function fuzz(program: string, folder: string): Promise<number | null> {
  const resources = join(folder, 'resources');
  mkdirSync(resources);
  writeStage(resources);
  const platform = await startStandalone({
    data: folder,
    resources: {},
    flags: ['--status-interval', '10s'],
    onSpawn: (child) => void endWithUs(child, true),
  });
  try {
    const apiKeys = await everyScope(platform.data);
    const place = (name: string): string => join(folder, name);
    const files = {
      configuration: place('schemathesis.toml'),
      bodies: place('bodies.json'),
      answers: place('answers.json'),
      keys: place('keys.json'),
    };
    const valid = validBodies();
    writeFileSync(files.configuration, configurationOf(await play(platform, apiKeys[0] ?? ''), cases));
    writeFileSync(files.bodies, JSON.stringify(valid));
    writeFileSync(files.keys, JSON.stringify(apiKeys));
    const options = { origin: platform.ready.url, folder, ...files, seed, only: values.only };
    const code = await runSchemathesis(program, options);
    const counted = readAnswers(files.answers);
    say(answersTable(counted));
    const refused = values.only === undefined ? neverAccepted(counted, ACCEPTED) : [];
    if (refused.length > 0) say(`Never accepted: ${refused.join(', ')}`);
    return refused.length > 0 ? 1 : code;
  } finally {
    await platform.stop();
  }
}

endOnSignal();
const missing = await whyNoPython();
if (missing === undefined) {
  const program = await ensureSchemathesis(say);
  process.exitCode = (await withFolder(join(tmpdir(), 'orb-api-fuzz-'), (folder) => fuzz(program, folder))) ?? 1;
} else {
  say(`${missing}: npm run test:api is skipped.`);
}
