import type { JsonObject, JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import { shellWord } from '../../core/shell/shell-word.ts';
import { jsonText, printable, table, textAt, textsAt } from '../io/output.ts';

export const ORB_HEAD = ['ORB', 'READY', 'INPUTS', 'OUTPUTS', 'DESCRIPTION'];

const MAX_DESCRIPTION = 60;
const shortened = (text: string): string =>
  text.length > MAX_DESCRIPTION ? `${text.slice(0, MAX_DESCRIPTION - 1)}…` : text;

const names = (item: JsonValue, of: 'inputs' | 'outputs'): string =>
  Object.keys(objectAt(item, of)).map(printable).join(',') || '-';

const isReady = (item: JsonValue): boolean => member(item, 'ready') === true;

/** Why it is not ready, with the secrets that are missing. */
const reasonText = (item: JsonValue, missing: string): string =>
  `${textAt(item, 'reason')}${missing === '' ? '' : ` ${missing}`}`;

const stateText = (item: JsonValue, missing = ''): string =>
  isReady(item) ? 'ready' : `not ready: ${reasonText(item, missing)}`;

/** An Orb of the list, under `ORB_HEAD`. */
export const orbRow = (item: JsonValue): readonly string[] => [
  textAt(item, 'orb_id'),
  isReady(item) ? 'yes' : `no: ${reasonText(item, textsAt(item, 'missing_secrets'))}`,
  names(item, 'inputs'),
  names(item, 'outputs'),
  shortened(textAt(item, 'description')),
];

function definitionRows(item: JsonValue, of: 'inputs' | 'outputs'): readonly (readonly string[])[] {
  const definitions = objectAt(item, of);
  return Object.keys(definitions).map((name) => {
    const definition = member(definitions, name);
    const given = member(definition, 'default');
    const about = [
      member(definition, 'required') === true ? 'required' : '',
      given === undefined ? '' : `default ${jsonText(given, 0)}`,
      textAt(definition, 'from'),
    ];
    return [`  ${printable(name)}`, textAt(definition, 'type'), about.filter((text) => text !== '').join(', ')];
  });
}

const section = (title: string, rows: readonly (readonly string[])[]): string =>
  rows.length === 0 ? `${title}: none\n` : `${title}\n${table(rows)}`;

/** The line that stores a missing secret, for an Orbiset `{namespace}.{name}`. */
function secretLine(secret: JsonValue, orbiset: string, program: string): string {
  const [entry, host] = [textAt(secret, 'entry'), textAt(secret, 'host')];
  const to = host === '' ? '--host HOST' : `--host ${host}`;
  return `    ${program} secrets set ${entry} ${to}${placeFlags(orbiset)}\n`;
}

function orbisetText(view: JsonValue, program: string): string {
  const name = textAt(view, 'orbiset');
  return `  ${name}  ${stateText(view)}\n${listAt(view, 'missing_secrets')
    .map((secret) => secretLine(secret, name, program))
    .join('')}`;
}

const VALUES: Readonly<Record<string, string>> = {
  number: ':=1.5',
  integer: ':=1',
  boolean: ':=true',
  object: ':={}',
  array: ':=[]',
};

// `=` and `:` mean nothing to a shell inside a word.
const PLAIN = /^[\w.:=-]+$/;
const quoted = (word: string): string => (PLAIN.test(word) ? word : shellWord(word));

/** Flags that name an Orbiset `{namespace}.{name}`, where they are needed. */
function placeFlags(orbiset: string): string {
  const [namespace = '', name = ''] = orbiset.split('.');
  const set = name === '' || name === 'default' ? '' : ` --orbiset ${name}`;
  return `${set}${namespace === '' || namespace === 'default' ? '' : ` -n ${namespace}`}`;
}

/** A line that runs the Orb with its required inputs, in the first Orbiset that is ready. */
function runLine(item: JsonValue, program: string): string {
  const inputs = objectAt(item, 'inputs');
  const required = Object.keys(inputs).filter((name) => member(member(inputs, name), 'required') === true);
  const words = required.map((name) => `${name}${VALUES[textAt(member(inputs, name), 'type')] ?? '=TEXT'}`);
  const orbisets = listAt(item, 'orbisets');
  const place = placeFlags(textAt(orbisets.find(isReady) ?? orbisets[0], 'orbiset'));
  return [program, 'run', textAt(item, 'orb_id'), ...words.map((word) => quoted(printable(word)))].join(' ') + place;
}

/** An Orb with all that is to be known before a run. */
export function orbText(item: JsonObject, program: string): string {
  const fault = textAt(item, 'fault');
  return [
    `${textAt(item, 'orb_id')}  ${stateText(item, textsAt(item, 'missing_secrets'))}\n`,
    textAt(item, 'description') === '' ? '' : `${textAt(item, 'description')}\n`,
    fault === '' || fault === 'null' ? '' : `not valid: ${fault}\n`,
    section('inputs', definitionRows(item, 'inputs')),
    section('outputs', definitionRows(item, 'outputs')),
    `providers: ${textsAt(item, 'providers') || 'none'}\n`,
    listAt(item, 'orbisets').length === 0 ? 'orbisets: none\n' : 'orbisets\n',
    ...listAt(item, 'orbisets').map((view) => orbisetText(view, program)),
    `run it: ${runLine(item, program)}\n`,
  ].join('');
}
