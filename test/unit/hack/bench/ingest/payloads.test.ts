import { expect } from 'chai';
import {
  eventAt,
  EVENTS_OF_PAYLOAD,
  isSevere,
  payloadAt,
  problemsOf,
} from '../../../../../hack/bench/ingest/payloads.ts';
import { timeOf } from '../../../../../core/ingestion/mapping/normalise.ts';
import { semanticKey } from '../../../../../core/ingestion/incidents/semantic-key.ts';
import { mapPayload } from '../../../../../core/ingestion/mapping/map-payload.ts';
import { readPayload } from '../../../../../core/ingestion/mapping/read-payload.ts';
import { VENDORS } from '../../../../../core/ingestion/vendors/vendors.ts';
import { sha256Hex } from '../../../../../adapters/keys/primitives.ts';
import { compiledMapping } from '../../../../support/compiled-mapping.ts';

const EVENTS = { count: 800, until: 1_795_168_800_000 };

describe('the events of the benchmark of ingestion', () => {
  const mapped = Array.from({ length: EVENTS.count / EVENTS_OF_PAYLOAD }, (_, number) => {
    const body = payloadAt(number, EVENTS);
    const read = readPayload(body, 'json');
    if (!read.ok) throw new Error(read.deadLetter.reason);
    const input = { payload: read.payload, headers: {}, bodyDigest: sha256Hex(body), digest: sha256Hex, most: 500 };
    const result = mapPayload(compiledMapping(VENDORS.grafana.mapping), input);
    if (!result.ok) throw new Error(result.deadLetter.reason);
    return result.events;
  }).flat();

  it('are mapped to what they say', () => {
    expect(mapped.length).to.equal(EVENTS.count);
    for (const [number, { status, severity, fingerprint, startsAt, endsAt }] of mapped.entries()) {
      const said = eventAt(number, EVENTS);
      expect([status, severity, fingerprint, startsAt]).to.deep.equal([
        said.status,
        said.severity,
        said.fingerprint,
        said.startsAt,
      ]);
      expect(endsAt).to.equal(said.status === 'resolved' ? said.endsAt : timeOf('0001-01-01T00:00:00Z'));
    }
  });

  it('are no repeats of each other, and a tenth of the problems is severe', () => {
    const keys = mapped.map((event) => semanticKey('default/grafana', event, sha256Hex));
    expect(new Set(keys).size).to.equal(EVENTS.count);
    const problems = Array.from({ length: problemsOf(EVENTS) }, (_, problem) => problem);
    expect(problems.filter(isSevere).length).to.equal(problemsOf(EVENTS) / 10);
  });
});
