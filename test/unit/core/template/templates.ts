import type { JsonObject } from '../../../../core/json/json-value.ts';
import { compileRequest, type ExecutionTemplate } from '../../../../core/template/compile-request.ts';
import type { CompiledRequest, RenderProblem, RenderResult } from '../../../../core/template/compiled-request.ts';
import type { RenderedRequest } from '../../../../core/template/rendered-request.ts';

/** Inputs that the templates of these tests use. */
export const inputs = {
  a: { type: 'string' },
  b: { type: 'string' },
  n: { type: 'number' },
  flag: { type: 'boolean' },
  list: { type: 'array' },
  object: { type: 'object' },
  plain: { type: 'string', default: 'it "is"' },
  seven: { type: 'integer', default: 7 },
  from: { type: 'string', default: '{{orbiset.secrets.FROM}}' },
  note: { default: 'by "{{ orbiset.secrets.FROM }}", {{orbiset.secrets.TEAM}}' },
};

const vault = new Map([
  ['K', 'key-1'],
  ['FROM', 'me+x@acme.example'],
  ['TEAM', 'team'],
  ['LABEL', 'eu-1'],
  ['ONE', '1'],
  ['UPPER', 'Eu'],
  ['DOTS', 'a.b'],
  ['PUNY', 'xn--'],
  ['LINE', 'a\nb'],
  ['SPACE', 'x '],
  ['DOTDOT', '..'],
  ['EMPTY', ''],
  ['BROKEN', 'a\ud800'],
]);

export const withUrl = (url: string): ExecutionTemplate => ({ method: 'GET', url });
export const withHeader = (value: string, name = 'X-A'): ExecutionTemplate => ({
  ...withUrl('https://api.acme.example/'),
  headers: { [name]: value },
});
export const withBody = (contentType: string | undefined, body: string): ExecutionTemplate => ({
  method: 'POST',
  url: 'https://api.acme.example/',
  ...(contentType === undefined ? {} : { headers: { 'Content-Type': contentType } }),
  body_template: body,
});

/** Code and pointer of what is found about an execution at `/execution`; a refusal has an error among them. */
export function refused(execution: ExecutionTemplate, definitions: object = inputs): readonly (readonly string[])[] {
  const result = compileRequest(execution, { ...definitions }, '/execution');
  if (result.ok) throw new Error('the template compiles');
  return result.findings.map(({ code, pointer }) => [code, pointer]);
}

export function compiled(execution: ExecutionTemplate): CompiledRequest {
  const result = compileRequest(execution, inputs, '/execution');
  if (!result.ok) throw new Error(JSON.stringify(result.findings));
  return result.value;
}

export const render = (execution: ExecutionTemplate, given: JsonObject): RenderResult =>
  compiled(execution).render({ inputs: given, secret: (entry) => vault.get(entry) });

export function rendered(execution: ExecutionTemplate, given: JsonObject): RenderedRequest {
  const result = render(execution, given);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.request;
}

export function problem(execution: ExecutionTemplate, given: JsonObject): RenderProblem {
  const result = render(execution, given);
  if (result.ok) throw new Error(`rendered: ${JSON.stringify(result.request)}`);
  return result.problem;
}
