import { MARK, markPieces, unmark, type Marked, type Unmarker } from './marked.ts';
import { positions, type RefusalCode } from './position.ts';
import { entriesOf, PATH_FORM, URL_FIELD, type Scope } from './scope.ts';
import { accept, type Reference, type Span } from './span.ts';

/** A URL in parts; the filled parts joined in order are the whole URL. */
export interface CompiledUrl {
  readonly spans: readonly Span[];
  /** Host in lower case, without port; undefined when labels come from secrets. */
  readonly literalHost: string | undefined;
  readonly secrets: readonly string[];
}

interface UrlParts {
  readonly scheme: string;
  readonly host: string;
  /** `''`, or the port with its colon. */
  readonly port: string;
  /** Begins with a slash. */
  readonly path: string;
  /** `''`, or the query with its question mark. */
  readonly query: string;
}

const FIELD = URL_FIELD;
/** The limit of common servers; a filled URL may be longer. */
const MAX_URL_CHARS = 8192;
const URL_PARTS = /^(?<scheme>https?):\/\/(?<authority>[^/?#\\]*)(?<path>\/[^?#]*)?(?<query>\?[^#]*)?$/i;
const AUTHORITY = /^(?<host>\[[^\]@]*\]|[^:@[\]]*)(?<port>:[^@]*)?$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: ':80', https: ':443' };
// A whole segment that is empty, `.` or `..`, or has `..` after a server decodes %2F. Also in percent form.
const TRAVERSAL = /^(?:\.|%2e)?$|(?:^|%2f|%5c)(?:\.|%2e){2}(?:%2f|%5c|$)/i;

const refuseTraversal = (segment: string): RefusalCode | undefined =>
  TRAVERSAL.test(segment) ? 'template-path-traversal' : undefined;
const count = (text: string): number => text.split(MARK).length - 1;

function refusePlaceholder(scope: Scope, place: string): undefined {
  return scope.refuse(
    'template-placeholder-not-allowed',
    FIELD,
    `A placeholder is not allowed in the ${place}; write it out.`,
  );
}

/** Inputs never choose the target of a request (design.md §2). Scheme, user info, host and port share one code. */
function refuseBeforePath(scope: Scope, references: readonly Reference[], place: string): undefined {
  if (references.every((reference) => reference.kind === 'secret')) return refusePlaceholder(scope, place);
  return scope.refuse(
    'manifest-input-in-host',
    FIELD,
    `An input is not allowed in the ${place}: it would decide where secrets are sent.`,
  );
}

function malformed(scope: Scope, detail: string): undefined {
  return scope.refuse('template-malformed-url', FIELD, detail);
}

/** For a URL that is one secret: webhook URLs are given as a whole. */
export const WHOLE_URL =
  'A secret is never a whole URL: it would decide where the request goes. Write scheme and host, and keep the rest of the path in the vault: https://hooks.example.com/{{orbiset.secrets.KEY:path}}.';

function unreadable({ text, references }: Marked, scope: Scope): undefined {
  if (text.startsWith(MARK) && !text.includes('://') && references[0]?.kind === 'secret')
    return malformed(scope, WHOLE_URL);
  const head = text.split('://', 1)[0] ?? '';
  if (text.includes('://') && head.includes(MARK))
    return refuseBeforePath(scope, references.slice(0, count(head)), 'scheme');
  if (text.includes('#'))
    return malformed(scope, 'A URL of a request has no fragment; remove the "#" and what follows.');
  return malformed(scope, 'Write an absolute URL: https://host/path.');
}

function checkHost(host: string, port: string, scope: Scope): true | undefined {
  if (port.includes(MARK)) return refusePlaceholder(scope, 'port');
  const labels = host.split('.');
  if (labels.includes('')) return malformed(scope, 'A host has no empty label and no dot at its end.');
  const partial = labels.some((label) => label.includes(MARK) && label !== MARK);
  return partial ? refusePlaceholder(scope, 'host but as a whole label between dots') : true;
}

interface Authority {
  readonly host: string;
  readonly port: string;
}

function splitAuthority(text: string, references: readonly Reference[], scope: Scope): Authority | undefined {
  if (references.some((reference) => reference.kind === 'input')) return refuseBeforePath(scope, references, 'host');
  const groups = AUTHORITY.exec(text)?.groups;
  if (groups === undefined)
    return malformed(scope, 'A host is a name with a port at most; user info goes into a header.');
  const { host = '', port = '' } = groups;
  return checkHost(host, port, scope) && { host: host.toLowerCase(), port };
}

function splitUrl(marked: Marked, scope: Scope): UrlParts | undefined {
  const groups = URL_PARTS.exec(marked.text)?.groups;
  if (groups === undefined) return unreadable(marked, scope);
  const { scheme: written = '', authority: text = '', path = '/', query = '' } = groups;
  const authority = splitAuthority(text, marked.references.slice(0, count(text)), scope);
  if (authority === undefined) return undefined;
  const scheme = written.toLowerCase();
  const port = authority.port === DEFAULT_PORTS[scheme] ? '' : authority.port;
  return { scheme, host: authority.host, port, path, query };
}

