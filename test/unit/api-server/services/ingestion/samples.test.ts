import { expect } from 'chai';
import { SourceIndex } from '../../../../../api-server/ingestion/source-index.ts';
import type { SourceType } from '../../../../../core/ingestion/source/scheme-of.ts';
import { BEARER, MD5_TOKEN, ORB_TOKEN, URL_TOKEN } from '../../../../../core/ingestion/vendors/schemes.ts';
import { aSource, openReceiving, SOURCE_ID, type Receiving } from '../../../../support/receiving.ts';
import {
  asBase64,
  hasTimestamp,
  NEGATIVES,
  otherSecret,
  withSignature,
} from '../../../core/ingestion/verification/negatives.ts';
import { sample, SIGNED, type Case } from '../../../core/ingestion/verification/signed-cases.ts';

const TYPES: Readonly<Record<string, SourceType>> = {
  'Svix libraries': 'standardWebhooks',
  'Svix documentation': 'standardWebhooks',
  Grafana: 'grafana',
  'Grafana with a timestamp': 'grafana',
  PagerDuty: 'pagerduty',
  Sentry: 'sentry',
  Segment: 'segment',
  'Standard Webhooks': 'standardWebhooks',
};

/** The vendors without an own type, by their published cases. */
const typeOf = (name: string): SourceType => TYPES[name] ?? 'custom';

const TOKEN = 'B7sx0q6GvBCDEFa1234567';

interface Unsigned extends Case {
  readonly type: SourceType;
  /** Requests of somebody who does not know the secret. */
  readonly wrong: readonly Partial<Case>[];
}

const wrongHeader = (name: string): readonly Partial<Case>[] => [
  { headers: [] },
  { headers: [[name, '']] },
  { headers: [[name, 'Bearer x']] },
];

const UNSIGNED: readonly Unsigned[] = [
  {
    type: 'alertmanager',
    scheme: BEARER,
    secrets: ['am-token-0001'],
    headers: [['Authorization', 'Bearer am-token-0001']],
    ...sample('alertmanager'),
    wrong: wrongHeader('Authorization'),
  },
  {
    type: 'datadog',
    scheme: ORB_TOKEN,
    secrets: ['dd-token-0001'],
    headers: [['X-Orb-Token', 'dd-token-0001']],
    ...sample('datadog'),
    wrong: wrongHeader('X-Orb-Token'),
  },
  {
    type: 'newrelic',
    scheme: BEARER,
    secrets: ['nr-token-0001'],
    headers: [['Authorization', 'Bearer nr-token-0001']],
    ...sample('newrelic'),
    wrong: wrongHeader('Authorization'),
  },
  {
    type: 'statuscake',
    scheme: MD5_TOKEN,
    secrets: ['acmestatuscake-api-key-0001'],
    headers: [],
    ...sample('statuscake'),
    wrong: [{ body: 'Token=b71cecc9d15ee1b84154f7aa9950397b&Status=Up' }, { body: 'Status=Up' }, { body: 'Token=%zz' }],
  },
  {
    type: 'pingdom',
    scheme: URL_TOKEN,
    secrets: [TOKEN],
    headers: [],
    pathToken: TOKEN,
    ...sample('pingdom'),
    wrong: [{ pathToken: `${TOKEN}x` }, { pathToken: TOKEN.toLowerCase() }, { pathToken: 'short' }],
  },
];

