import { expect } from 'chai';
import { join } from 'node:path';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../core/json/json-value.ts';
import {
  at,
  CI_FOLDER,
  objectsIn,
  openHelm,
  textAt,
  titleOf,
  type Helm,
} from '../../support/cluster/platform-chart.ts';

const VALUES = ['-f', join(CI_FOLDER, 'everything-values.yaml'), '--api-versions', 'monitoring.coreos.com/v1'];
// What a Prometheus in a pod is told to scrape, where no operator of Prometheus reads ServiceMonitors.
const SCRAPED = [
  { part: 'api', port: 9464 },
  { part: 'operator', port: 9465 },
  { part: 'status-prober', port: 9464 },
] as const;

const listAt = (value: JsonValue | undefined, ...path: readonly string[]): readonly JsonObject[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isJsonObject) : [];
};

/** Whether labels have all that a selector wants. An empty one selects everything. */
const selects = (wanted: JsonValue | undefined, labels: JsonValue | undefined): boolean =>
  Object.entries(isJsonObject(wanted) ? wanted : {}).every(([name, value]) => at(labels, name) === value);

describe('ServiceMonitors of the chart', () => {
  let helm: Helm;
  let objects: readonly JsonObject[];
  before(async () => {
    helm = await openHelm();
    objects = objectsIn(await helm.render(VALUES));
  });
  after(() => helm.remove());

  const ofKind = (kind: string): readonly JsonObject[] => objects.filter((object) => at(object, 'kind') === kind);

  for (const { part, port } of SCRAPED)
    it(`lead to port ${port} of the pods of the ${part}, under their job`, () => {
      const [monitor] = ofKind('ServiceMonitor').filter((one) => textAt(one, 'metadata', 'name') === `orb-${part}`);
      const [endpoint] = listAt(monitor, 'spec', 'endpoints');
      expect(listAt(endpoint, 'relabelings')).to.deep.equal([{ targetLabel: 'job', replacement: `orb-${part}` }]);
      const services = ofKind('Service').filter((one) =>
        selects(at(monitor, 'spec', 'selector', 'matchLabels'), at(one, 'metadata', 'labels')),
      );
      expect(services.map(titleOf)).to.deep.equal([`Service orb-system/orb-${part}-metrics`]);
      const [service] = services;
      const ports = listAt(service, 'spec', 'ports').filter(({ name }) => name === at(endpoint, 'port'));
      expect(ports.map((one) => one['port'])).to.deep.equal([port]);
      const workloads = objects.filter((one) => at(one, 'spec', 'template', 'spec') !== undefined);
      const called = workloads.filter((one) =>
        selects(at(service, 'spec', 'selector'), at(one, 'spec', 'template', 'metadata', 'labels')),
      );
      expect(called.map(titleOf)).to.deep.equal([`Deployment orb-system/orb-${part}`]);
      const numbers = listAt(called[0], 'spec', 'template', 'spec', 'containers')
        .flatMap((container) => listAt(container, 'ports'))
        .filter(({ name }) => name === at(ports[0], 'targetPort'))
        .map(({ containerPort }) => containerPort);
      expect(numbers).to.deep.equal([port]);
    });
});
