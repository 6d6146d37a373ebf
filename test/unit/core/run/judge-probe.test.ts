import { expect } from 'chai';
import { compileProbe } from '../../../../core/orb/compile-probe.ts';
import type { CompiledOutput, CompiledProbe } from '../../../../core/orb/compiled-orb.ts';
import { judgeProbe, type ProbeReply } from '../../../../core/run/judge-probe.ts';
import { compileRequest } from '../../../../core/template/compile-request.ts';
import type { Execution, ProbeExpect } from '../../../../crds/manifest.ts';

const outputs: readonly CompiledOutput[] = [{ name: 'id', type: 'string', from: ['body', 'id'] }];
const INPUTS = { text: { type: 'string', required: true } };
const GET: Execution = { url: 'https://api.example.com/run' };

function probeOf(execution: Execution): CompiledProbe | undefined {
  const request = compileRequest(execution, INPUTS, '/execution');
  if (!request.ok) throw new TypeError('the execution itself compiles');
  const compiled = compileProbe(execution, { request: request.value, outputs }, INPUTS, '/execution');
  if (!compiled.ok) throw new TypeError(JSON.stringify(compiled.findings));
  return compiled.value;
}

const reply = (status: number, body = '', type = 'application/json'): ProbeReply => ({
  status,
  headers: { 'content-type': type },
  body: Buffer.from(body),
});

describe('judgeProbe (failover.md §2)', () => {
  const health = { url: 'https://api.example.com/health' };
  const judged = (expected: ProbeExpect | undefined, answer: ProbeReply, own = health): string | undefined => {
    const probe = probeOf({ ...GET, probe: { ...own, ...(expected === undefined ? {} : { expect: expected }) } });
    return probe === undefined ? undefined : judgeProbe(probe, answer);
  };
  const ok = (body: string): ProbeReply => reply(200, body);
  const rows: readonly [string, ProbeExpect | undefined, ProbeReply, string][] = [
    ['any 2xx', undefined, reply(204), 'success'],
    ['no 3xx', undefined, reply(302), 'error'],
    ['a 503', undefined, reply(503), 'error'],
    ['a 429', undefined, reply(429), 'rate_limited'],
    ['a 401', undefined, reply(401), 'client_error'],
    ['a body that is not read', undefined, ok('{'), 'success'],
    ['a status of the list', { status: [404] }, reply(404), 'success'],
    ['a 2xx beside the list', { status: [404] }, reply(200), 'error'],
    ['a 500 of the list', { status: [500] }, reply(500), 'success'],
    ['a value that stands there', { pointer: '/up' }, ok('{"up":false}'), 'success'],
    ['a value that does not stand there', { pointer: '/up' }, ok('{"down":true}'), 'error'],
    ['an inherited member', { pointer: '/constructor' }, ok('{}'), 'error'],
    ['the very value', { pointer: '/a/0', equals: { x: 1, y: [null] } }, ok('{"a":[{"y":[null],"x":1.0}]}'), 'success'],
    ['another value', { pointer: '/a', equals: 1 }, ok('{"a":"1"}'), 'error'],
    ['a whole body', { equals: 'up' }, reply(200, 'up', 'text/plain'), 'success'],
    ['a body that is no JSON', { pointer: '' }, ok('{'), 'error'],
    ['no body at all', { pointer: '' }, ok(''), 'error'],
    ['null as the value', { pointer: '/a', equals: null }, ok('{"a":null}'), 'success'],
    ['a value with half a character', { pointer: '/a', equals: 'x' }, ok('{"a":"\\ud800"}'), 'error'],
  ];
  for (const [what, expected, answer, outcome] of rows) {
    it(`takes ${what} as ${outcome}`, () => {
      expect(judged(expected, answer)).to.equal(outcome);
    });
  }

  it('asks for the outputs of a run when the request is that of a run, and only then', () => {
    const own = probeOf(GET);
    if (own === undefined) throw new TypeError('a GET can be probed');
    expect(judgeProbe(own, ok('{"id":"1"}'))).to.equal('success');
    expect(judgeProbe(own, ok('{"id":1}'))).to.equal('error');
    expect(judgeProbe(own, ok('{'))).to.equal('error');
    expect(judged(undefined, ok('{"id":1}'))).to.equal('success');
  });

  it('asks for no outputs of a status that a run would refuse and the probe expects', () => {
    const own = probeOf({ ...GET, probe: { expect: { status: [404] } } });
    expect(own && judgeProbe(own, reply(404, '{}'))).to.equal('success');
  });
});
