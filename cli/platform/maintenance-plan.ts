import type { Args } from '../../adapters/process/arguments.ts';
import type { Flag } from '../../adapters/process/flag.ts';
import { isService, SERVICES } from '../../core/status/service.ts';
import { printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { usage } from '../io/failure.ts';
import { printable, textAt } from '../io/output.ts';

const FLAGS: readonly Flag[] = [
  { name: 'services', value: 'LIST', text: `services, with commas between them: ${SERVICES.join(', ')}` },
  { name: 'from', value: 'TIME', text: 'UTC time at which it begins, for example 2026-12-01T02:00:00Z' },
  { name: 'to', value: 'TIME', text: 'UTC time at which it ends, at most seven days later' },
  { name: 'title', value: 'TEXT', text: 'what is done; everybody sees it' },
];

function given(args: Args, name: string): string {
  const value = args.one(name);
  if (value === undefined) throw usage(`--${name} is missing`);
  return value;
}

function timeOf(args: Args, name: string): string {
  const text = given(args, name);
  const ms = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?Z$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) throw usage(`--${name} ${printable(text)}: give a UTC time like 2026-12-01T02:00:00Z`);
  return new Date(ms).toISOString();
}

function servicesOf(args: Args): readonly string[] {
  const services = given(args, 'services').split(',');
  if (services.every(isService)) return services;
  throw usage(`--services takes some of ${SERVICES.join(',')}, with commas between them`);
}

export const maintenancePlanVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [...FLAGS, ...SERVER_FLAGS, OUTPUT],
  about:
    'For the platform: needs the scope admin in the platform namespace. An outage within the window does not count when it is announced 24 hours ahead; one that is announced later counts.',
  examples: [
    "{orb} maintenance plan --services runtime --from 2026-12-01T02:00:00Z --to 2026-12-01T03:00:00Z --title 'New disks'",
  ],
  run: async (args, io) => {
    const body = {
      services: servicesOf(args),
      from: timeOf(args, 'from'),
      to: timeOf(args, 'to'),
      title: given(args, 'title'),
    };
    return printAnswer(args, io, {
      method: 'POST',
      path: 'status/maintenance',
      body,
      textOf: (value) =>
        `${textAt(value, 'id')} is announced, from ${textAt(value, 'from')} to ${textAt(value, 'to')}\n`,
    });
  },
};
