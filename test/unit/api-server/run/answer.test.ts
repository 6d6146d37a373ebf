import { expect } from 'chai';
import type { Ledger } from '../../../../adapters/ledger/port.ts';
import { isJsonObject } from '../../../../core/json/json-value.ts';
import { answered, createTestRuntime, SECRET } from '../../../support/a-runtime.ts';
import { textAt } from '../../../support/members.ts';
import { openSqliteFixture, type SqliteFixture } from '../../../support/sqlite-ledger.ts';

describe('what a run tells', () => {
  let fixture: SqliteFixture;
  before(async () => {
    fixture = await openSqliteFixture();
  });
  after(() => fixture.dispose());

  const create = (options: Partial<Parameters<typeof createTestRuntime>[0]> = {}) =>
    createTestRuntime({ ledger: fixture.ledger, clock: fixture.clock, ...options });

  it('shows a provider’s words only where the manifest exposes them: redacted, and 4 KiB at most', async () => {
    const body = Buffer.from(`no: ${SECRET} ${'x'.repeat(10_000)}`);
    const { execute, addOrb } = create({ answer: () => answered({}, { status: 400, body }) });
    addOrb('acme.open@1.0.0', { execution: { expose_error_body: true } });
    expect((await execute({})).body['provider_body']).to.equal(undefined);
    const shown = textAt((await execute({ orbId: 'acme.open@1.0.0' })).body, 'provider_body');
    expect(shown.startsWith('no: [redacted:TOKEN] xxx')).to.equal(true);
    expect(Buffer.byteLength(shown)).to.equal(4096);
    expect((await execute({ query: 'debug=true' })).body['provider_body']).to.equal(shown);
  });

  it('shows nothing for ?debug=true outside of standalone', async () => {
    const { execute } = create({ settings: { standalone: false } });
    expect((await execute({ query: 'debug=true' })).body['provider_body']).to.equal(undefined);
  });

  it('names the outputs that the answer lacks, and is silent when none is missing', async () => {
    const { execute, addOrb } = create({ answer: () => answered({ id: 'x1', ts: 5 }) });
    addOrb('acme.most@1.0.0', {
      outputs: { id: { type: 'string' }, ts: { type: 'string' }, url: { type: 'string' } },
    });
    const { body } = await execute({ orbId: 'acme.most@1.0.0', key: 'most' });
    expect(body['outputs']).to.deep.equal({ id: 'x1', ts: null, url: null });
    expect(body['missing_outputs']).to.deep.equal(['ts', 'url']);
    const repeated = await execute({ orbId: 'acme.most@1.0.0', key: 'most' });
    expect(repeated.body['missing_outputs']).to.deep.equal(['ts', 'url']);
    expect((await execute({})).body).to.not.have.property('missing_outputs');
  });

  it('never shows half of a secret at the end of the shown bytes', async () => {
    const body = Buffer.from(`${'x'.repeat(4096 - 10)}${SECRET}`);
    const { execute } = create({ answer: () => answered({}, { status: 400, body }) });
    const shown = textAt((await execute({ query: 'debug=true' })).body, 'provider_body');
    expect(shown.endsWith('x[redacted:')).to.equal(true);
  });
});

describe('the seed of a run', () => {
  it('holds no input, no output and no secret', async () => {
    const fixture = await openSqliteFixture();
    const seeds: string[] = [];
    const ledger: Ledger = {
      ...fixture.ledger,
      startRun: (start) => {
        seeds.push(start.seed);
        return fixture.ledger.startRun(start);
      },
    };
    await createTestRuntime({ ledger, clock: fixture.clock }).execute({ inputs: { text: 'of the caller alone' } });
    await fixture.dispose();
    expect(seeds.filter((seed) => isJsonObject(JSON.parse(seed)))).to.have.lengthOf(1);
    expect(seeds.join()).to.not.match(/of the caller alone|a-secret-of/);
  });
});
