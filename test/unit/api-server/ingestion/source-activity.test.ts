import { expect } from 'chai';
import { SourceActivities } from '../../../../api-server/ingestion/source-activity.ts';
import { SourceTraffic } from '../../../../api-server/ingestion/source-traffic.ts';
import type { KubeObject } from '../../../../core/reconcile/kube-object.ts';

const KEY = 'acme/grafana';
const object = (counts?: object): KubeObject => ({
  apiVersion: 'orbs.dev/v1alpha1',
  kind: 'OrbSignalSource',
  metadata: { name: 'grafana', namespace: 'acme' },
  status: counts === undefined ? {} : { counts },
});
const row = (received: number): { source: string; received: number; dead: number; lastAt: number } => ({
  source: KEY,
  received,
  dead: 1,
  lastAt: 1000,
});

describe('what came from a source', () => {
  it('is unknown while nothing came', () => {
    const activities = new SourceActivities(new SourceTraffic());
    expect(activities.look([object()], [])).to.deep.equal([]);
    expect(activities.of(KEY)).to.equal(undefined);
  });

  it('is reported when it changed since the last look, and only then', () => {
    const traffic = new SourceTraffic();
    const activities = new SourceActivities(traffic);
    expect(activities.look([object()], [row(3)])).to.deep.equal([KEY]);
    expect(activities.look([object()], [row(3)])).to.deep.equal([]);
    traffic.count(KEY, 'rejected');
    expect(activities.look([object()], [row(3)])).to.deep.equal([KEY]);
    expect(activities.of(KEY)).to.deep.equal({
      accepted: 3,
      duplicates: 0,
      rejected: 1,
      deadLetters: 1,
      lastEventAt: 1000,
    });
  });

  it('goes on from what the status shows after a restart, and adds nothing twice', () => {
    const traffic = new SourceTraffic();
    const activities = new SourceActivities(traffic);
    const shown = object({ accepted: 9, duplicates: 5, rejected: 2, deadLetters: 0 });
    traffic.count(KEY, 'duplicates');
    activities.look([shown], [row(10)]);
    activities.look([shown], [row(10)]);
    expect(activities.of(KEY)).to.include({ accepted: 10, duplicates: 6, rejected: 2 });
  });

  it('begins anew for another source of the same name', () => {
    const traffic = new SourceTraffic();
    const activities = new SourceActivities(traffic);
    traffic.count(KEY, 'duplicates');
    activities.look([object()], []);
    activities.forget(KEY);
    expect([activities.look([object()], []), activities.of(KEY)]).to.deep.equal([[], undefined]);
  });
});
