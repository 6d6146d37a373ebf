import { objectKey, isMutating, type KubeRequest } from './kube-request.ts';
import { isCountedApart } from './journal.ts';

/** Name of one write: `verb resource ns/name[/subresource] #ordinal` (reliability.md §2.2). */
export type WritePoint = string;

/**
 * Names writes as they arrive. The ordinal counts within (verb, resource, object, subresource), not over all requests.
 * So a plan still names the same write when other writes come in another order. Leases and Events have no names.
 */
export class WritePointNamer {
  readonly #counts = new Map<string, number>();

  /** @returns undefined when it is not a write */
  name(request: KubeRequest): WritePoint | undefined {
    if (!isMutating(request) || isCountedApart(request)) return undefined;
    const { verb, resource, subresource } = request;
    const place = [objectKey(request), subresource].filter((part) => part !== undefined && part !== '').join('/');
    const name = `${verb} ${resource} ${place}`;
    const ordinal = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, ordinal);
    return `${name} #${ordinal}`;
  }
}
