import { parseArgs } from 'node:util';
import { ALL, allBut, IMAGE_BUILD, SECOND } from './test-groups.ts';

/** The request on the command line of `hack/e2e.ts`. */
export type NodeCommand =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string }
  | { readonly kind: 'up' }
  | { readonly kind: 'down'; readonly keep: boolean }
  /** Without an archive: the archive of `npm run image`. */
  | { readonly kind: 'load'; readonly archive: string | undefined }
  | {
      readonly kind: 'run';
      readonly keepUp: boolean;
      /** Arguments of the mocha of the cluster. */
      readonly mocha: readonly string[];
      /** Files of a second mocha that runs beside it on the same cluster; empty: there is none. */
      readonly beside: readonly string[];
      /** Files that a second cluster runs beside the first; empty: there is none. */
      readonly second: readonly string[];
    };

export const HELP = `One real Kubernetes node on this machine, for tests against running pods. Needs Linux and root.

  npm run e2e up                     brings it up; prints what to use it with
  npm run e2e load [ARCHIVE.tar]     loads an image into it, without a name the one that npm run image made
                                     (pods: imagePullPolicy IfNotPresent, no tag latest)
  npm run e2e                        runs test/e2e, divided between two clusters beside each other
  npm run e2e [run] FILE…            runs some of its files in the cluster's network
  npm run e2e down                   ends it; nothing is left behind
  npm run e2e down -- --keep         ends its processes as a power cut would; the next "e2e up" continues with its
                                     etcd, keys, volumes and images

  --keep-up       (run) leave a cluster up that the run brought up; all files run on this one
  --grep TEXT     (run) only tests whose names match; all files run on one cluster

E2E_NAME=word is another cluster beside it (default: e2e); the second one of a run is called wordbeside (e2ebeside).
Programs, images and state lie in ~/.cache/orb-control-plane.
`;

const flags = {
  keep: { type: 'boolean', default: false },
  'keep-up': { type: 'boolean', default: false },
  grep: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;
/** Flags of each verb. Other flags are refused: ignoring a flag could remove a cluster that the user wants to keep. */
const TAKES: Readonly<Record<Exclude<NodeCommand['kind'], 'help' | 'wrong'>, readonly string[]>> = {
  up: [],
  down: ['keep'],
  load: [],
  run: ['keep-up', 'grep'],
};
const VERBS = Object.keys(TAKES).join(', ');

type Values = ReturnType<typeof read>['values'];

const wrong = (message: string): NodeCommand => ({ kind: 'wrong', message });

const none = (command: NodeCommand, verb: string, [first]: readonly string[]): NodeCommand =>
  first === undefined ? command : wrong(`${verb} takes no ${first}`);

const loadOf = ([archive, ...more]: readonly string[]): NodeCommand =>
  more.length > 0 ? wrong('load takes one archive') : { kind: 'load', archive };

function runOf(files: readonly string[], { grep, 'keep-up': keepUp }: Values): NodeCommand {
  const only = grep === undefined ? [] : ['--grep', grep];
  if (files.length > 0 || grep !== undefined) {
    return { kind: 'run', keepUp, mocha: [...(files.length === 0 ? ALL : files), ...only], beside: [], second: [] };
  }
  // Who wants to look at the cluster afterwards looks at one.
  const second = keepUp ? [] : SECOND;
  return { kind: 'run', keepUp, mocha: allBut([...IMAGE_BUILD, ...second]), beside: IMAGE_BUILD, second };
}

const read = (argv: readonly string[]) =>
  parseArgs({ args: [...argv], options: flags, allowPositionals: true, tokens: true });

function commandOf(verb: string, rest: readonly string[], values: Values): NodeCommand {
  switch (verb) {
    case 'up':
      return none({ kind: 'up' }, verb, rest);
    case 'down':
      return none({ kind: 'down', keep: values.keep }, verb, rest);
    case 'load':
      return loadOf(rest);
    case 'run':
      return runOf(rest, values);
    default:
      return wrong(`there is no ${verb}: ${VERBS}`);
  }
}

/** Without a verb the tests run: the arguments are then empty, or paths of test files. */
const hasVerb = ([first]: readonly string[]): boolean => first !== undefined && !/[./]/.test(first);

function parse(argv: readonly string[]): NodeCommand {
  const { values, positionals, tokens } = read(argv);
  const [verb = '', ...rest] = hasVerb(positionals) ? positionals : ['run', ...positionals];
  if (values.help) return { kind: 'help' };
  const taken = new Map(Object.entries(TAKES)).get(verb);
  const foreign = tokens.find((token) => token.kind === 'option' && taken?.includes(token.name) === false);
  return foreign?.kind === 'option' ? wrong(`${verb} takes no ${foreign.rawName}`) : commandOf(verb, rest, values);
}

/** @param argv what follows the program's name */
export function parseNodeCommand(argv: readonly string[]): NodeCommand {
  try {
    return parse(argv);
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}
