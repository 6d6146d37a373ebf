import { expect } from 'chai';
import { KINDS } from '../../../../adapters/kube/kinds.ts';
import { aClient, until, type ClientFixture } from '../../../support/kube/a-client.ts';
import { startReflector, type RunningReflector } from '../../../support/kube/a-reflector.ts';
import { statusBody, type Reply, type ServedRequest } from '../../../support/kube/fake-api-server.ts';
import { anObject, bookmarkLine, errorLine, watchLine } from '../../../support/kube/kube-objects.ts';

const isWatch = ({ query }: ServedRequest): boolean => query['watch'] === 'true';
const page = (version: number, ...names: readonly string[]): unknown => ({
  metadata: { resourceVersion: String(version) },
  items: names.map((name) => anObject(name, version)),
});

interface Wire {
  readonly fixture: ClientFixture;
  readonly one: RunningReflector;
  readonly watches: readonly Reply[];
  readonly asked: () => { readonly lists: number; readonly watches: readonly (string | undefined)[] };
  /** Moves the clock on until a watch more is open. */
  readonly nextWatch: () => Promise<Reply>;
}

/** A reflector that watches over real sockets, from version 10 where `a` is. */
async function watchingOverTheWire(): Promise<Wire> {
  const fixture = await aClient();
  const watches: Reply[] = [];
  fixture.server.answer = (request, reply) => {
    if (!isWatch(request)) return reply.json(200, page(10, 'a'));
    reply.open();
    watches.push(reply);
    return undefined;
  };
  const one = await startReflector(fixture.client, { clock: fixture.clock });
  await until(() => watches.length === 1);
  const nextWatch = async (): Promise<Reply> => {
    const before = watches.length;
    // Time passes in its back-offs alone: what is on its way takes turns.
    for (let step = 0; step < 200 && watches.length === before; step += 1) {
      await until(() => one.reflector.state() === 'backoff' || watches.length > before);
      if (watches.length === before) await fixture.clock.advance(500);
    }
    const watch = watches.at(-1);
    if (watch === undefined || watches.length === before) throw new Error('no watch was opened');
    return watch;
  };
  const asked = (): ReturnType<Wire['asked']> => ({
    lists: fixture.server.requests.filter((request) => !isWatch(request)).length,
    watches: fixture.server.requests.filter(isWatch).map(({ query }) => query['resourceVersion']),
  });
  return { fixture, one, watches, asked, nextWatch };
}

const first = ({ watches }: Wire): Reply => {
  const [watch] = watches;
  if (watch === undefined) throw new Error('nothing is watched');
  return watch;
};

describe('a reflector over real connections', () => {
  let wire: Wire;
  beforeEach(async () => {
    wire = await watchingOverTheWire();
  });
  afterEach(async () => {
    await wire.one.stop();
    await wire.fixture.close();
  });

  it('reads a line whose character is cut by a chunk', async () => {
    const bytes = Buffer.from(watchLine('ADDED', anObject('b', 11, { spec: '€' })));
    const cut = bytes.indexOf(0xe2) + 1;
    first(wire).write(bytes.subarray(0, cut));
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    first(wire).write(bytes.subarray(cut));
    await until(() => wire.one.names().length === 2);
    expect(wire.one.reflector.store.get('acme/b')?.spec).to.equal('€');
  });

  it('resumes after a reset in the middle of a line, and loses nothing', async () => {
    const line = watchLine('ADDED', anObject('c', 12));
    first(wire).write(watchLine('ADDED', anObject('b', 11)) + line.slice(0, 30));
    await until(() => wire.one.names().length === 2);
    first(wire).reset();
    await until(() => wire.one.reflector.state() === 'backoff');
    const watch = await wire.nextWatch();
    watch.write(line);
    await until(() => wire.one.names().length === 3);
    expect(wire.asked()).to.deep.equal({ lists: 1, watches: ['10', '11'] });
  });

  it('drops a line that a clean end has cut, and resumes before it', async () => {
    const line = watchLine('ADDED', anObject('b', 11));
    first(wire).write(bookmarkLine(10) + line.slice(0, -10));
    first(wire).end();
    const watch = await wire.nextWatch();
    watch.write(line);
    await until(() => wire.one.names().length === 2);
    expect(wire.asked()).to.deep.equal({ lists: 1, watches: ['10', '10'] });
  });

  it('closes the connection of a frozen peer after 90 s and opens another', async () => {
    await wire.fixture.clock.advance(90_000);
    await first(wire).closed;
    await until(() => wire.asked().watches.length === 2);
    expect(wire.asked()).to.deep.equal({ lists: 1, watches: ['10', '10'] });
    expect(wire.one.reported).to.include('stall Orb');
  });

  it('lists anew after an ERROR 410 that came with HTTP 200', async () => {
    wire.fixture.server.answer = (request, reply) => {
      if (isWatch(request)) reply.open();
      else reply.json(200, page(50, 'z'));
    };
    first(wire).write(errorLine(410));
    await until(() => wire.one.reflector.state() === 'backoff');
    await wire.fixture.clock.advance(1000);
    await until(() => wire.one.names()[0] === 'z' && wire.asked().watches.length === 1);
    await wire.fixture.clock.advance(1000);
    await until(() => wire.asked().watches.length === 2);
    expect(wire.asked()).to.deep.equal({ lists: 2, watches: ['10', '50'] });
  });

  it('waits for a WATCH that is answered with 429 as the header says', async () => {
    let refused = 0;
    wire.fixture.server.answer = (_request, reply) => {
      refused += 1;
      reply.json(429, statusBody(429, 'TooManyRequests'), { 'retry-after': '20' });
    };
    first(wire).reset();
    await until(() => wire.one.reflector.state() === 'backoff');
    await wire.fixture.clock.advance(1000);
    await until(() => refused === 1 && wire.one.reflector.failure()?.status === 429);
    await wire.fixture.clock.advance(21_000);
    expect(refused).to.equal(1);
    await wire.fixture.clock.advance(1100);
    await until(() => refused === 2);
    expect(wire.asked().lists).to.equal(1);
  });

  it('takes 5 000 events in one go while the loop keeps turning', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 1);
    const lines = Array.from({ length: 5000 }, (_, index) => watchLine('ADDED', anObject(`o${index}`, 11 + index)));
    first(wire).write(lines.join(''));
    await until(() => wire.one.reflector.store.list().length === 5001);
    clearInterval(timer);
    expect(turns).to.be.greaterThan(0);
  });

  it('closes its connection when it is stopped', async () => {
    await wire.one.stop();
    await first(wire).closed;
    expect(wire.one.reflector.state()).to.equal('stopped');
  });

  it('is cheap: 200 of single Secrets need a watch each and a few connections beside, and stop at once', async () => {
    const { server, client, clock } = wire.fixture;
    server.answer = (request, reply) => {
      if (isWatch(request)) reply.open();
      else reply.json(200, { metadata: { resourceVersion: '5' }, items: [] });
    };
    const all = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        startReflector(client, {
          clock,
          kind: KINDS.secret,
          selection: { namespace: 'acme', fieldSelector: `metadata.name=s${index}` },
        }),
      ),
    );
    await Promise.all(all.map(({ reflector }) => reflector.synced));
    await until(() => wire.asked().watches.length === 201);
    expect(server.connections()).to.be.at.most(201 + 16);
    await Promise.all(all.map(({ stop }) => stop()));
    expect(all.every(({ reflector }) => reflector.state() === 'stopped')).to.equal(true);
  });
});
