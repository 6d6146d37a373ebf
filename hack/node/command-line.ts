import { parseArgs } from 'node:util';

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
      readonly mocha: readonly string[];
      /** Arguments of a second mocha that runs beside the first one; empty: there is none. */
      readonly beside: readonly string[];
    };

export const HELP = `One real Kubernetes node on this machine, for tests against running pods. Needs Linux and root.

  npm run e2e up                     brings it up; prints what to use it with
  npm run e2e load [ARCHIVE.tar]     loads an image into it, without a name the one that npm run image made
                                     (pods: imagePullPolicy IfNotPresent, no tag latest)
  npm run e2e [run] [FILE…]          runs test/e2e, or some of its files, in the cluster's network
  npm run e2e down                   ends it; nothing is left behind
  npm run e2e down -- --keep         ends its processes as a power cut would; the next "e2e up" continues with its
                                     etcd, keys, volumes and images

  --keep-up       (run) leave a cluster up that the run brought up
  --grep TEXT     (run) only tests whose names match

E2E_NAME=word is another cluster beside it (default: e2e). Programs, images and state lie in ~/.cache/orb-control-plane.
`;

/**
 * These tests need the same release with its example, and don't change it. Run one after the other, they install it
 * once; otherwise each could follow a test that removes it.
 */
const WITH_EXAMPLE = ['admission', 'example', 'in-cluster-caller', 'kubectl-orb', 'network-policy'];
export const ALL = [...WITH_EXAMPLE.map((name) => `test/e2e/${name}.test.ts`), 'test/e2e/**/*.test.ts'];
/** It needs no cluster and takes a minute and a half: it runs beside the first tests, which measure no times. */
export const BESIDE = ['test/e2e/image-build.test.ts'];
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
    return { kind: 'run', keepUp, mocha: [...(files.length === 0 ? ALL : files), ...only], beside: [] };
  }
  return { kind: 'run', keepUp, mocha: [...ALL, ...BESIDE.flatMap((file) => ['--ignore', file])], beside: BESIDE };
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
