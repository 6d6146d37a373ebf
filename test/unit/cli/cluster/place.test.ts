import { expect } from 'chai';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseVerbArgs } from '../../../../cli/args/parse-args.ts';
import { SERVER_FLAGS } from '../../../../cli/api/server.ts';
import { placeOf, type Place } from '../../../../cli/cluster/place.ts';
import type { Io } from '../../../../cli/io/io.ts';
import { writeLogin, type Login } from '../../../../cli/io/stored-login.ts';
import { ioOf } from '../../../support/cli-io.ts';

const LOGIN: Login = {
  kind: 'cluster',
  context: 'stored',
  kubeconfig: '/stored/config',
  platformNamespace: 'stored-system',
  serviceAccount: 'stored/caller',
};

const cluster = (more: object = {}): unknown => ({
  kind: 'cluster',
  selection: {},
  platformNamespace: 'orb-system',
  serviceAccount: undefined,
  ...more,
});

describe('placeOf', () => {
  const before = process.cwd();
  let home = '';
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'orb-place-'));
    process.chdir(home);
  });
  afterEach(() => {
    process.chdir(before);
    rmSync(home, { recursive: true });
  });
  const withKubeconfig = (): void => {
    mkdirSync(join(home, '.kube'));
    writeFileSync(join(home, '.kube', 'config'), '');
  };
  const find = (argv: readonly string[], some: Partial<Io> = {}): Promise<Place> =>
    placeOf(parseVerbArgs({ flags: SERVER_FLAGS }, argv), ioOf({ home, env: {}, ...some }));
  it('is the folder here without anything else', async () => {
    expect(await find([])).to.deep.equal({ kind: 'local', data: '.orb' });
  });

  it('is the cluster of a kubeconfig that is there, named by the environment, or of the pod', async () => {
    expect(await find([], { env: { KUBECONFIG: '/some' } })).to.deep.equal(cluster());
    expect(await find([], { env: { KUBERNETES_SERVICE_HOST: '10.0.0.1' } })).to.deep.equal(cluster());
    withKubeconfig();
    expect(await find([])).to.deep.equal(cluster());
  });

  it('is the folder of npm start before a kubeconfig, unless kubectl calls', async () => {
    withKubeconfig();
    mkdirSync(join(home, '.orb'));
    expect(await find([])).to.deep.equal({ kind: 'local', data: '.orb' });
    expect(await find([], { plugin: true })).to.deep.equal(cluster());
  });

  it('is the folder that is named before a login', async () => {
    await writeLogin({ env: {}, home }, LOGIN);
    expect(await find(['--data', 'mine'])).to.deep.equal({ kind: 'local', data: 'mine' });
  });

  it('reports a folder here that a login goes before', async () => {
    mkdirSync(join(home, '.orb'));
    await writeLogin({ env: {}, home }, LOGIN);
    expect(await find([])).to.deep.include({ kind: 'cluster', passedOver: '.orb' });
    expect(await find(['--context', 'other'])).not.to.have.property('passedOver');
  });

  it('is the cluster that a login remembers, with its caller and namespace', async () => {
    await writeLogin({ env: {}, home }, LOGIN);
    expect(await find([])).to.deep.equal({
      kind: 'cluster',
      selection: { kubeconfig: '/stored/config', context: 'stored' },
      platformNamespace: 'stored-system',
      serviceAccount: 'stored/caller',
    });
    expect(await find(['--platform-namespace', 'other'])).to.deep.include({ platformNamespace: 'other' });
  });

  it('takes nothing of a login for another cluster', async () => {
    await writeLogin({ env: {}, home }, LOGIN);
    expect(await find(['--context', 'other'])).to.deep.equal(cluster({ selection: { context: 'other' } }));
  });

  it('ignores a login to a server: it says nothing of a cluster', async () => {
    await writeLogin({ env: {}, home }, { kind: 'server', server: 'https://orbs.example/', key: 'k' });
    expect(await find([])).to.deep.equal({ kind: 'local', data: '.orb' });
  });

  it('refuses flags of both, and a namespace that would be a path', async () => {
    expect(await find(['--data', 'x', '--context', 'y']).catch(String)).to.include('not with flags of a cluster');
    expect(await find(['--platform-namespace', '../x']).catch(String)).to.include('lower-case letters');
  });
});
