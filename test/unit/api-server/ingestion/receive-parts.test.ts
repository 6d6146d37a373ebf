import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import fc from 'fast-check';
import { gunzipBounded } from '../../../../adapters/gzip/gunzip-bounded.ts';
import { watchVolume } from '../../../../adapters/process/volume-use.ts';
import { mayCallFrom } from '../../../../api-server/ingestion/client-cidrs.ts';
import { deliveryKeyOf } from '../../../../api-server/ingestion/delivery-key.ts';
import { isIntakeClosed, type IntakePressure } from '../../../../api-server/ingestion/intake-load.ts';
import { keptHeaders } from '../../../../api-server/ingestion/kept-headers.ts';
import { DeliveryBell } from '../../../../api-server/ingestion/queue.ts';
import type { SignalSource } from '../../../../api-server/ingestion/source.ts';
import { GITHUB, ORB_TOKEN, STANDARD_WEBHOOKS } from '../../../../core/ingestion/vendors/schemes.ts';
import { encodeUtf8 } from '../../../../core/json/bytes.ts';
import { aSource } from '../../../support/receiving.ts';

const deliveryOf = (body: string, receivedAt = 0) => ({ body: encodeUtf8(body), receivedAt });

describe('deliveryKeyOf', () => {
  const grafana = aSource('grafana', ['x']);
  const pagerduty = aSource('pagerduty', ['x']);
  const keyOf = (source = grafana, body = '{}', id?: string): string =>
    deliveryKeyOf(source, id, deliveryOf(body)).text;

  it('is a signed id', () => {
    expect(deliveryKeyOf(grafana, 'msg_1', deliveryOf('{}'))).to.deep.equal({ text: 'id:msg_1', by: 'id' });
  });

  it('is the id inside a verified body of PagerDuty', () => {
    expect(keyOf(pagerduty, '{"event":{"id":"01DDVU5"}}')).to.equal('id:01DDVU5');
  });

  for (const body of ['no JSON', '{"event":{"id":7}}', '{"event":{"id":""}}', '{"event":null}', '[]'])
    it(`is the hash of a body of PagerDuty without one: ${body}`, () => {
      expect(deliveryKeyOf(pagerduty, undefined, deliveryOf(body)).by).to.equal('hash');
    });

  it('has the minute of a body that names no time, so that a second outage is no repeat of the first', () => {
    const MINUTE = 60_000;
    for (const [type, isOther] of [
      ['statuscake', true],
      ['grafana', false],
      ['mixpanel', false],
    ] as const) {
      const source = aSource(type, ['x']);
      const [first, same, later] = [0, MINUTE - 1, MINUTE].map(
        (at) => deliveryKeyOf(source, undefined, deliveryOf('{}', at)).text,
      );
      expect([same === first, later === first], type).to.deep.equal([true, !isOther]);
    }
  });

  it('is a hash over source and body, so that two sources with one body are apart', () => {
    const other = aSource('grafana', ['x'], { sourceId: 'src_other' });
    expect(keyOf()).to.match(/^sha256:[0-9a-f]{64}$/);
    expect(new Set([keyOf(), keyOf(other), keyOf(grafana, '{ }')]).size).to.equal(3);
  });

  it('is short for any id, and another one for each', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 600, unit: 'binary' }), fc.string({ maxLength: 600 }), (one, two) => {
        fc.pre(one !== '' && two !== '' && one !== two);
        const [first, second] = [keyOf(grafana, '{}', one), keyOf(grafana, '{}', two)];
        expect(Buffer.byteLength(first)).to.be.at.most(1024);
        expect(first).to.not.equal(second);
      }),
    );
  });
});

