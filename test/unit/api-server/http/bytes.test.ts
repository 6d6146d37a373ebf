import { expect } from 'chai';
import type { BodyTerms } from '../../../../api-server/http/body.ts';
import { json } from '../../../../api-server/http/reply.ts';
import type { Route } from '../../../../api-server/http/route.ts';
import { parseCidr } from '../../../../core/network/cidr.ts';
import { startApp, type TestApp } from '../../../support/api-app.ts';
import { aRoute, anything } from '../../../support/test-routes.ts';

const HEADER = 'x-limit';
const operation = (operationId: string): Route['operation'] => ({
  operationId,
  summary: 'What came in',
  tags: [],
  responses: anything,
  problems: [],
});

/** Answers with the bytes that it read on its own terms. */
const reading =
  (terms: BodyTerms): Route['handle'] =>
  async (request) => {
    if (request.header(HEADER) === '0') return json({ read: 'nothing' });
    const body = await request.readBody(terms);
    return json({
      read: body.kind,
      hex: body.kind === 'body' ? Buffer.from(body.bytes).toString('hex') : '',
      before: request.body.length,
      address: request.address,
      pairs: request.headerPairs.filter(([name]) => name.toLowerCase() === 'x-twice'),
    });
  };

const bytes = aRoute(
  {
    method: 'post',
    path: '/bytes',
    scope: 'source',
    accepts: 'bytes',
    handle: reading({ limitBytes: 8 }),
    operation: operation('readBytes'),
  },
  'readBytes',
);
const put: Route = { ...bytes, method: 'put', operation: operation('putBytes') };
const head = aRoute({
  method: 'head',
  path: '/bytes',
  scope: 'public',
  handle: () => Promise.resolve({ status: 204, headers: {}, body: '' }),
  operation: { ...operation('headBytes'), responses: { '204': { description: 'There is something.' } } },
});
const get = aRoute({ path: '/bytes', scope: 'public' }, 'getBytes');
const late: Route = {
  ...bytes,
  path: '/late',
  handle: reading({ limitBytes: 8, deadlineMs: 1 }),
  operation: operation('lateBytes'),
};
const wide: Route = {
  ...bytes,
  path: '/wide',
  handle: reading({ limitBytes: 1_000_000 }),
  operation: operation('wideBytes'),
};

describe('a route that takes bytes', () => {
  let app: TestApp;
  before(async () => {
    app = await startApp([get, bytes, put, head, late, wide], { limits: { bodyBytes: 100 } });
  });
  after(() => app.close());

  const send = async (path: string, body: Uint8Array<ArrayBuffer>, headers = {}): Promise<unknown> =>
    (await app.call('POST', path, { key: null, headers, body })).value;

  it('gets bytes of any media type, without a key', async () => {
    const headers = { 'content-type': 'text/x-anything; charset=latin1', 'content-encoding': 'br' };
    const given = Uint8Array.of(0, 255, 10, 13);
    expect(await send('/bytes', given, headers)).to.include({ read: 'body', hex: '00ff0a0d', before: 0 });
  });

  it('gets them by PUT too', async () => {
    const answer = await app.call('PUT', '/bytes', { key: null, body: Uint8Array.of(7) });
    expect(answer.value).to.include({ hex: '07' });
  });

  it('may answer without reading', async () => {
    expect(await send('/bytes', new Uint8Array(50), { [HEADER]: '0' })).to.deep.equal({ read: 'nothing' });
  });

  it('lowers the limit of the server', async () => {
    expect(await send('/bytes', new Uint8Array(8))).to.include({ read: 'body' });
    expect(await send('/bytes', new Uint8Array(9))).to.include({ read: 'too-large' });
  });

  it('does not raise the limit of the server', async () => {
    expect(await send('/wide', new Uint8Array(100))).to.include({ read: 'body' });
    expect(await send('/wide', new Uint8Array(101))).to.include({ read: 'too-large' });
  });

  it('counts the bytes of a body that states no length', async () => {
    const chunk = '5\r\nabcde\r\n';
    const start = 'POST /bytes HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
    expect(await app.raw(`${start}${chunk}0\r\n\r\n`)).to.include('"read":"body"');
    expect(await app.raw(`${start}${chunk}${chunk}0\r\n\r\n`)).to.include('"read":"too-large"');
  });

  it('learns that a body is late', async () => {
    const text = await app.raw('POST /late HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 5\r\n\r\nab');
    expect(text).to.include('"read":"late"');
  });

  it('lets a caller go on that waits for 100 Continue', async () => {
    const start =
      'POST /bytes HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: 100-continue\r\nContent-Length: 2\r\n';
    expect(await app.raw(`${start}\r\n`, 'ab')).to.match(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 [^]*6162/);
    expect(await app.raw(`${start}X-Limit: 0\r\n\r\n`)).to.match(/^HTTP\/1\.1 200 /);
  });

  it('sees every header as it came, repeated ones too', async () => {
    const text = await app.raw(
      'POST /bytes HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Twice: a\r\nx-TWICE: b\r\n\r\n',
    );
    expect(text).to.include('"pairs":[["X-Twice","a"],["x-TWICE","b"]]');
  });

  it('has its own answer to HEAD, and lists it once', async () => {
    expect((await app.call('HEAD', '/bytes', { key: null })).status).to.equal(204);
    expect((await app.call('DELETE', '/bytes', { key: null })).headers.get('allow')).to.equal('GET, HEAD, POST, PUT');
  });

  it('is in the document with the sender that it verifies itself, and not as public', () => {
    expect(app.openapi)
      .to.have.nested.property('paths./bytes.post.security')
      .deep.equal([{ signalSource: [] }]);
    expect(app.openapi).to.have.nested.property('paths./bytes.get.security').deep.equal([]);
  });
});

describe('the address of a client', () => {
  const trustedProxies = ['127.0.0.0/8'].flatMap((text) => parseCidr(text) ?? []);
  const forwarded = { 'x-forwarded-for': '203.0.113.7' };

  it('is that of the socket', async () => {
    const app = await startApp([bytes]);
    expect((await app.call('POST', '/bytes', { headers: forwarded })).value).to.include({ address: '127.0.0.1' });
    await app.close();
  });

  it('is what a trusted proxy says, for keys too', async () => {
    const asked: string[] = [];
    const authenticate = (_header: string | undefined, address: string): { readonly kind: 'unauthenticated' } => {
      asked.push(address);
      return { kind: 'unauthenticated' };
    };
    const app = await startApp([bytes, aRoute({})], { trustedProxies, authenticate });
    expect((await app.call('POST', '/bytes', { headers: forwarded })).value).to.include({ address: '203.0.113.7' });
    await app.call('GET', '/things', { headers: forwarded });
    expect(asked).to.deep.equal(['203.0.113.7']);
    await app.close();
  });
});
