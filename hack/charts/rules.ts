import type { Finding } from './finding.ts';
import { at, isRecord, listAt, membersAt, textAt, type Json } from '../control-plane/json.ts';
import { nameOf, type Rendered } from './render.ts';

const VERSION_LABELS = ['app.kubernetes.io/version', 'helm.sh/chart', 'version'];
const POD_TEMPLATES = [['spec', 'template', 'spec'], ['spec', 'jobTemplate', 'spec', 'template', 'spec'], ['spec']];
const SELECTORS = [
  ['spec', 'selector', 'matchLabels'],
  ['spec', 'selector'],
  ['spec', 'podSelector', 'matchLabels'],
];

const titleOf = (object: Json): string => `${textAt(object, 'kind')} ${textAt(object, 'metadata', 'name')}`;

/** Images of an object's pods. */
function imagesOf(object: Json): readonly string[] {
  return POD_TEMPLATES.flatMap((path) =>
    ['containers', 'initContainers'].flatMap((list) =>
      listAt(object, ...path, list).map((container) => textAt(container, 'image')),
    ),
  );
}

/**
 * What is wrong with an image's name; undefined: nothing. A registry may have a port; a tag is not followed by a slash.
 */
function imageFault(image: string): string | undefined {
  if (/@sha256:[0-9a-f]{64}$/.test(image)) return undefined;
  const tag = /:([^:/]+)$/.exec(image)?.[1];
  if (tag === undefined) return 'has neither tag nor digest';
  return tag === 'latest' ? 'has the tag latest' : undefined;
}

function objectFaults(object: Json): readonly string[] {
  const images = imagesOf(object).flatMap((image) => {
    const fault = imageFault(image);
    return fault === undefined ? [] : [`image ${image} ${fault}`];
  });
  const selected = SELECTORS.flatMap((path) => membersAt(object, ...path).map(([label]) => label));
  const versions = VERSION_LABELS.filter((label) => selected.includes(label)).map(
    (label) => `its selector has ${label}: the next version could not be installed over it`,
  );
  return [...images, ...versions];
}

/** Rules that neither Helm nor the schemas of Kubernetes check: images are pinned, selectors outlive a version. */
export function checkObjects({ subject, objects }: Pick<Rendered, 'subject' | 'objects'>): readonly Finding[] {
  return objects.flatMap((object) =>
    objectFaults(object).map((fault) => ({ where: nameOf(subject), what: `${titleOf(object)}: ${fault}` })),
  );
}

const bare = (definition: Json): string =>
  JSON.stringify({ spec: at(definition, 'spec'), name: at(definition, 'metadata', 'name') });

/** The rendered resource definitions must be exactly those of the project. */
export function checkDefinitions(rendered: Rendered, own: readonly Json[]): readonly Finding[] {
  const there = new Map(rendered.objects.map((object) => [textAt(object, 'metadata', 'name'), object]));
  const where = nameOf(rendered.subject);
  const wrong = own.flatMap((definition) => {
    const name = textAt(definition, 'metadata', 'name');
    const found = there.get(name);
    there.delete(name);
    if (isRecord(found) && bare(found) === bare(definition)) return [];
    return [{ where, what: `${name} is not what crds/definitions has: npm run generate` }];
  });
  return [...wrong, ...[...there.keys()].map((name) => ({ where, what: `${name} is no definition of this project` }))];
}
