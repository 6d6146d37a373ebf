import { expect } from 'chai';
import { sha256Hex } from '../../../../../adapters/keys/primitives.ts';
import { compileMatch, matchEntity, type MatchRule } from '../../../../../core/ingestion/incidents/match-entity.ts';
import { semanticKey } from '../../../../../core/ingestion/incidents/semantic-key.ts';
import type { EventDraft } from '../../../../../core/ingestion/mapping/signal.ts';

const SIGNAL: EventDraft = {
  kind: 'alert',
  status: 'firing',
  severity: 'high',
  title: 't',
  description: '',
  fingerprint: 'f',
  startsAt: 5,
  endsAt: null,
  occurredAt: null,
  labels: {},
  names: [],
  link: null,
  runbook: null,
  dashboard: null,
  metric: null,
};
const RULES: readonly MatchRule[] = [
  { when: "labels.service == 'mailer'", target: { kind: 'orb', orb: 'acme.mailer@*' } },
  { when: "labels.host == 'api.sendgrid.com'", target: { kind: 'provider', host: 'api.sendgrid.com' } },
];

const entity = (form: Partial<EventDraft>, running: readonly string[] = []) => {
  const compiled = compileMatch(RULES);
  return matchEntity({ ...SIGNAL, ...form }, compiled.ok ? compiled.rules : [], running);
};
const orb = (id: string) => ({ kind: 'orb', orb: id });
const missed = (reason: string, pointer: string) => ({ kind: 'unmatched', reason, pointer });

describe('what a signal is about', () => {
  const mailer = { labels: { service: 'mailer', host: 'api.sendgrid.com' } };
  const ROWS: readonly [why: string, found: object, expected: object][] = [
    [
      'the first rule, with the version that runs',
      entity(mailer, ['acme.mailer@1.2.0', 'acme.mail@1.0.0']),
      orb('acme.mailer@1.2.0'),
    ],
    ['no version that runs', entity(mailer), missed('no_entity', '/spec/match/0')],
    [
      'two versions that run',
      entity(mailer, ['acme.mailer@1.2.0', 'acme.mailer@1.3.0']),
      missed('ambiguous_entity', '/spec/match/0'),
    ],
    ['a host', entity({ labels: { host: 'api.sendgrid.com' } }), { kind: 'provider', host: 'api.sendgrid.com' }],
    ['the label orb_id', entity({ labels: { orb_id: 'acme.a@1.0.0' }, names: ['acme.b@1.0.0'] }), orb('acme.a@1.0.0')],
    ['a name', entity({ names: ['prod', 'acme.b@1.0.0', 'acme.b@1.0.0'] }), orb('acme.b@1.0.0')],
    ['two names', entity({ names: ['acme.b@1.0.0', 'acme.a@1.0.0'] }), missed('ambiguous_entity', '/spec/match')],
    ['a label that is no id', entity({ labels: { orb_id: 'mailer' } }), missed('no_entity', '/spec/match')],
  ];
  for (const [why, found, expected] of ROWS) it(`answers ${why}`, () => expect(found).to.deep.equal(expected));

  it('names the rule that does not compile', () => {
    const compiled = compileMatch([...RULES, { when: 'labels.', target: { kind: 'provider', host: 'h' } }]);
    expect(compiled.ok ? [] : compiled.findings.map(({ pointer }) => pointer)).to.deep.equal(['/spec/match/2/when']);
  });
});

const key = (form: Partial<EventDraft>, source = 'acme/g') => semanticKey(source, { ...SIGNAL, ...form }, sha256Hex);

describe('the key of a signal', () => {
  it('stays while texts and labels change', () => {
    expect(key({ title: 'x', description: 'y', severity: 'low', labels: { a: 'b' }, occurredAt: 9 })).to.equal(key({}));
  });

  it('changes with source, fingerprint, status and times', () => {
    const keys = [
      key({}),
      key({}, 'acme/h'),
      key({ fingerprint: 'g' }),
      key({ status: 'resolved' }),
      key({ startsAt: 6 }),
      key({ endsAt: 6 }),
    ];
    expect(new Set(keys).size).to.equal(keys.length);
  });
});