interface Sent {
  readonly status: number;
  readonly value: Record<string, unknown>;
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

describe('deliveries of vendors over HTTP', () => {
  let receiving: Receiving;
  const sources = new SourceIndex();
  before(async () => {
    receiving = await openReceiving(sources);
  });
  after(() => receiving.close());
  // Each test has sources of its own: a delivery is known by its source.
  let number = 0;

  /** Sends by a socket: a header may stand twice. */
  async function send(type: SourceType, delivery: Case, sourceId: string): Promise<Sent> {
    receiving.setTime(delivery.now);
    const body = Buffer.from(delivery.body);
    const path = `/ingest/${sourceId}${delivery.pathToken === undefined ? '' : `/${delivery.pathToken}`}`;
    const media = type === 'statuscake' ? 'application/x-www-form-urlencoded' : 'application/json';
    const lines = [
      `POST ${path} HTTP/1.1`,
      'Host: x',
      'Connection: close',
      `Content-Type: ${media}`,
      `Content-Length: ${body.length}`,
      ...delivery.headers.map(([name, value]) => `${name}: ${value}`),
    ];
    const text = await receiving.app.raw(`${lines.join('\r\n')}\r\n\r\n`, delivery.body);
    const value: unknown = JSON.parse(text.slice(text.indexOf('\r\n\r\n')));
    return { status: Number(text.slice(9, 12)), value: isRecord(value) ? value : {} };
  }

  function add(type: SourceType, { scheme, secrets }: Case): string {
    number += 1;
    const sourceId = `${SOURCE_ID.slice(0, -4)}${String(number).padStart(4, '0')}`;
    sources.put(aSource(type, secrets, { scheme, sourceId, name: `source-${number}` }));
    return sourceId;
  }

  const rows = async (): Promise<readonly string[]> => {
    const waiting = await receiving.fixture.ledger.acceptedDeliveries({ limit: 200 });
    return waiting
      .filter(({ source }) => source === `acme/source-${number}`)
      .map(({ raw }) => Buffer.from(raw ?? []).toString());
  };

  async function checkAccepted(type: SourceType, delivery: Case): Promise<void> {
    const sourceId = add(type, delivery);
    const first = await send(type, delivery, sourceId);
    expect([first.status, first.value['duplicate']]).to.deep.equal([202, false]);
    const again = await send(type, delivery, sourceId);
    expect([again.status, again.value]).to.deep.equal([200, { ...first.value, duplicate: true }]);
    expect(await rows()).to.deep.equal([delivery.body]);
  }

  async function checkRefused(type: SourceType, delivery: Case, sourceId = add(type, delivery)): Promise<void> {
    const { status, value } = await send(type, delivery, sourceId);
    const { request_id: _id, ...body } = value;
    expect(status).to.equal(401);
    expect(body).to.deep.equal({
      type: 'https://orbs.dev/problems/unauthenticated',
      title: 'No valid credentials',
      status: 401,
      code: 'unauthenticated',
      detail: 'Signature, secret, token, time or address of this delivery is not what the signal source accepts.',
      next: 'Compare the secret and the scheme at the vendor with the OrbSignalSource, and the clock of the sender with UTC.',
    });
    expect(await rows()).to.deep.equal([]);
  }

  for (const [name, delivery] of SIGNED) {
    const type = typeOf(name);
    it(`takes ${name} once, byte for byte`, () => checkAccepted(type, delivery));

    it(`refuses ${name} in every wrong form, with one answer`, async () => {
      for (const [, change] of NEGATIVES) await checkRefused(type, change(delivery));
      if (delivery.scheme.kind === 'hmac') await checkRefused(type, withSignature(delivery, asBase64));
    });

    it(`takes ${name} by its second secret with a newline, and counts it`, async () => {
      const before = await receiving.metric('orb_ingest_old_secret_total');
      await checkAccepted(type, { ...delivery, secrets: [otherSecret(delivery), `${delivery.secrets[0]}\n`] });
      expect(await receiving.metric('orb_ingest_old_secret_total')).to.equal(before + 2);
    });
  }

  for (const [name, delivery] of SIGNED.filter(([, found]) => hasTimestamp(found)))
    it(`refuses ${name} that is 301 s old or 301 s ahead, and takes one that is 300 s off`, async () => {
      for (const seconds of [301, -301])
        await checkRefused(typeOf(name), { ...delivery, now: delivery.now + seconds * 1000 });
      for (const seconds of [300, -300])
        await checkAccepted(typeOf(name), { ...delivery, now: delivery.now + seconds * 1000 });
    });

  for (const delivery of UNSIGNED)
    it(`takes ${delivery.type} by its secret, and refuses all other values with the same answer`, async () => {
      await checkAccepted(delivery.type, delivery);
      await checkAccepted(delivery.type, { ...delivery, secrets: ['another', ...delivery.secrets] });
      for (const wrong of delivery.wrong) await checkRefused(delivery.type, { ...delivery, ...wrong });
      await checkRefused(delivery.type, { ...delivery, secrets: ['another'] });
    });

  it('knows a delivery by the id that its vendor signed, whatever unsigned headers say', async () => {
    const [, pagerduty] = SIGNED.find(([name]) => name === 'PagerDuty') ?? [];
    if (pagerduty === undefined) throw new Error('no sample');
    const sourceId = add('pagerduty', pagerduty);
    const withId = (id: string): Case => ({ ...pagerduty, headers: [...pagerduty.headers, ['X-Webhook-Id', id]] });
    const first = await send('pagerduty', withId('one'), sourceId);
    const second = await send('pagerduty', withId('two'), sourceId);
    expect([first.status, second.status]).to.deep.equal([202, 200]);
    const [row] = (await receiving.fixture.ledger.acceptedDeliveries({ limit: 200 })).filter(
      ({ source }) => source === `acme/source-${number}`,
    );
    expect(row?.deliveryKey).to.equal('id:01DDVU5SCMDQ4AXA5CGB5JNXS7');
    expect(JSON.parse(row?.headers ?? '')).to.have.property('x-webhook-id', 'one');
    expect(row?.headers).to.not.match(/signature/i);
  });

  it('keeps a delivery of another source apart', async () => {
    const [delivery] = UNSIGNED;
    if (delivery === undefined) throw new Error('no sample');
    expect((await send('alertmanager', delivery, add('alertmanager', delivery))).status).to.equal(202);
    expect((await send('alertmanager', delivery, add('alertmanager', delivery))).status).to.equal(202);
  });
});
