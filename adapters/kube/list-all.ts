import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import { KubeError, type Kind, type KubeClient, type ListPage, type Selection } from './port.ts';
import { OWN_GROUP } from './kinds.ts';
import { withoutUnusedFields } from './store-transform.ts';

export interface ListQuestion {
  readonly client: Pick<KubeClient, 'list'>;
  readonly kind: Kind;
  readonly selection: Selection;
}

interface Found {
  readonly objects: readonly KubeObject[];
  /** Resource version of the first page: all pages show that moment. */
  readonly resourceVersion: string;
}

const PAGE = 500;
// Tenants write these objects, up to 1.5 MB each: a page must fit into memory and into one string.
const OWN_PAGE = 100;

/** The token of the next page is too old: etcd was compacted in between. */
class PagesExpired extends Error {}

async function nextPage(
  { client, kind, selection }: ListQuestion,
  { limit, token }: { readonly limit: number | undefined; readonly token: string | undefined },
  signal: AbortSignal,
): Promise<ListPage> {
  const query = {
    ...selection,
    ...(limit === undefined ? {} : { limit }),
    ...(token === undefined ? {} : { continue: token }),
  };
  try {
    return await client.list(kind, query, signal);
  } catch (error) {
    if (token !== undefined && error instanceof KubeError && error.status === 410)
      throw new PagesExpired('a page of a LIST expired', { cause: error });
    throw error;
  }
}

async function pages(question: ListQuestion, limit: number | undefined, signal: AbortSignal): Promise<Found> {
  const objects: KubeObject[] = [];
  let token: string | undefined;
  let resourceVersion: string | undefined;
  do {
    const page = await nextPage(question, { limit, token }, signal);
    // Unread parts are dropped at once: with them, ten thousand objects would take the memory of thirty thousand.
    for (const object of page.items) objects.push(withoutUnusedFields(object));
    resourceVersion ??= page.resourceVersion;
    token = page.continue;
  } while (token !== undefined);
  return { objects, resourceVersion };
}

/**
 * All objects of a selection at one moment, in pages of 500 (100 of our own kinds), to the end. After an expired page
 * it starts again once, without pages. The token that a 410 offers would lead to a list of two moments (operator.md
 * A3).
 * @throws KubeError, the signal's reason
 */
export async function listAll(question: ListQuestion, signal: AbortSignal): Promise<Found> {
  try {
    return await pages(question, question.kind.group === OWN_GROUP ? OWN_PAGE : PAGE, signal);
  } catch (error) {
    if (!(error instanceof PagesExpired)) throw error;
    return pages(question, undefined, signal);
  }
}
