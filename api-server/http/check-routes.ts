import { isScope } from '../../core/api-key/scopes.ts';
import type { Route } from './route.ts';

const PATH = /^(?:\/(?:[A-Za-z0-9._-]+|\{[a-z_]+\}))+$/;

/** What a route may declare in place of a scope. */
const WORDS: ReadonlySet<string> = new Set(['public', 'authenticated', 'source']);

const shapeOf = (route: Route): string => `${route.method} ${route.path.replaceAll(/\{[a-z_]+\}/g, '{}')}`;

function fault(route: Route): string | undefined {
  const scope: unknown = route.scope;
  const isWord = typeof scope === 'string' && WORDS.has(scope);
  if (!isWord && !(typeof scope === 'string' && isScope(scope))) return 'has no scope that exists';
  if (!PATH.test(route.path)) return 'has a malformed path';
  const declared = new Set(
    route.operation.parameters?.filter(({ in: place }) => place === 'path').map(({ name }) => name),
  );
  const names = [...route.path.matchAll(/\{([a-z_]+)\}/g)].map(([, name]) => name ?? '');
  return names.length === declared.size && names.every((name) => declared.has(name))
    ? undefined
    : 'declares other path parameters than it has';
}

/**
 * Refuses to start a server with a wrong route (security.md S14: default deny).
 * @throws TypeError names the route
 */
export function checkRoutes(routes: readonly Route[]): void {
  const shapes = new Set<string>();
  const operations = new Set<string>();
  for (const route of routes) {
    const found =
      fault(route) ??
      (shapes.has(shapeOf(route)) ? 'is there twice' : undefined) ??
      (operations.has(route.operation.operationId) ? 'has an operationId that is there twice' : undefined);
    if (found !== undefined) throw new TypeError(`route ${route.method.toUpperCase()} ${route.path} ${found}`);
    shapes.add(shapeOf(route));
    operations.add(route.operation.operationId);
  }
}
