import { nearestName } from '../core/manifest/nearest.ts';

/** Programs of the image, by the first argument; each reads the rest of the command line itself. */
const PROGRAMS = {
  operator: { text: 'reconciles the resources of a cluster', load: () => import('../operator/main.ts') },
  api: { text: 'answers the Orb API', load: () => import('../api-server/main.ts') },
  'status-prober': {
    text: 'measures what works, for GET /status',
    load: () => import('../api-server/status-prober/main.ts'),
  },
  orb: { text: 'the command line', load: () => import('../cli/main.ts') },
  'example-provider': { text: 'the provider of the example Orb', load: () => import('../standalone/example/main.ts') },
} as const;

/** The choice that the arguments of the container make. */
type Choice =
  | {
      readonly kind: 'run';
      readonly name: string;
      readonly load: () => Promise<unknown>;
      readonly rest: readonly string[];
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

const isProgram = (name: string): name is keyof typeof PROGRAMS => Object.hasOwn(PROGRAMS, name);

const lines = Object.entries(PROGRAMS).map(([name, { text }]) => `  ${name.padEnd(18)}${text}\n`);

export const HELP = `The first argument names the program, the rest is its own (--help lists it):

${lines.join('')}
Example: orb verify receipt.json
`;

function unknownProgram(name: string): string {
  const meant = nearestName(name, Object.keys(PROGRAMS));
  return `there is no program ${JSON.stringify(name)}${meant === undefined ? '' : `: did you mean ${meant}?`}`;
}

/** @param argv arguments after the entry point */
export function chooseProgram(argv: readonly string[]): Choice {
  const [first, ...rest] = argv;
  if (first === undefined) return { kind: 'wrong', message: 'no program is named' };
  if (first === '--help' || first === '-h' || first === 'help') return { kind: 'help' };
  if (!isProgram(first)) return { kind: 'wrong', message: unknownProgram(first) };
  return { kind: 'run', name: first, load: PROGRAMS[first].load, rest };
}
