import { expect } from 'chai';
import { problem } from '../../../../api-server/http/problem.ts';
import { problems } from '../../../../api-server/http/problems.ts';
import { isJsonObject, type JsonObject } from '../../../../core/json/json-value.ts';

const request = { requestId: 'req_01' };
const parse = (body: string | Uint8Array): unknown => JSON.parse(String(body));
function bodyOf({ body }: ReturnType<typeof problem>): JsonObject {
  const value = parse(String(body));
  return isJsonObject(value) ? value : {};
}

describe('problem', () => {
  it('has the members of RFC 9457, the code, the next step and the request id', () => {
    const reply = problem(request, 'orb-not-found');
    expect([reply.status, reply.headers['content-type']]).to.deep.equal([404, 'application/problem+json']);
    expect(parse(reply.body)).to.deep.equal({
      type: 'https://orbs.dev/problems/orb-not-found',
      title: 'No such Orb',
      status: 404,
      code: 'orb-not-found',
      next: 'Check name and version of orb_id. GET /orbs lists what the tenant can run, as orb list does.',
      request_id: 'req_01',
    });
  });

  it('says in every 401 how to authenticate', () => {
    expect(problem(request, 'unauthenticated').headers).to.include({ 'www-authenticate': 'Bearer' });
    const headers = { 'www-authenticate': 'Bearer error="invalid_token"' };
    expect(problem(request, 'unauthenticated', { headers }).headers).to.include(headers);
    expect(problem(request, 'forbidden').headers).to.not.have.property('www-authenticate');
  });

  it('cuts the names of members that it repeats, and shows only what can be printed', () => {
    const long = 'x'.repeat(1000);
    const hostile = '\u001b[2J\u202e\u0000\ud800\u2028ok';
    const errors = [
      { pointer: `/${long}/${hostile}`, code: 'unknown-member', detail: `${hostile}${'y'.repeat(5000)}` },
    ];
    const { detail, errors: shown } = bodyOf(problem(request, 'unknown-member', { detail: hostile, errors }));
    expect(detail).to.equal('\ufffd[2J\ufffd\ufffd\ufffd\ufffdok');
    expect(shown).to.deep.equal([
      {
        pointer: `/${'x'.repeat(64)}…/\ufffd[2J\ufffd\ufffd\ufffd\ufffdok`,
        code: 'unknown-member',
        detail: `\ufffd[2J\ufffd\ufffd\ufffd\ufffdok${'y'.repeat(2048 - hostile.length)}…`,
      },
    ]);
  });

  it('tells at most 100 errors, so that an answer is never larger than its question', () => {
    const errors = Array.from({ length: 5000 }, (_, index) => ({ pointer: `/${index}`, code: 'c', detail: 'd' }));
    expect(bodyOf(problem(request, 'unknown-member', { errors }))['errors']).to.deep.equal(errors.slice(0, 100));
  });

  it('leaves letters of every script as they are', () => {
    const errors = [{ pointer: '/žluť/日本/🐎', code: 'unknown-member', detail: 'ž 日本 🐎 “x” – y' }];
    expect(bodyOf(problem(request, 'unknown-member', { errors }))['errors']).to.deep.equal(errors);
  });

  it('carries detail, errors, extensions and headers', () => {
    const errors = [{ pointer: '/inputs/to', code: 'input-missing', detail: 'Give it.' }];
    const reply = problem(request, 'invalid-inputs', {
      detail: 'One is missing.',
      next: 'Give it.',
      errors,
      extensions: { maybe_executed: true },
      headers: { vary: 'Accept' },
    });
    expect(parse(reply.body)).to.deep.include({
      detail: 'One is missing.',
      next: 'Give it.',
      errors,
      maybe_executed: true,
    });
    expect(reply.headers['vary']).to.equal('Accept');
  });

  it('says when to come back where that is worth it', () => {
    expect(problem(request, 'overloaded').headers['retry-after']).to.equal('1');
    expect(problem(request, 'orb-not-found').headers).to.not.have.property('retry-after');
  });

  it('advises to send a run again only when no provider may have executed it', () => {
    const unsure = ['provider-failed', 'provider-rate-limited', 'provider-timeout'] as const;
    const missing = unsure.filter(
      (code) => !/unless maybe_executed is true.*another Idempotency-Key/i.test(problems[code].next),
    );
    expect(missing).to.deep.equal([]);
  });

  it('has for each code a status of its class, a title and a next step that end like sentences', () => {
    for (const [code, { status, title, next }] of Object.entries(problems)) {
      expect(code).to.match(/^[a-z]+(-[a-z]+)*$/);
      expect(status).to.be.within(400, 504);
      expect(title, code).to.match(/^[A-Z].*[^.]$/);
      expect(next, code).to.match(/^[A-Z]/);
    }
  });
});
