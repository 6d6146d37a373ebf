import { extname, join } from 'node:path';
import type { Args } from '../args/parse-args.ts';
import { DATA, type Flag, type Verb } from '../args/verb.ts';

const FLAGS: readonly Flag[] = [
  { name: 'listen', value: 'HOST:PORT', text: 'API address, loopback only (127.0.0.1:8080; port 0 takes a free one)' },
  { name: 'metrics-listen', value: 'HOST:PORT', text: 'Prometheus metrics (127.0.0.1:9464)' },
  { name: 'resources', value: 'DIR', text: 'manifests, Orbs, Orbisets and Secrets (the bundled manifests)' },
  DATA,
  {
    name: 'log-head',
    value: 'FILE',
    text: 'newest checkpoint of the log, outside of --data (.orb.log-head beside it)',
  },
  { name: 'issuer', value: 'URL', text: 'https origin in receipts; fixed with the ledger (https://orbs.localhost)' },
  { name: 'ready-file', value: 'FILE', text: 'gets url, key and an example once requests are answered' },
  { name: 'egress-allow', value: 'ORIGIN', repeats: true, text: 'lets Orbs call this origin' },
  {
    name: 'egress-stub',
    value: 'ORIGIN=ADDRESS:PORT',
    repeats: true,
    text: "sends one origin's traffic to a local stub",
  },
  { name: 'egress-ca', value: 'FILE', repeats: true, text: 'one more CA (PEM), for these two only' },
  { name: 'log-level', value: 'LEVEL', text: 'debug, info, warn or error (info)' },
];

const wordsOf = (args: Args): readonly string[] =>
  FLAGS.flatMap(({ name }) => args.all(name).map((value) => `--${name}=${value}`));

/** The same file as `npm start` runs: beside this one, compiled or not. */
const standalone = join(import.meta.dirname, '../../standalone', `main${extname(import.meta.filename)}`);

export const devVerb: Verb = {
  name: 'dev',
  summary: 'Runs the API here, without a cluster: what npm start does.',
  usage: '',
  count: [0, 0],
  flags: FLAGS,
  about: 'Prints an API key and the lines that execute an example. Ends with Ctrl-C.',
  examples: ['{orb} dev --resources ./orbs --egress-allow http://127.0.0.1:9000'],
  run: async (args, io) => io.runNode(standalone, wordsOf(args)),
};
