import { expect } from 'chai';
import { createHmac, randomUUID } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hmacSha256 } from '../../../adapters/keys/primitives.ts';
import { sourceIdOf } from '../../../core/ingestion/source/source-id.ts';
import type { OrbSignalSourceSpec } from '../../../crds/orbsignalsource.ts';
import { secret } from '../../support/cluster-objects.ts';
import { BROKEN_SPEC, GRAFANA_SPEC, sourceObject } from '../../support/signal-sources.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';
import { lastAnswer } from '../../support/wait-for.ts';

const TAKES_FORCE_MS = 5000;

describe('signal sources from files', function suite() {
  this.timeout(60_000);
  const data = temporaryFolder();
  let standalone: Standalone;

  const start = async (spec: OrbSignalSourceSpec): Promise<void> => {
    standalone = await startStandalone({
      data,
      resources: {
        'source.json': JSON.stringify(sourceObject('grafana', spec)),
        'secret.json': JSON.stringify(secret('hook', { current: 'one' })),
      },
    });
  };
  before(() => start(GRAFANA_SPEC));
  after(async () => {
    await standalone.stop();
    rmSync(data, { recursive: true });
  });

  const write = (file: string, object: object): void =>
    writeFileSync(join(standalone.resources, file), JSON.stringify(object));
  /** The id that follows from the key of this installation. */
  const sourceId = (): string => {
    const key = Buffer.from(readFileSync(join(standalone.data, 'keys/ingest-id.key'), 'utf8').trim(), 'base64url');
    return sourceIdOf(key, { namespace: 'default', name: 'grafana', pathEpoch: 1 }, hmacSha256);
  };
  /** The status of the answer to a delivery that is signed with this secret. */
  const delivered = async (key: string): Promise<number> => {
    const body = JSON.stringify({ alerts: [], id: randomUUID() });
    const signature = createHmac('sha256', key).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-grafana-alerting-signature': signature };
    const answer = await fetch(`${standalone.ready.url}/ingest/${sourceId()}`, { method: 'POST', headers, body });
    await answer.text();
    return answer.status;
  };
  const until = (key: string, wanted: number): Promise<number> =>
    lastAnswer(
      () => delivered(key),
      (found) => found === wanted,
      TAKES_FORCE_MS,
      100,
    );

  it('receive at their URL with the secret of a file', async () => {
    expect([await delivered('one'), await delivered('other')]).to.deep.equal([202, 401]);
  });

  it('use a secret that was rotated', async () => {
    write('secret.json', secret('hook', { current: 'two' }));
    expect(await until('two', 202)).to.equal(202);
    expect(await delivered('one')).to.equal(401);
  });

  it('receive on after a broken edit, also after the process was killed', async () => {
    write('source.json', sourceObject('grafana', BROKEN_SPEC));
    const said = await lastAnswer(
      () => standalone.output(),
      (text) => text.includes('a version of a signal source does not take force'),
    );
    expect(said).to.include('"code":"parse-error"');
    expect(await delivered('two')).to.equal(202);
    await standalone.stop('SIGKILL');
    await start(BROKEN_SPEC);
    expect(await until('one', 202)).to.equal(202);
  });

  it('are gone with their files', async () => {
    rmSync(join(standalone.resources, 'source.json'));
    expect(await until('one', 404)).to.equal(404);
  });
});
