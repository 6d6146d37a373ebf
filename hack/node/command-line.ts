import { parseArgs } from 'node:util';

/** What `hack/e2e.ts` was asked for. */
export type Wish =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string }
  | { readonly kind: 'up' }
  | { readonly kind: 'down'; readonly keep: boolean }
  /** Without an archive: the one of `npm run image`. */
  | { readonly kind: 'load'; readonly archive: string | undefined }
  | { readonly kind: 'run'; readonly keepUp: boolean; readonly mocha: readonly string[] };

export const HELP = `One real Kubernetes node on this machine, for tests against running pods. Needs Linux and root.

  npm run e2e:up                     brings it up; prints what to use it with
  npm run e2e:load [-- ARCHIVE.tar]  loads an image into it, without a name the one that npm run image made
                                     (pods: imagePullPolicy IfNotPresent, no tag latest)
  npm run e2e [-- FILE…]             runs test/e2e, or some of its files, in the cluster's network
  npm run e2e:down                   ends it; nothing is left behind
  npm run e2e:down -- --keep         ends its processes as a power cut would; the next e2e:up goes on with its
                                     etcd, keys, volumes and images

  --keep-up       (e2e) leave a cluster up that the run brought up
  --grep TEXT     (e2e) only tests whose names match

E2E_NAME=word is another cluster beside it (default: e2e). Programs, images and state lie in ~/.cache/orb-control-plane.
`;

const ALL = 'test/e2e/**/*.test.ts';
const flags = {
  keep: { type: 'boolean', default: false },
  'keep-up': { type: 'boolean', default: false },
  grep: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;
/** Flags of each verb: one that is passed over may be what a cluster was meant to survive by. */
const TAKES: Readonly<Record<Exclude<Wish['kind'], 'help' | 'wrong'>, readonly string[]>> = {
  up: [],
  down: ['keep'],
  load: [],
  run: ['keep-up', 'grep'],
};
const VERBS = Object.keys(TAKES).join(', ');

type Values = ReturnType<typeof read>['values'];

const wrong = (message: string): Wish => ({ kind: 'wrong', message });

const none = (wish: Wish, verb: string, [first]: readonly string[]): Wish =>
  first === undefined ? wish : wrong(`${verb} takes no ${first}`);

const loadOf = ([archive, ...more]: readonly string[]): Wish =>
  more.length > 0 ? wrong('load takes one archive') : { kind: 'load', archive };

function runOf(files: readonly string[], { grep, 'keep-up': keepUp }: Values): Wish {
  const only = grep === undefined ? [] : ['--grep', grep];
  return { kind: 'run', keepUp, mocha: [...(files.length === 0 ? [ALL] : files), ...only] };
}

const read = (argv: readonly string[]) =>
  parseArgs({ args: [...argv], options: flags, allowPositionals: true, tokens: true });

function wishOf(verb: string, rest: readonly string[], values: Values): Wish {
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
      return wrong(verb === '' ? `name one of ${VERBS}` : `there is no ${verb}: ${VERBS}`);
  }
}

function parse(argv: readonly string[]): Wish {
  const { values, positionals, tokens } = read(argv);
  const [verb = '', ...rest] = positionals;
  if (values.help) return { kind: 'help' };
  const taken = new Map(Object.entries(TAKES)).get(verb);
  const foreign = tokens.find((token) => token.kind === 'option' && taken?.includes(token.name) === false);
  return foreign?.kind === 'option' ? wrong(`${verb} takes no ${foreign.rawName}`) : wishOf(verb, rest, values);
}

/** @param argv what follows the program's name */
export function parseWish(argv: readonly string[]): Wish {
  try {
    return parse(argv);
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}
