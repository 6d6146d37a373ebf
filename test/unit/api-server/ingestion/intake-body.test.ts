import { expect } from 'chai';
import { readDelivery } from '../../../../api-server/ingestion/intake-body.ts';
import type { BodyResult, BodyTerms } from '../../../../api-server/http/body.ts';
import type { RouteRequest } from '../../../../api-server/http/route.ts';
import { aSource } from '../../../support/receiving.ts';

/** A request whose body comes out like this. */
function asked(
  result: BodyResult,
  contentType = 'application/json',
): { readonly request: RouteRequest; readonly terms: readonly BodyTerms[] } {
  const terms: BodyTerms[] = [];
  const request: RouteRequest = {
    requestId: 'req_1',
    traceparent: '',
    caller: undefined,
    params: {},
    query: new URLSearchParams(),
    header: (name) => (name === 'content-type' ? contentType : undefined),
    headerPairs: [],
    address: '127.0.0.1',
    body: new Uint8Array(),
    longTurn: () => Promise.resolve(),
    readBody: (given) => {
      terms.push(given);
      return result;
    },
    signal: new AbortController().signal,
  };
  return { request, terms };
}

const bytes: BodyResult = { kind: 'body', bytes: Uint8Array.of(1) };

const FORM = 'application/x-www-form-urlencoded';
/** Whether a source of type custom takes a body of a media type. */
const takes = async (parser: 'json' | 'form', contentType: string): Promise<boolean> => {
  const custom = { ...aSource('statuscake', ['x']), type: 'custom', parser } as const;
  return (await readDelivery(asked(bytes, contentType).request, custom)).ok;
};

describe('readDelivery', () => {
  it('gives a body five seconds, and at most the bytes of its source', async () => {
    const { request, terms } = asked(bytes);
    await readDelivery(request, aSource('alertmanager', ['x'], { limits: { bodyBytes: 1000 } }));
    await readDelivery(request, undefined);
    expect(terms).to.deep.equal([
      { limitBytes: 1000, deadlineMs: 5000 },
      { limitBytes: 262_144, deadlineMs: 5000 },
    ]);
  });

  it('answers a late body with 408, and closes the connection', async () => {
    const read = await readDelivery(asked({ kind: 'late' }).request, aSource('alertmanager', ['x']));
    expect(read).to.deep.include({ ok: false }).and.to.have.nested.property('reply.status', 408);
    expect(read).to.have.nested.property('reply.headers.connection', 'close');
  });

  it('answers a body with 413 whose real bytes are too many', async () => {
    const read = await readDelivery(asked({ kind: 'too-large' }).request, aSource('alertmanager', ['x']));
    expect(read).to.have.nested.property('reply.status', 413);
  });

  it('names the media types that the source takes', async () => {
    const read = await readDelivery(asked(bytes).request, aSource('statuscake', ['x'], { limits: { gzip: true } }));
    expect(read).to.have.nested.property('reply.status', 415);
    expect(JSON.stringify(read)).to.include(
      'application/x-www-form-urlencoded in UTF-8 with Content-Encoding identity or gzip',
    );
  });

  it('takes forms of type custom where its source reads forms, and only there', async () => {
    expect(await takes('form', `${FORM}; charset=utf-8`)).to.equal(true);
    expect(await takes('json', 'application/json')).to.equal(true);
    expect(await takes('json', FORM)).to.equal(false);
    expect(await takes('form', 'application/json')).to.equal(false);
  });
});
