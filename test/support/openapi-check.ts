import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { expect } from 'chai';

/** A whole answer of the API as a test received it. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value);
const at = (node: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((found, name) => (isNode(found) && Object.hasOwn(found, name) ? found[name] : undefined), node);
const escaped = (token: string): string => encodeURIComponent(token.replaceAll('~', '~0').replaceAll('/', '~1'));

const compilers = new WeakMap<object, Ajv2020>();

function compilerOf(openapi: Node): Ajv2020 {
  const known = compilers.get(openapi);
  if (known) return known;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true });
  ajv.addSchema(openapi, 'openapi.json', false, false);
  compilers.set(openapi, ajv);
  return ajv;
}

function validatorOf(openapi: Node, place: readonly string[]): ValidateFunction {
  const found = compilerOf(openapi).getSchema(`openapi.json#/${place.map(escaped).join('/')}`);
  if (!found) throw new Error(`no schema at ${place.join(' ')}`);
  return found;
}

const shapeOf = (template: string): RegExp =>
  new RegExp(`^${template.replaceAll('.', '\\.').replaceAll(/\{[a-z_]+\}/g, '[^/]+')}$`);

const templateOf = (openapi: Node, path: string): string | undefined => {
  const templates = Object.keys(isNode(openapi['paths']) ? openapi['paths'] : {});
  return templates.find((template) => template === path) ?? templates.find((template) => shapeOf(template).test(path));
};

const parsed = (answer: Answer): unknown => JSON.parse(Buffer.from(answer.body).toString('utf8'));

/** Checks the headers that every answer has, declared or not. */
function checkGeneral(answer: Answer): void {
  expect(answer.headers.get('orb-request-id')).to.match(/^req_[0-9a-f-]{36}$/);
  expect(answer.headers.get('x-content-type-options')).to.equal('nosniff');
  expect(answer.headers.get('cache-control')).to.match(/./);
  expect(answer.headers.get('x-powered-by')).to.equal(null);
  if (!(answer.headers.get('content-type') ?? '').startsWith('application/problem+json')) return;
  const body = parsed(answer);
  expect(at(body, 'status')).to.equal(answer.status);
  expect(at(body, 'request_id')).to.equal(answer.headers.get('orb-request-id'));
  expect(at(body, 'type')).to.equal(`https://orbs.dev/problems/${String(at(body, 'code'))}`);
}

function checkBody(openapi: Node, place: readonly string[], value: unknown): void {
  const validate = validatorOf(openapi, place);
  const valid = validate(value);
  expect(valid, `${place.join(' ')}: ${JSON.stringify(validate.errors)}\n${JSON.stringify(value)}`).to.equal(true);
}

/** Undeclared routes must answer with one of these two codes. */
function checkUndeclared(openapi: Node, answer: Answer, codes: readonly string[]): void {
  expect(answer.headers.get('content-type')).to.equal('application/problem+json');
  checkBody(openapi, ['components', 'schemas', 'Problem'], parsed(answer));
  expect(codes).to.include(at(parsed(answer), 'code'));
}

/**
 * Checks the body of a declared status: empty when no body is declared, else of a declared type and valid by its
 * schema.
 */
function checkDeclared(openapi: Node, place: readonly string[], answer: Answer): unknown {
  const content = at(openapi, ...place, 'content');
  if (!isNode(content)) {
    expect(answer.body.length, 'no body is declared').to.equal(0);
    return undefined;
  }
  const [type = ''] = (answer.headers.get('content-type') ?? '').split(';');
  expect(Object.keys(content), place.join(' ')).to.include(type);
  const isJson = type === 'application/json' || type.endsWith('+json');
  const value = isJson ? parsed(answer) : Buffer.from(answer.body).toString('utf8');
  checkBody(openapi, [...place, 'content', type, 'schema'], value);
  return value;
}

/**
 * Fails unless the OpenAPI document declares this answer: status, content type, body by its schema, and the general
 * headers.
 * @param path as requested, without or with query
 * @returns the parsed body when it is JSON, else its text
 */
export function checkAnswer(openapi: Node, method: string, path: string, answer: Answer): unknown {
  checkGeneral(answer);
  const template = templateOf(openapi, path.split('?')[0] ?? '');
  const own = method.toLowerCase();
  const isDeclared = at(openapi, 'paths', template ?? '', own) !== undefined;
  const verb = method === 'HEAD' && !isDeclared ? 'get' : own;
  if (template === undefined || at(openapi, 'paths', template, verb) === undefined) {
    checkUndeclared(
      openapi,
      answer,
      template === undefined ? ['route-not-found', 'malformed-path'] : ['method-not-allowed'],
    );
    return parsed(answer);
  }
  const place = ['paths', template, verb, 'responses', String(answer.status)];
  expect(at(openapi, ...place), `${method} ${template}: status ${answer.status} is not declared`).to.not.equal(
    undefined,
  );
  if (method !== 'HEAD') return checkDeclared(openapi, place, answer);
  expect(answer.body.length).to.equal(0);
  return undefined;
}
