/** The meaning of one request to the API server. */
export interface KubeRequest {
  readonly verb: Verb;
  /** '' for the core group. */
  readonly group: string;
  /** Plural, lower case; '' for a path without a resource (`/readyz`, discovery). */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly subresource?: string;
  readonly fieldManager?: string;
  /** The resourceVersion in the query of a LIST or WATCH. */
  readonly resourceVersion?: string;
  readonly fieldSelector?: string;
}

export type Verb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  /** Discovery, health and all other paths without a resource. */
  | 'other';

const MUTATING: ReadonlySet<Verb> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

/** Reviews use POST and change nothing. */
const ASKED = /reviews$/;

/** Whether it changes state when it succeeds. A review does not. */
export const isMutating = ({ verb, resource }: Pick<KubeRequest, 'verb' | 'resource'>): boolean =>
  MUTATING.has(verb) && !ASKED.test(resource);

/** `namespace/name`, `name`, or '' without a name. */
export const objectKey = ({ namespace, name }: Pick<KubeRequest, 'namespace' | 'name'>): string =>
  [namespace, name].filter((part) => part !== undefined).join('/');

const WRITES: Readonly<Record<string, Verb>> = { POST: 'create', PUT: 'update', PATCH: 'patch' };

function verbOf(method: string, named: boolean, query: URLSearchParams): Verb {
  if (method === 'GET') {
    const watching = query.get('watch');
    if (watching === 'true' || watching === '1') return 'watch';
    return named ? 'get' : 'list';
  }
  if (method === 'DELETE') return named ? 'delete' : 'deletecollection';
  return WRITES[method] ?? 'other';
}

/** Segments after the version, and the group; undefined for a path without a resource. */
function resourcePath(path: string): { readonly group: string; readonly rest: readonly string[] } | undefined {
  const [root = '', first = '', ...rest] = path.split('/').filter((part) => part !== '');
  if (root === 'api' && first !== '' && rest.length > 0) return { group: '', rest };
  if (root === 'apis' && rest.length > 1) return { group: first, rest: rest.slice(1) };
  return undefined;
}

const given = (query: URLSearchParams, name: string): Record<string, string> => {
  const value = query.get(name);
  return value === null ? {} : { [name]: value };
};

const fromQuery = (query: URLSearchParams): Partial<KubeRequest> => ({
  ...given(query, 'fieldManager'),
  ...given(query, 'resourceVersion'),
  ...given(query, 'fieldSelector'),
});

/** The object of a path: `namespaces/NS/RESOURCE/NAME/SUBRESOURCE` or without its first two. */
function placeOf(rest: readonly string[]): Pick<KubeRequest, 'namespace' | 'resource' | 'name' | 'subresource'> {
  const parts = rest.map(decode);
  const scoped = parts[0] === 'namespaces' && parts.length > 2 && !isNamespacePart(parts[2]);
  const [resource = '', name, subresource] = scoped ? parts.slice(2) : parts;
  return {
    resource,
    ...(scoped ? { namespace: parts[1] ?? '' } : {}),
    ...(name === undefined ? {} : { name }),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

/** Parses a request from its method and its target (path and query). Never throws. */
export function parseKubeRequest(method: string, target: string): KubeRequest {
  const [path = '', search = ''] = target.split('?', 2);
  const query = new URLSearchParams(search);
  const found = resourcePath(path);
  if (found === undefined) return { verb: 'other', group: '', resource: '' };
  const place = placeOf(found.rest);
  return { verb: verbOf(method, place.name !== undefined, query), group: found.group, ...place, ...fromQuery(query) };
}

/** `namespaces/x/status` and `namespaces/x/finalize` are subresources of the Namespace, not resources inside it. */
const isNamespacePart = (part: string | undefined): boolean => part === 'status' || part === 'finalize';

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
