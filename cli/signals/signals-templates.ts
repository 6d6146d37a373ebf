import type { Args } from '../../adapters/process/arguments.ts';
import { CUSTOM_BLOCKS, VENDORS } from '../../core/ingestion/vendors/vendors.ts';
import { isSampleName } from '../../core/ingestion/vendors/samples.ts';
import type { VendorTemplate } from '../../core/ingestion/vendors/template.ts';
import type { JsonObject } from '../../core/json/json-value.ts';
import { isJsonObject } from '../../core/json/json-value.ts';
import { member } from '../../core/json/members.ts';
import { printAnswer } from '../api/print-answer.ts';
import { SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { OUTPUT_LIST, type Verb } from '../args/verb.ts';
import { EXIT, type Exit } from '../io/failure.ts';
import type { Io } from '../io/io.ts';
import { dataText, table, textAt } from '../io/output.ts';

const HEAD = ['VENDOR', 'TYPE', 'VERIFIED BY', 'TEMPLATE', 'SAMPLE'];

interface Listed {
  readonly vendor: string;
  readonly type: string;
  readonly scheme: string;
  readonly template: boolean;
  readonly sample: boolean;
}

const listed = (vendor: string, { scheme, payload }: VendorTemplate, isCustom: boolean): Listed => ({
  vendor,
  type: isCustom ? 'custom' : vendor,
  scheme: scheme.kind,
  template: isCustom || payload !== undefined,
  sample: isSampleName(vendor),
});

const LIST: readonly Listed[] = [
  ...Object.entries(VENDORS).map(([vendor, template]) => listed(vendor, template, false)),
  ...Object.entries(CUSTOM_BLOCKS).map(([vendor, template]) => listed(vendor, template, true)),
];

const yesOrNo = (is: boolean): string => (is ? 'yes' : '');

/** Vendors that this program knows, without a call of the API. */
async function list(args: Args, io: Io): Promise<Exit> {
  const format = formatOf(args, ['text', 'json', 'yaml', 'name']);
  const rows = LIST.map((one) => [one.vendor, one.type, one.scheme, yesOrNo(one.template), yesOrNo(one.sample)]);
  if (format === 'name') io.out(LIST.map(({ vendor }) => `${vendor}\n`).join(''));
  else if (format === 'json' || format === 'yaml')
    io.out(await dataText({ items: LIST.map((one) => ({ ...one })) }, format));
  else io.out(table([HEAD, ...rows]));
  return EXIT.ok;
}

/** What to paste, and nothing else: at the vendor, or into a source. */
async function pastedText(template: JsonObject): Promise<string> {
  const payload = member(template, 'payload');
  if (typeof payload === 'string') return `${payload}\n`;
  const [auth, mapping] = [member(template, 'auth'), member(template, 'mapping')];
  if (isJsonObject(auth) && isJsonObject(mapping)) return dataText({ spec: { type: 'custom', auth, mapping } }, 'yaml');
  return `${textAt(template, 'vendor')} sends a form of its own: there is nothing to paste\n`;
}

export const signalsTemplatesVerb: Verb = {
  usage: '[VENDOR]',
  count: [0, 1],
  flags: [...SERVER_FLAGS, OUTPUT_LIST],
  about: `Without VENDOR it lists what the platform knows. With VENDOR it prints what to paste: the payload for the form of the
vendor, or spec.auth and spec.mapping of a source of type custom; add auth.secretRefs to them.`,
  examples: ['{orb} signals templates', '{orb} signals templates datadog', '{orb} signals templates stripe'],
  run: async (args, io) => {
    const [vendor] = args.positionals;
    if (vendor === undefined) return list(args, io);
    const path = `signal-templates/${encodeURIComponent(vendor)}`;
    return printAnswer(args, io, { method: 'GET', path, textOf: pastedText });
  },
};
