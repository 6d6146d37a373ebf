import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import type { Change } from '../../../../adapters/kube/port.ts';
import { keyOf, type KubeObject } from '../../../../core/reconcile/kube-object.ts';
import { forEachConcern, OPERATOR_KINDS, type KindName } from '../../../../operator/kinds/kinds.ts';
import { anOrb, anOrbiset, manifestOf, sent } from '../../../support/kube-objects.ts';
import { operatorContext } from '../../../support/operator-context.ts';

const withId = (name: string, orbId: unknown, generation = 1): KubeObject =>
  anOrb(name, { spec: manifestOf({ orb_id: orbId }), metadata: { generation } });
const last = (orbId: string): object => ({ digest: `sha256:${'0'.repeat(64)}`, orbId, providers: ['main'] });
const binding = (name: string): KubeObject => ({ ...anOrb(name), kind: 'RoleBinding' });

/** What one handler adds to the queues, while the caches hold some objects. */
async function added(
  handler: KindName,
  change: Partial<Omit<Change, 'key'>>,
  cached: readonly KubeObject[] = [],
): Promise<readonly string[]> {
  const found: string[] = [];
  const queue = (name: string): { readonly add: (key: string, options?: { readonly lane?: string }) => void } => ({
    add: (key, { lane = 'normal' } = {}) => void found.push(`${name} ${key} ${lane}`),
  });
  const { context, client, syncCaches } = operatorContext();
  for (const object of cached) client.put(object.kind === 'Orb' ? KINDS.orb : KINDS.orbiset, sent(object));
  await syncCaches();
  const queues = forEachConcern(({ name }) => queue(name));
  const { before, after, initial = false } = change;
  const object = after ?? before;
  const key = object === undefined ? '' : keyOf(object.metadata);
  const placement = { platformNamespace: 'orb-system', apiAccount: 'orb-api', vaultMode: 'operator' } as const;
  const enqueue = { ...placement, queues, stores: context.stores, forget: context.judgements.forget };
  for (const { name, changed } of OPERATOR_KINDS)
    if (name === handler) changed({ key, before, after, initial }, enqueue);
  return found.toSorted();
}

describe('OPERATOR_KINDS', () => {
  const echo = withId('echo', 'acme.echo@1.0.0');
  const lister = anOrbiset('lister', { spec: { orbs: ['acme.echo'] } });
  const rows: readonly [string, KindName, Partial<Change>, readonly KubeObject[], readonly string[]][] = [
    ['a new Orb first', 'orb', { after: echo }, [], ['orb acme/echo high']],
    [
      'an edited Orb first',
      'orb',
      { before: echo, after: withId('echo', 'acme.echo@1.0.0', 2) },
      [],
      ['orb acme/echo high'],
    ],
    ['an Orb whose status changed after those', 'orb', { before: echo, after: echo }, [], ['orb acme/echo normal']],
    [
      'an Orb of the first LIST last, without its twins',
      'orb',
      { after: echo, initial: true },
      [withId('twin', 'acme.echo@1.0.0')],
      ['orb acme/echo low'],
    ],
    [
      'the Orbs that asked for the id of one that is gone',
      'orb',
      { before: echo },
      [withId('twin', 'acme.echo@1.0.0'), withId('other', 'acme.other@1.0.0')],
      ['orb acme/echo high', 'orb acme/twin normal'],
    ],
    [
      'the Orbs of both ids when the id changed',
      'orb',
      { before: echo, after: withId('echo', 'acme.echo@2.0.0', 2) },
      [withId('old', 'acme.echo@1.0.0'), withId('new', 'acme.echo@2.0.0')],
      ['orb acme/echo high', 'orb acme/new normal', 'orb acme/old normal'],
    ],
    [
      'the twins of an edited Orb, as an edit may make it valid or break it',
      'orb',
      { before: echo, after: withId('echo', 'acme.echo@1.0.0', 2) },
      [withId('twin', 'acme.echo@1.0.0')],
      ['orb acme/echo high', 'orb acme/twin normal'],
    ],
    [
      'the Orbs of the id of a last valid version that a status no longer names',
      'orb',
      { before: { ...echo, status: { lastValid: last('acme.echo@2.0.0') } }, after: echo },
      [withId('twin', 'acme.echo@1.0.0'), withId('heir', 'acme.echo@2.0.0')],
      ['orb acme/echo normal', 'orb acme/heir normal'],
    ],
    [
      'the Orbisets that list a new Orb',
      'orb',
      { after: echo },
      [lister, anOrbiset('other')],
      ['orb acme/echo high', 'orbiset acme/lister normal'],
    ],
    ['an Orb without an id alone', 'orb', { after: withId('echo', 7) }, [], ['orb acme/echo high']],
    [
      'a new Orbiset and the RoleBinding of its namespace',
      'orbiset',
      { after: lister },
      [],
      ['orbiset acme/lister high', 'roleBinding acme high'],
    ],
    [
      'the Orbs of its namespace, whose secrets it may bind',
      'orbiset',
      { after: anOrbiset('team') },
      [echo, anOrb('away', { metadata: { namespace: 'other' } })],
      ['orb acme/echo low', 'orbiset acme/team high', 'roleBinding acme high'],
    ],
    [
      'the shared Orbs that it lists, or did',
      'orbiset',
      { before: lister, after: anOrbiset('lister', { metadata: { generation: 2 } }) },
      [anOrb('echo', { metadata: { namespace: 'orb-system' } })],
      ['orb orb-system/echo low', 'orbiset acme/lister high'],
    ],
    [
      'an Orbiset of the first LIST alone: its Orbs are in theirs',
      'orbiset',
      { after: lister, initial: true },
      [echo],
      ['orbiset acme/lister low', 'roleBinding acme low'],
    ],
    [
      'an Orbiset whose status changed alone',
      'orbiset',
      { before: lister, after: lister },
      [],
      ['orbiset acme/lister normal'],
    ],
    [
      'an Orbiset that is being deleted and the RoleBinding',
      'orbiset',
      { before: lister, after: anOrbiset('lister', { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }) },
      [],
      ['orbiset acme/lister normal', 'roleBinding acme normal'],
    ],
    [
      'a RoleBinding’s namespace and its Orbisets',
      'roleBinding',
      { before: binding('x') },
      [lister],
      ['orbiset acme/lister normal', 'roleBinding acme high'],
    ],
    [
      'a publication alone',
      'publication',
      { after: { ...echo, kind: 'OrbPublication' } },
      [lister],
      ['publication acme/echo high'],
    ],
  ];
  for (const [why, handler, change, cached, expected] of rows) {
    it(`has looked at: ${why}`, async () => {
      expect(await added(handler, change, cached)).to.deep.equal(expected);
    });
  }
});
