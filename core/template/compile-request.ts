import type { JsonObject } from '../json/json-value.ts';
import type { Checked } from '../manifest/finding.ts';
import { compileBody } from './compile-body.ts';
import { compileHeaders, type CompiledHeader } from './compile-headers.ts';
import { compileUrl, type CompiledUrl } from './compile-url.ts';
import type { CompiledRequest, RenderProblem, RenderResult, RenderValues } from './compiled-request.ts';
import { entriesOf, openScope, type InputShape, type Scope } from './scope.ts';
import { fillSpan, problemOf, type InputReference, type Reference, type Source, type Span } from './span.ts';

/** The members of an execution that templates read; the manifest's type has them. */
export interface ExecutionTemplate {
  /** Default: `POST` with a body, otherwise `GET`. */
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body_template?: string;
}

/** Every field in its compiled form, including literal fields. */
interface Fields {
  readonly method: string;
  readonly url: CompiledUrl;
  readonly headers: readonly CompiledHeader[];
  readonly body: Span | undefined;
}

const METHOD = /^[A-Z][A-Z-]{0,31}$/;
// They change the meaning of the connection, or make a server repeat the credentials.
const REFUSED_METHODS: readonly string[] = ['CONNECT', 'TRACE', 'TRACK'];

function compileMethod({ method, body_template }: ExecutionTemplate, scope: Scope): string {
  if (method === undefined) return body_template === undefined ? 'GET' : 'POST';
  if (method.includes('{{'))
    scope.refuse(
      'template-placeholder-not-allowed',
      '/method',
      'A placeholder is not allowed in the method; write the method itself.',
    );
  else if (!METHOD.test(method) || REFUSED_METHODS.includes(method))
    scope.refuse('template-method-not-allowed', '/method', 'Write an HTTP method in capitals, such as POST.');
  return method;
}

function contentTypeOf(headers: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1];
}

function compileFields(execution: ExecutionTemplate, scope: Scope): Fields | undefined {
  const { headers = {}, body_template: template } = execution;
  const method = compileMethod(execution, scope);
  const url = compileUrl(execution.url, scope);
  const compiledHeaders = compileHeaders(headers, scope);
  const body = template === undefined ? undefined : compileBody(template, contentTypeOf(headers), scope);
  return url === undefined ? undefined : { method, url, headers: compiledHeaders, body };
}

const referencesIn = (spans: readonly Span[]): readonly Reference[] =>
  spans.flatMap((span) => span.chunks.flatMap((chunk) => (chunk.kind === 'hole' ? [chunk.reference] : [])));

function secretsNeeded(references: readonly Reference[]): CompiledRequest['secretsFor'] {
  const direct = new Set(references.flatMap((reference) => (reference.kind === 'secret' ? [reference.entry] : [])));
  const tainted = [...new Set(references.filter((reference) => isTainted(reference)))];
  const always = [...direct];
  if (tainted.length === 0) return () => always;
  return (given) => {
    const missing = tainted.filter((reference) => !Object.hasOwn(given, reference.name));
    return [...new Set([...always, ...missing.flatMap(entriesOf)])];
  };
}

const isTainted = (reference: Reference): reference is InputReference =>
  reference.kind === 'input' && reference.fallback.kind === 'secret';

/** Fills the URL. In plain form, parsers must read the result exactly as it is written (security.md §3.3). */
function urlFiller({ spans }: CompiledUrl): (source: Source) => string | RenderProblem {
  const references = referencesIn(spans);
  const suspect = references[0];
  return (source) => {
    let url = '';
    for (const span of spans) {
      const filled = fillSpan(span, source);
      if (typeof filled !== 'string') return filled;
      url += filled;
    }
    if (suspect === undefined || source.kind === 'sealed' || URL.parse(url)?.href === url) return url;
    return problemOf(suspect, source, 'template-malformed-url');
  };
}

type HeaderLines = readonly (readonly [name: string, value: string])[];
type FilledHeaders =
  | { readonly ok: true; readonly lines: HeaderLines }
  | { readonly ok: false; readonly problem: RenderProblem };

function fillHeaders(headers: readonly CompiledHeader[], source: Source): FilledHeaders {
  const lines: (readonly [string, string])[] = [];
  for (const { name, value } of headers) {
    const filled = fillSpan(value, source);
    if (typeof filled !== 'string') return { ok: false, problem: filled };
    lines.push([name, filled]);
  }
  return { ok: true, lines };
}

function requestFiller({ method, url, headers, body }: Fields): (source: Source) => RenderResult {
  const fillUrl = urlFiller(url);
  return (source) => {
    const filledUrl = fillUrl(source);
    if (typeof filledUrl !== 'string') return { ok: false, problem: filledUrl };
    const filledHeaders = fillHeaders(headers, source);
    if (!filledHeaders.ok) return filledHeaders;
    const filledBody = body === undefined ? null : fillSpan(body, source);
    if (filledBody !== null && typeof filledBody !== 'string') return { ok: false, problem: filledBody };
    return { ok: true, request: { method, url: filledUrl, headers: filledHeaders.lines, body: filledBody } };
  };
}

function requestOf(fields: Fields, sealedUrl: string): CompiledRequest {
  const { method, url, headers, body } = fields;
  const spans = [...url.spans, ...headers.map(({ value }) => value), ...(body === undefined ? [] : [body])];
  const fill = requestFiller(fields);
  return {
    method,
    headerNames: new Set(headers.map(({ name }) => name.toLowerCase())),
    secretsFor: secretsNeeded(referencesIn(spans)),
    render: ({ inputs, secret }: RenderValues) => fill({ kind: 'plain', inputs, secret }),
    seal: (inputs: JsonObject) => fill({ kind: 'sealed', inputs }),
    sealedUrl,
    secretsInUrl: url.secrets,
    literalHost: url.literalHost,
  };
}

/**
 * Parses every field of one execution once into typed pieces with their positions (security.md §4). Never throws on any
 * text; 10⁵ placeholders or 10⁴ levels are refused within 50 ms. Decisions where §4.1 leaves room:
 * - A direct secret can't be a whole JSON value (its row allows inputs). A secret default of a string input can, as a
 * JSON string.
 * - A placeholder can't be in the name of a JSON member.
 * - A number, boolean, object or array inside text is written as its JSON text.
 * - `..` between encoded slashes of a path segment is refused too.
 * - In XML, tab and line ends are written as references.
 * @param inputs definitions by name; a string default may hold secrets and then has its own tree
 * @param pointer where the execution stands in the manifest: `/execution`, `/providers/mailgun/execution`. Findings
 * about defaults have the pointer `/inputs/NAME/default` and repeat for each execution of the manifest
 */
export function compileRequest(
  execution: ExecutionTemplate,
  inputs: Readonly<Record<string, InputShape>>,
  pointer: string,
): Checked<CompiledRequest> {
  const scope = openScope(inputs, pointer);
  const fields = compileFields(execution, scope);
  const { findings } = scope;
  if (fields === undefined || findings.some((finding) => finding.severity === 'error')) return { ok: false, findings };
  return { ok: true, value: requestOf(fields, execution.url), findings };
}
