import { APPLY, type AdminApi } from '../../chaos/rig/admin-api.ts';
import { untilTrue } from '../../support/wait-for.ts';

const GROUP = 'facts.orbs.dev';
const ANY = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A resource with a status and nothing else, so that what is asserted is the API server's doing. */
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${GROUP}` },
  spec: {
    group: GROUP,
    names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
    scope: 'Namespaced',
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: ANY, status: ANY } } },
      },
    ],
  },
};

/** `apiVersion` and `kind` of a Widget. */
export const WIDGET = { apiVersion: `${GROUP}/v1`, kind: 'Widget' } as const;

/** Path of the Widgets of a namespace, or of one. */
export const widgets = (namespace: string, name?: string): string =>
  `/apis/${GROUP}/v1/namespaces/${namespace}/widgets${name === undefined ? '' : `/${name}`}`;

/** Installs the resource and makes a namespace for it. */
export async function installWidgets(api: AdminApi, namespace: string): Promise<void> {
  const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`;
  await api.ok('PATCH', `${path}?fieldManager=facts&force=true`, { body: definition, type: APPLY });
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await api.ok('PATCH', `/api/v1/namespaces/${namespace}?fieldManager=facts&force=true`, { body, type: APPLY });
  await untilTrue('the resource is served', async () => (await api.call('GET', widgets(namespace))).status === 200);
}

/** Removes both again. */
export async function removeWidgets(api: AdminApi, namespace: string): Promise<void> {
  await api.ok('DELETE', `/api/v1/namespaces/${namespace}`);
  await api.ok('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`);
}
