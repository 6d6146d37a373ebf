import { expect } from 'chai';
import type { JsonObject } from '../../../../core/json/json-value.ts';
import { compileRequest, type ExecutionTemplate } from '../../../../core/template/compile-request.ts';
import { compiled, inputs, problem, refused, rendered, withBody, withHeader, withUrl } from './templates.ts';

const NOT_ALLOWED = 'template-placeholder-not-allowed';

describe('compileRequest', () => {
  const methods: readonly (readonly [method: string, code: string])[] = [
    ['{{inputs.a}}', NOT_ALLOWED],
    ['{{orbiset.secrets.K}}', NOT_ALLOWED],
    ['CONNECT', 'template-method-not-allowed'],
    ['TRACE', 'template-method-not-allowed'],
    ['get', 'template-method-not-allowed'],
    ['GET /', 'template-method-not-allowed'],
    ['', 'template-method-not-allowed'],
  ];
  for (const [method, code] of methods)
    it(`refuses the method ${JSON.stringify(method)}`, () => {
      expect(refused({ method, url: 'https://x.example/' })).to.deep.equal([[code, '/execution/method']]);
    });

  it('takes POST for a request with a body, else GET, when no method is written', () => {
    expect(compiled({ url: 'https://x.example/', body_template: '{}' }).method).to.equal('POST');
    expect(rendered({ url: 'https://x.example/' }, {}).method).to.equal('GET');
    expect(rendered({ method: 'PATCH', url: 'https://x.example/' }, {}).method).to.equal('PATCH');
  });

  it('reports every field at once, at the execution of its provider', () => {
    const execution = { url: 'https://{{inputs.a}}/', headers: { Host: 'x' }, body_template: '{{nothing}}' };
    const { findings } = compileRequest(execution, inputs, '/providers/mailgun/execution');
    expect(findings.map((finding) => finding.pointer)).to.deep.equal([
      '/providers/mailgun/execution/url',
      '/providers/mailgun/execution/headers/Host',
      '/providers/mailgun/execution/body_template',
    ]);
  });

  it('counts placeholders over all fields', () => {
    const half = '{{inputs.a}}'.repeat(500);
    const withText = (text: string): ExecutionTemplate => ({ ...withBody(undefined, text), headers: { 'X-A': half } });
    expect(compileRequest(withText(`"${half}"`), inputs, '').ok).to.equal(true);
    expect(refused(withText(`"${half}{{inputs.a}}"`))).to.deep.equal([
      ['template-too-large', '/execution/body_template'],
    ]);
  });

  it('names the position in the text of a finding', () => {
    const result = compileRequest(withUrl('https://x.example:{{orbiset.secrets.K}}/'), inputs, '/execution');
    expect(result.findings[0]?.detail).to.contain('port');
  });
});

describe('compileRequest: defaults', () => {
  const body = withBody('application/xml', '<a>{{inputs.d}}</a>');
  const secret = '{{orbiset.secrets.K}}';
  const rows: readonly (readonly [why: string, shape: object, execution: ExecutionTemplate, code: string])[] = [
    ['an input in a default', { default: 'x{{inputs.a}}' }, body, NOT_ALLOWED],
    ['an unknown reference', { default: '{{env.HOME}}' }, body, 'template-unknown-reference'],
    ['a secret as default of a number', { type: 'number', default: secret }, body, NOT_ALLOWED],
    ['a secret inside an object', { type: 'object', default: { a: [secret] } }, body, NOT_ALLOWED],
    ['a secret inside an array of no type', { default: [secret] }, body, NOT_ALLOWED],
    ['a secret as name of a member', { type: 'object', default: { [secret]: 1 } }, body, NOT_ALLOWED],
    [
      'what no header takes',
      { default: 'é' },
      withHeader('{{inputs.d}} {{inputs.d}}'),
      'template-invalid-header-value',
    ],
    [
      'the same beside a secret',
      { default: `é${secret}` },
      withHeader('{{inputs.d}}'),
      'template-invalid-header-value',
    ],
    ['half of a surrogate pair', { default: '\ud800' }, body, 'template-invalid-unicode'],
    ['half of one in an array', { type: 'array', default: ['\ud800'] }, body, 'template-invalid-unicode'],
  ];
  for (const [why, shape, execution, code] of rows)
    it(`refuses ${why}`, () => {
      expect(refused(execution, { d: shape })).to.deep.equal([[code, '/inputs/d/default']]);
    });

  it('escapes the name of an input in the pointer', () => {
    expect(refused(withUrl('https://x.example/'), { 'a/b~': { default: '{{x}}' } })).to.deep.equal([
      ['template-unknown-reference', '/inputs/a~1b~0/default'],
    ]);
  });

  it('uses a default only when the input is not given', () => {
    const execution = withBody(undefined, '["{{inputs.plain}}",{{inputs.seven}},{{inputs.from}},"{{inputs.note}}"]');
    expect(rendered(execution, {}).body).to.equal(
      JSON.stringify(['it "is"', 7, 'me+x@acme.example', 'by "me+x@acme.example", team']),
    );
    expect(rendered(execution, { plain: '', seven: 8, from: 'x', note: '{{orbiset.secrets.K}}' }).body).to.equal(
      JSON.stringify(['', 8, 'x', '{{orbiset.secrets.K}}']),
    );
  });

  it('writes a secret default as a JSON string where a whole value stands', () => {
    expect(rendered(withBody(undefined, '{{inputs.note}}'), {}).body).to.equal('"by \\"me+x@acme.example\\", team"');
  });
});

