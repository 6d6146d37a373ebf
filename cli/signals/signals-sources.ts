import type { JsonValue } from '../../core/json/json-value.ts';
import { member, objectAt } from '../../core/json/members.ts';
import { printPage } from '../api/print-page.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { NAMESPACE, pageFlags, pageQuery } from '../args/tenant-flags.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { knownAt, textAt } from '../io/output.ts';
import { keyOfSource } from './source-name.ts';

const HEAD = ['SOURCE', 'TYPE', 'MODE', 'TRUST', 'SECRETS', 'ACCEPTED', 'DEAD', 'LAST EVENT', 'PATH'];

function rowOf(item: JsonValue): readonly string[] {
  const counts = objectAt(item, 'counts');
  return [
    keyOfSource(item),
    ...['type', 'mode', 'trust'].map((name) => textAt(item, name)),
    member(item, 'secrets_readable') === true ? 'readable' : 'missing',
    textAt(counts, 'accepted'),
    textAt(counts, 'dead_letters'),
    knownAt(item, 'last_event_at'),
    textAt(item, 'url_path'),
  ];
}

export const signalsSourcesVerb: Verb = {
  usage: '',
  count: [0, 0],
  flags: [...pageFlags('sources'), NAMESPACE, ...SERVER_FLAGS, OUTPUT_LIST],
  about: `Give the vendor PATH behind the address at which it reaches the platform. With SECRETS missing the source answers 503
until its Secret is there. Sources are made by kubectl, GitOps or files alone.`,
  examples: ['{orb} signals sources', '{orb} signals sources -n acme -o name'],
  run: async (args, io) =>
    printPage(args, io, {
      path: 'signal-sources',
      query: pageQuery(args),
      head: HEAD,
      rowOf,
      nameOf: keyOfSource,
    }),
};
