import type { JsonObject } from '../../core/json/json-value.ts';
import { listAt, objectAt } from '../../core/json/members.ts';
import { printAnswer } from '../api/print-answer.ts';
import { saveBundle, saveSigned, type WantedDocument } from '../api/save-bundle.ts';
import { findServer, SERVER_FLAGS } from '../api/server.ts';
import { formatOf } from '../args/format.ts';
import { orbIdOf } from '../args/orb-id.ts';
import { OUTPUT, type Verb } from '../args/verb.ts';
import { usage } from '../io/failure.ts';
import { printable, table, textAt } from '../io/output.ts';

function certificateText(value: JsonObject): string {
  const subject = objectAt(objectAt(value, 'credential'), 'credentialSubject');
  const verification = objectAt(value, 'verification');
  const criteria = listAt(subject, 'criteria_met').filter((one) => typeof one === 'string');
  const evidence = objectAt(subject, 'evidence');
  return table([
    ['certificate', textAt(objectAt(value, 'credential'), 'id')],
    ['status', textAt(value, 'status')],
    ['tier', `${textAt(value, 'tier')}, ${textAt(value, 'tier_status').replaceAll('_', ' ')}`],
    ['score', textAt(subject, 'reputation_score')],
    ['valid', `${textAt(value, 'valid_from')} to ${textAt(value, 'valid_until')}`],
    ['digest', textAt(subject, 'manifest_digest')],
    [
      'evidence',
      `${textAt(evidence, 'log_origin')} of ${textAt(evidence, 'tree_size')} entries, as of ${textAt(evidence, 'as_of')}`,
    ],
    ['criteria', printable(criteria.join(', '))],
    ['server says', `${textAt(verification, 'verdict')} (${textAt(verification, 'code')})`],
  ]);
}

export const certificateGetVerb: Verb = {
  usage: 'ORB_ID',
  count: [1, 1],
  flags: [
    { name: 'bundle', value: 'FILE', text: 'save certificate, proof and keys document here; - is standard output' },
    { name: 'jwt', text: 'print only the signed certificate' },
    ...SERVER_FLAGS,
    OUTPUT,
  ],
  about: 'Only orb verify proves a certificate: it needs the bundle, and no network.',
  examples: [
    '{orb} certificate get acme.mailer@1.2.0',
    '{orb} certificate get acme.mailer@1.2.0 --bundle certificate.json',
  ],
  run: async (args, io) => {
    const path = `reputation/${encodeURIComponent(orbIdOf(args.positionals[0] ?? ''))}/certificate`;
    const bundle = args.one('bundle');
    if (bundle !== undefined && args.has('jwt')) throw usage('--bundle or --jwt, not both');
    if (bundle === undefined && !args.has('jwt'))
      return printAnswer(args, io, { method: 'GET', path, textOf: certificateText });
    const format = formatOf(args, ['text', 'json', 'yaml']);
    const wanted: WantedDocument = { server: await findServer(args, io), path, format, kind: 'certificate' };
    return bundle === undefined ? saveSigned(wanted, '-', io) : saveBundle(wanted, bundle, io);
  },
};
