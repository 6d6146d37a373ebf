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

const wrong = (message: string): Wish => ({ kind: 'wrong', message });

const none = (wish: Wish, verb: string, [first]: readonly string[]): Wish =>
  first === undefined ? wish : wrong(`${verb} takes no ${first}`);

const loadOf = ([archive, ...more]: readonly string[]): Wish =>
  more.length > 0 ? wrong('load takes one archive') : { kind: 'load', archive };

function parse(argv: readonly string[]): Wish {
  const { values, positionals } = parseArgs({ args: [...argv], options: flags, allowPositionals: true });
  const [verb = '', ...rest] = positionals;
  if (values.help) return { kind: 'help' };
  switch (verb) {
    case 'up':
      return none({ kind: 'up' }, verb, rest);
    case 'down':
      return none({ kind: 'down', keep: values.keep }, verb, rest);
    case 'load':
      return loadOf(rest);
    case 'run': {
      const grep = values.grep === undefined ? [] : ['--grep', values.grep];
      return { kind: 'run', keepUp: values['keep-up'], mocha: [...(rest.length === 0 ? [ALL] : rest), ...grep] };
    }
    default:
      return wrong(verb === '' ? 'name one of up, down, load, run' : `there is no ${verb}: up, down, load, run`);
  }
}

/** @param argv what follows the program's name */
export function parseWish(argv: readonly string[]): Wish {
  try {
    return parse(argv);
  } catch (error) {
    return wrong(error instanceof Error ? error.message : String(error));
  }
}