describe('keptHeaders', () => {
  it('keeps what a mapping may read, by names in lower case', () => {
    const pairs = [
      ['Sentry-Hook-Resource', 'event_alert'],
      ['X-A', '1'],
      ['x-a', '2'],
      ['X-Long', 'y'.repeat(5000)],
    ] as const;
    expect(JSON.parse(keptHeaders(pairs, GITHUB))).to.deep.equal({
      'sentry-hook-resource': 'event_alert',
      'x-a': '1, 2',
      'x-long': 'y'.repeat(1024),
    });
  });

  it('keeps no credential, no signature and no address of a client', () => {
    const names = [
      'Authorization',
      'Proxy-Authorization',
      'Cookie',
      'X-Orb-Token',
      'X-Hub-Signature-256',
      'webhook-signature',
      'X-Gitlab-Token',
      'X-API-Key',
      'X-ApiKey',
      'Client-Secret',
      'X-Password',
      'Referer',
      'X-Forwarded-For',
      'Forwarded',
    ];
    const pairs = names.map((name) => [name, 'canary'] as const);
    for (const scheme of [GITHUB, ORB_TOKEN, STANDARD_WEBHOOKS]) expect(keptHeaders(pairs, scheme)).to.equal('{}');
  });

  it('does not keep the header of its scheme, whatever its name is', () => {
    expect(keptHeaders([['X-Proof', 'canary']], { kind: 'header', header: 'x-proof' })).to.equal('{}');
    expect(keptHeaders([['X-Proof', 'canary']], { ...GITHUB, signatureHeader: 'X-PROOF' })).to.equal('{}');
  });

  it('keeps at most 64', () => {
    const pairs = Array.from({ length: 200 }, (_, at) => [`x-${at}`, ''] as const);
    expect(keptHeaders(pairs, GITHUB).match(/"x-/g)).to.have.length(64);
  });
});

describe('isIntakeClosed', () => {
  const idle = { queuedRows: 0, oldestMs: 0 };
  const rows: readonly (readonly [why: string, pressure: Partial<IntakePressure>, closed: boolean])[] = [
    ['an idle process', {}, false],
    ['half of the rows at which runs are shed', { ledger: () => ({ ...idle, queuedRows: 2048 }) }, true],
    ['one row fewer', { ledger: () => ({ ...idle, queuedRows: 2047 }) }, false],
    ['a row that waits for 250 ms', { ledger: () => ({ ...idle, oldestMs: 250 }) }, true],
    ['a loop that is 50 ms late', { loopDelayMs: () => 50 }, true],
    ['a loop that is 49 ms late', { loopDelayMs: () => 49 }, false],
    ['a volume of which 90 % is used', { volumeUsed: () => 0.9 }, true],
    ['a volume of which 89 % is used', { volumeUsed: () => 0.89 }, false],
  ];
  for (const [why, some, closed] of rows)
    it(`is ${closed} for ${why}`, () => {
      const pressure = { ledger: () => idle, loopDelayMs: () => 0, volumeUsed: () => 0, ...some };
      expect(isIntakeClosed(pressure)).to.equal(closed);
    });
});

const source = (...allowCidrs: readonly string[]): SignalSource => aSource('grafana', ['x'], { allowCidrs });

describe('mayCallFrom', () => {
  it('lets every address through without blocks', () => {
    expect(mayCallFrom(source(), '203.0.113.7')).to.equal(true);
    expect(mayCallFrom(source(), '')).to.equal(true);
  });

  it('lets addresses of any block through, and an unknown one through none', () => {
    const limited = source('203.0.113.0/24', '2001:db8::/32');
    for (const [address, may] of [
      ['203.0.113.7', true],
      ['::ffff:203.0.113.7', true],
      ['2001:db8::7', true],
      ['203.0.114.7', false],
      ['', false],
    ] as const)
      expect(mayCallFrom(limited, address), address).to.equal(may);
  });
});

describe('DeliveryBell', () => {
  it('tells its listener of every delivery, and nobody before there is one', () => {
    const bell = new DeliveryBell();
    let rung = 0;
    bell.wake();
    bell.listen(() => (rung += 1));
    bell.wake();
    bell.wake();
    expect(rung).to.equal(2);
  });
});

describe('gunzipBounded', () => {
  it('gives the bytes up to the bound', async () => {
    expect(await gunzipBounded(gzipSync('abc'), 3)).to.deep.equal({ kind: 'bytes', bytes: Buffer.from('abc') });
    expect(await gunzipBounded(gzipSync('abcd'), 3)).to.deep.equal({ kind: 'too-large' });
  });

  it('says that bytes are no gzip, or only its beginning', async () => {
    expect(await gunzipBounded(Buffer.from('abc'), 3)).to.deep.equal({ kind: 'malformed' });
    expect(await gunzipBounded(gzipSync('abc').subarray(0, 12), 3)).to.deep.equal({ kind: 'malformed' });
  });
});

describe('watchVolume', () => {
  it('tells the share that is used, and nothing of a folder that is gone', async () => {
    const warned: string[] = [];
    const logger = { warn: (message: string) => void warned.push(message) };
    const folder = mkdtempSync(join(tmpdir(), 'orb-volume-'));
    const volume = await watchVolume(folder, logger);
    expect(volume.used()).to.be.above(0).and.at.most(1);
    volume.close();
    rmSync(folder, { recursive: true });
    const gone = await watchVolume(folder, logger);
    expect([gone.used(), warned.length]).to.deep.equal([0, 1]);
    gone.close();
  });
});
