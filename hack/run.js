// `node hack/run.js VERB [NAME] [ARGUMENTS]`: starts a program of this checkout with Node 24, and installs first what is missing.
// Runs on Node >= 20, before anything is installed: plain JavaScript, no package imported.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Programs by verb; one verb with several programs takes the name of one. */
const VERBS = {
  bench: {
    cluster: 'hack/bench/cluster.ts',
    execute: 'hack/bench/execute.ts',
    failover: 'hack/bench/failover.ts',
    ingest: 'hack/bench/ingest.ts',
    ledger: 'hack/bench/ledger.ts',
    operator: 'hack/bench/operator.ts',
    policy: 'hack/bench/policy.ts',
    replay: 'hack/bench/replay.ts',
    reputation: 'hack/bench/reputation.ts',
    start: 'hack/bench/start.ts',
    status: 'hack/bench/status.ts',
    tenants: 'hack/bench/tenants.ts',
    verify: 'hack/bench/verify.ts',
  },
  chaos: {
    ingestion: 'test/chaos/ingestion.ts',
    kill: 'test/chaos/kill.ts',
    operator: 'test/chaos/run.ts',
    policies: 'test/chaos/policies.ts',
    publish: 'test/chaos/publish.ts',
    steps: 'test/chaos/steps.ts',
    swaps: 'test/chaos/swaps.ts',
  },
  conformance: 'test/conformance/run.ts',
  e2e: 'hack/e2e.ts',
  'docs:dashboard': 'hack/dashboard.ts',
  fuzz: 'test/fuzz/run.ts',
  'failover-run': 'test/failover-run/run.ts',
  generate: 'hack/generate.ts',
  image: 'hack/image.ts',
  'lint:charts': 'hack/lint-charts.ts',
  mutate: 'hack/mutate.ts',
  orb: 'cli/orb.js',
  simulate: 'test/simulation/run.ts',
  soak: 'test/soak/run.ts',
  'test:api': 'test/api/run.ts',
  'test:security': 'test/security/run.ts',
  vectors: 'hack/vectors.ts',
};
const USAGE = 64;

function fail(message) {
  console.error(message);
  process.exit(USAGE);
}

/** @returns the program's file, and its arguments */
function programOf([verb = '', ...rest]) {
  const found = Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined;
  if (found === undefined) fail(`There is no verb "${verb}": ${Object.keys(VERBS).join(', ')}`);
  if (typeof found === 'string') return [found, ...rest];
  const [name = '', ...args] = rest;
  const names = Object.keys(found).join(', ');
  if (!Object.hasOwn(found, name)) fail(`${name === '' ? `${verb} takes a name` : `There is no ${verb} "${name}"`}: ${names}`);
  return [found[name], ...args];
}

/** Exit codes of a program that a signal ends, as shells give them. */
const ENDINGS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/** Says once, in one line, that what was started ends. A program without a handler of its own ends at once, as without this. */
function sayStopping(verb) {
  let isSaid = false;
  for (const [signal, code] of Object.entries(ENDINGS))
    process.on(signal, () => {
      if (!isSaid) console.error(`Stopping (${signal}): what ${verb} has started ends first.`);
      isSaid = true;
      if (process.listenerCount(signal) === 1) process.exit(code);
    });
}

/** What the first comment of a program says: its use. */
function useOf(path) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const end = lines.findIndex((line) => !line.startsWith('// '));
  return lines.slice(0, end).map((line) => line.slice('// '.length)).join('\n');
}

/** Starts a program, which reads its options as it is imported. One without a `--help` of its own shows its use. */
async function importProgram(path, args) {
  try {
    await import(pathToFileURL(path).href);
  } catch (error) {
    if (!String(error?.code).startsWith('ERR_PARSE_ARGS_')) throw error;
    const use = useOf(path);
    if (!args.includes('--help')) fail(`${error.message}\n${use}`.trim());
    console.log(use);
  }
}

const root = resolve(import.meta.dirname, '..');
const [verb = ''] = process.argv.slice(2);
const [file, ...args] = programOf(process.argv.slice(2));
const path = resolve(root, file);
await import('./ensure-deps.js');
if (Number.parseInt(process.versions.node) >= 24) {
  process.argv = [process.execPath, path, ...args];
  // The command line says itself what a signal did.
  if (verb !== 'orb') sayStopping(verb);
  await importProgram(path, args);
} else {
  // The Node that was installed just now: npm put it on the path, but the shell had looked before.
  const child = spawn(resolve(root, 'node_modules/.bin/node'), [path, ...args], { stdio: 'inherit' });
  // Ctrl-C in a terminal reaches both; other signals reach this process alone.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.once('error', (error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
}