describe('compileRequest: secrets', () => {
  const execution = {
    url: 'https://{{orbiset.secrets.LABEL}}.acme.example/{{orbiset.secrets.K}}?q={{inputs.from}}',
    headers: { Authorization: 'Bearer {{orbiset.secrets.K}}', 'Content-Type': 'text/plain' },
    body_template: '{{inputs.note}} {{orbiset.secrets.K}} {{inputs.plain}}',
  };

  it('needs direct secrets always, those of a default only while its input is not given', () => {
    const request = compiled(execution);
    expect(request.secretsFor({})).to.deep.equal(['LABEL', 'K', 'FROM', 'TEAM']);
    expect(request.secretsFor({ note: '' })).to.deep.equal(['LABEL', 'K', 'FROM']);
    expect(request.secretsFor({ from: 'x', note: 'y' })).to.deep.equal(['LABEL', 'K']);
    expect(compiled(withHeader('{{orbiset.secrets.K}}')).secretsFor({})).to.deep.equal(['K']);
  });

  it('seals with placeholders in place of secrets and of secret defaults', () => {
    const url = 'https://{{orbiset.secrets.LABEL}}.acme.example/{{orbiset.secrets.K}}?q={{orbiset.secrets.FROM}}';
    const headers = Object.entries(execution.headers);
    const body = '<{{inputs.a}}> {{orbiset.secrets.K}} it "is"';
    expect(compiled(execution).seal({ note: '<{{inputs.a}}>' })).to.deep.equal({
      ok: true,
      request: { method: 'POST', url, headers, body },
    });
  });

  it('seals nothing that could not be rendered', () => {
    expect(compiled(withHeader('{{inputs.a}}')).seal({ a: '\n' }).ok).to.equal(false);
  });

  const unsafe: readonly (readonly [why: string, execution: ExecutionTemplate, entry: string])[] = [
    ['a line end in a header', withHeader('{{orbiset.secrets.LINE}}'), 'LINE'],
    ['a space at the end of a header', withHeader('a {{orbiset.secrets.SPACE}}'), 'SPACE'],
    ['nothing at the end of a header', withHeader('Bearer {{orbiset.secrets.EMPTY}}'), 'EMPTY'],
    ['a capital in a host', withUrl('https://{{orbiset.secrets.UPPER}}.example/'), 'UPPER'],
    ['a dot in a label', withUrl('https://{{orbiset.secrets.DOTS}}.example/'), 'DOTS'],
    ['an empty label', withUrl('https://{{orbiset.secrets.EMPTY}}.example/'), 'EMPTY'],
    ['a label that makes the host a number', withUrl('https://example.{{orbiset.secrets.ONE}}/'), 'ONE'],
    ['a label that is no international name', withUrl('https://{{orbiset.secrets.PUNY}}.example/'), 'PUNY'],
    ['a dot segment', withUrl('https://x.example/{{orbiset.secrets.DOTDOT}}/a'), 'DOTDOT'],
    ['half of a surrogate pair', withBody(undefined, '"{{orbiset.secrets.BROKEN}}"'), 'BROKEN'],
  ];
  for (const [why, template, entry] of unsafe)
    it(`blames the vault for ${why}`, () => {
      expect(problem(template, {})).to.deep.equal({ kind: 'secret', code: 'secret-not-header-safe', entry });
    });

  it('blames the vault for a secret default, the caller for a value in its place', () => {
    const template = withUrl('https://x.example/{{inputs.d}}/a');
    const result = compileRequest(template, { d: { default: '{{orbiset.secrets.D}}' } }, '/execution');
    const blamed = (given: JsonObject): unknown =>
      result.ok && result.value.render({ inputs: given, secret: () => '..' });
    expect(blamed({})).to.deep.equal({
      ok: false,
      problem: { kind: 'secret', code: 'secret-not-header-safe', entry: 'D' },
    });
    expect(blamed({ d: '..' })).to.have.nested.property('problem.pointer', '/inputs/d');
  });
});
