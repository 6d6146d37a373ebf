import type { Artefact } from './artefact.ts';

const FOLDER = 'charts/orb-crds/templates';
const DEFINITIONS = 'crds/definitions/';

// A template comment: Helm does not write it into the release.
const HEAD = '{{- /* generated from crds/schemas by hack/generate.ts: do not edit */ -}}\n{{- if .Values.install }}\n';
const TAIL = '{{- end }}\n';
const KEEP = `metadata:
  {{- if .Values.keep }}
  annotations:
    helm.sh/resource-policy: keep
  {{- end }}
`;

/** Escapes our own templates in descriptions, so that Helm does not render them. */
const literal = (text: string): string => text.replaceAll('{{', '{{ "{{" }}');

function template(definition: string): string {
  const withoutBanner = definition.replace(/^#.*\n/, '');
  const kept = literal(withoutBanner).replace(/^metadata:\n/m, KEEP);
  if (!kept.includes(KEEP)) throw new TypeError('a resource definition without metadata');
  return HEAD + kept + TAIL;
}

/** The resource definitions as templates of the chart orb-crds: Helm never upgrades files in a folder `crds`. */
export const chartArtefacts = (definitions: readonly Artefact[]): readonly Artefact[] =>
  definitions.map(({ path, text }) => ({ path: `${FOLDER}/${path.slice(DEFINITIONS.length)}`, text: template(text) }));
