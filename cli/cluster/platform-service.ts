import { KINDS } from '../../adapters/kube/kinds.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../core/json/json-value.ts';
import { listAt, member, objectAt } from '../../core/json/members.ts';
import type { KubeObject } from '../../core/reconcile/kube-object.ts';
import type { Cluster, PodPort } from '../io/cluster.ts';
import { EXIT, Failure, invalid } from '../io/failure.ts';
import { textAt } from '../io/output.ts';

/** Labels of the Service in front of the API. They stay when the chart gives objects other names. */
const API_LABELS = 'app.kubernetes.io/part-of=orb-platform,app.kubernetes.io/component=api';

/** A ready pod of the API, and how to connect to it. */
export interface PlatformPod {
  readonly target: PodPort;
  /** `NAME.NAMESPACE.svc`: the name in requests and, with TLS, in the certificate. */
  readonly host: string;
  readonly tls: boolean;
  /** Secret of the namespace with the authority of its certificate, as its Service says; absent: a public authority. */
  readonly tlsSecret: string | undefined;
}

const TLS_SECRET = 'orbs.dev/tls-secret';
const MAX_OBJECTS = 500;
const WEB_PORTS = ['https', 'http', 'api'];

/** An object as JSON. It was read from JSON, so nothing is lost. */
const jsonOf = (object: KubeObject): JsonObject => {
  const value: unknown = JSON.parse(JSON.stringify(object));
  return isJsonObject(value) ? value : {};
};

const nameOf = (object: JsonValue): string => textAt(objectAt(object, 'metadata'), 'name');

/** The port that callers use: the port with a known name, else the first port. */
function portOf(service: JsonObject): JsonValue | undefined {
  const ports = listAt(objectAt(service, 'spec'), 'ports');
  const named = WEB_PORTS.map((name) => ports.find((port) => textAt(port, 'name') === name));
  return named.find((port) => port !== undefined) ?? ports[0];
}

const isTls = (port: JsonValue): boolean =>
  textAt(port, 'appProtocol').endsWith('https') || textAt(port, 'name') === 'https';

function selectorOf(service: JsonObject): string | undefined {
  const selector = objectAt(objectAt(service, 'spec'), 'selector');
  const pairs = Object.keys(selector).map((name) => `${name}=${textAt(selector, name)}`);
  return pairs.length === 0 ? undefined : pairs.join(',');
}

function isReady(pod: JsonObject): boolean {
  if (member(objectAt(pod, 'metadata'), 'deletionTimestamp') !== undefined) return false;
  return listAt(objectAt(pod, 'status'), 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
  );
}

const asNumber = (value: JsonValue | undefined): number | undefined => (typeof value === 'number' ? value : undefined);

/** The port of the pod behind a port of the Service: its number, or the container port of that name. */
function targetPort(port: JsonValue, pod: JsonObject): number | undefined {
  const target = member(port, 'targetPort') ?? member(port, 'port');
  if (typeof target !== 'string') return asNumber(target);
  const containers = listAt(objectAt(pod, 'spec'), 'containers');
  const ports = containers.flatMap((container) => [...listAt(container, 'ports')]);
  return asNumber(
    member(
      ports.find((one) => textAt(one, 'name') === target),
      'containerPort',
    ),
  );
}

async function findService(cluster: Cluster, namespace: string, signal: AbortSignal): Promise<JsonObject> {
  const query = { namespace, labelSelector: API_LABELS, limit: MAX_OBJECTS };
  const { items } = await cluster.client.list(KINDS.service, query, signal);
  const services = items.map(jsonOf).toSorted((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
  const [first] = services;
  if (first !== undefined) return first;
  throw invalid(
    `there is no Service of the platform in the namespace ${namespace} of ${cluster.server}`,
    `it would have the labels ${API_LABELS}`,
    '--platform-namespace NAME looks in another one; --context NAME on another cluster',
    '--server URL needs neither: it is the address of the API, where it has one',
  );
}

async function findPod(
  cluster: Cluster,
  namespace: string,
  service: JsonObject,
  signal: AbortSignal,
): Promise<JsonObject> {
  const selector = selectorOf(service);
  if (selector === undefined)
    throw invalid(
      `the Service ${nameOf(service)} in ${namespace} selects no pods`,
      'name the address of the API by --server URL',
    );
  const query = { namespace, labelSelector: selector, limit: MAX_OBJECTS };
  const { items } = await cluster.client.list(KINDS.pod, query, signal);
  const ready = items.map(jsonOf).find(isReady);
  if (ready !== undefined) return ready;
  throw new Failure(
    EXIT.unreachable,
    items.length === 0
      ? `no pod runs behind the Service ${nameOf(service)} in ${namespace}`
      : `none of the ${items.length} pods behind the Service ${nameOf(service)} in ${namespace} is ready`,
    [`kubectl describe pods -n ${namespace} -l ${selector}    says why`],
  );
}

/**
 * Finds a ready pod behind the labelled Service of the platform.
 * @throws Failure no Service (2), no ready pod (4)
 * @throws KubeError the API server refused the request
 */
export async function findPlatformPod(cluster: Cluster, namespace: string, signal: AbortSignal): Promise<PlatformPod> {
  const service = await findService(cluster, namespace, signal);
  const name = nameOf(service);
  const pod = await findPod(cluster, namespace, service, signal);
  const port = portOf(service);
  const number = port === undefined ? undefined : targetPort(port, pod);
  if (port === undefined || number === undefined)
    throw invalid(`the Service ${name} in ${namespace} names no port of its pods`, 'name the API by --server URL');
  const named = textAt(objectAt(objectAt(service, 'metadata'), 'annotations'), TLS_SECRET);
  return {
    target: { namespace, pod: nameOf(pod), port: number },
    host: `${name}.${namespace}.svc`,
    tls: isTls(port),
    tlsSecret: named === '' ? undefined : named,
  };
}