/** Refuses a URL that parsers would change: two parsers may read it in two ways (security.md §3.3). */
function checkReading({ scheme, host, port, path, query }: UrlParts, scope: Scope): true | undefined {
  const sample = `${scheme}://${host}${port}${path}${query}`.replaceAll(MARK, 'x');
  if (URL.parse(sample)?.href === sample) return true;
  return malformed(
    scope,
    'URL parsers read this in another way: percent-encode special characters, write no dot segments and an ASCII host.',
  );
}

function checkQuery(query: string, scope: Scope): true | undefined {
  const names = query
    .slice(1)
    .split('&')
    .map((pair) => pair.split('=', 1)[0] ?? '');
  return names.some((name) => name.includes(MARK)) ? refusePlaceholder(scope, 'name of a query parameter') : true;
}

const isPath = (reference: Reference): boolean => reference.kind === 'secret' && reference.isPath === true;

/** Whether the last segment of the path is a secret that stands for the rest of the path. */
const endsWithPath = ({ host, path }: UrlParts, references: readonly Reference[]): boolean =>
  path.endsWith(`/${MARK}`) &&
  references
    .slice(0, count(host) + count(path))
    .slice(-1)
    .some(isPath);

/** A secret with `:path` stands at the end of the path, as a whole segment, and nowhere else. */
function checkPathForm(parts: UrlParts, references: readonly Reference[], scope: Scope): true | undefined {
  const wanted = endsWithPath(parts, references) ? 1 : 0;
  if (references.filter(isPath).length === wanted) return true;
  return scope.refuse('template-placeholder-not-allowed', FIELD, PATH_FORM);
}

function pathSpans(path: string, unmarker: Unmarker, hasRest: boolean): readonly Span[] {
  const segments = path.slice(1).split('/');
  return segments.flatMap((segment, index) => {
    const slash: Span = { chunks: [{ kind: 'text', text: '/' }], refuse: accept };
    if (hasRest && index === segments.length - 1)
      return [slash, { chunks: unmarker.chunks(segment, positions.pathRest), refuse: accept }];
    const refuse = segment.includes(MARK) ? refuseTraversal : accept;
    return [slash, { chunks: unmarker.chunks(segment, positions.pathSegment), refuse }];
  });
}

const isLiteral = (span: Span): boolean => span.chunks.every((chunk) => chunk.kind === 'text');

/** Joins neighbours without placeholders, so that a render joins few pieces. */
function joinLiterals(spans: readonly Span[]): readonly Span[] {
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last !== undefined && isLiteral(last) && isLiteral(span)) {
      const text = [...last.chunks, ...span.chunks].map((chunk) => (chunk.kind === 'text' ? chunk.text : '')).join('');
      joined[joined.length - 1] = { chunks: [{ kind: 'text', text }], refuse: accept };
    } else joined.push(span);
  }
  return joined;
}

function spansOf(parts: UrlParts, unmarker: Unmarker, hasRest: boolean): readonly Span[] {
  const { scheme, host, port, path, query } = parts;
  return joinLiterals([
    { chunks: [{ kind: 'text', text: `${scheme}://` }], refuse: accept },
    { chunks: unmarker.chunks(host, positions.hostLabel), refuse: accept },
    { chunks: [{ kind: 'text', text: port }], refuse: accept },
    ...pathSpans(path, unmarker, hasRest),
    { chunks: unmarker.chunks(query, positions.queryValue), refuse: accept },
  ]);
}

/**
 * Compiles the URL (security.md §4.1). Scheme, port and query names are literal. Secrets may be whole labels of the
 * host. Path segments and query values may hold both kinds of placeholders. A secret with `:path` is the rest of the path. User info and a fragment are refused. Case
 * of scheme and host, a default port and a missing path are normalised as parsers do. Any other text that parsers would
 * change is refused.
 * @returns undefined when the URL can't be used; then the scope holds the reason
 */
export function compileUrl(url: string, scope: Scope): CompiledUrl | undefined {
  if (url.length > MAX_URL_CHARS)
    return scope.refuse('template-too-large', FIELD, 'A URL holds at most 8192 characters.');
  const pieces = scope.parse(url, FIELD);
  if (pieces === undefined) return undefined;
  const marked = markPieces(pieces);
  const parts = marked === undefined ? malformed(scope, 'A URL holds no control characters.') : splitUrl(marked, scope);
  if (marked === undefined || parts === undefined) return undefined;
  if (checkQuery(parts.query, scope) === undefined || checkReading(parts, scope) === undefined) return undefined;
  const { references } = marked;
  if (checkPathForm(parts, references, scope) === undefined) return undefined;
  const spans = spansOf(parts, unmark(references, scope), endsWithPath(parts, references));
  const literalHost = parts.host.includes(MARK) ? undefined : parts.host;
  return { spans, literalHost, secrets: [...new Set(references.flatMap(entriesOf))] };
}
