import { milliseconds } from '../../core/failover/duration.ts';
import { DATA, type Verb } from '../args/verb.ts';
import { usage } from '../io/failure.ts';
import { printable } from '../io/output.ts';
import { behave } from './example-control.ts';

const ABOUT =
  'For example.lookup@1.0.0 of npm start, whose providers alpha and beta run beside it: docs/failover.md goes through it.';

function slowMs(text: string): number {
  if (/^[1-9][0-9]{0,5}(?:ms|s)$/.test(text)) return milliseconds(text);
  throw usage(`${printable(text)}: a time, such as 600ms or 2s`);
}

function failStatus(text: string): number {
  if (/^[45][0-9]{2}$/.test(text)) return Number(text);
  throw usage(`${printable(text)}: a status from 400 to 599`);
}

export const exampleSlowVerb: Verb = {
  name: 'example slow',
  summary: 'Makes a provider of the failover example slower.',
  usage: 'PROVIDER TIME',
  count: [2, 2],
  flags: [DATA],
  about: ABOUT,
  examples: ['{orb} example slow alpha 600ms'],
  run: async (args, io) => {
    const ms = slowMs(args.positionals[1] ?? '');
    return behave(args, { slow_ms: ms }, `takes ${ms} ms longer from now on`, io);
  },
};

export const exampleFailVerb: Verb = {
  name: 'example fail',
  summary: 'Makes a provider of the failover example answer with an error.',
  usage: 'PROVIDER STATUS',
  count: [2, 2],
  flags: [DATA],
  about: ABOUT,
  examples: ['{orb} example fail alpha 503'],
  run: async (args, io) => {
    const status = failStatus(args.positionals[1] ?? '');
    return behave(args, { fail_status: status }, `answers with ${status} from now on`, io);
  },
};

export const exampleHealVerb: Verb = {
  name: 'example heal',
  summary: 'Makes a provider of the failover example work as before.',
  usage: 'PROVIDER',
  count: [1, 1],
  flags: [DATA],
  about: ABOUT,
  examples: ['{orb} example heal alpha'],
  run: async (args, io) => behave(args, {}, 'works again', io),
};
