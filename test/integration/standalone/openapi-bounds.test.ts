import { expect } from 'chai';
import { rmSync } from 'node:fs';
import { isJsonObject, type JsonObject } from '../../../core/json/json-value.ts';
import { startStandalone, temporaryFolder, type Standalone } from '../../support/standalone.ts';

const objectOf = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const listOf = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const ORB = 'example.echo@1.0.0';
/** Characters of every class that a cursor could hold or lack. */
const CHARACTERS = 'aZ09_.~=:@+-/*,; %é?&#'.split(''); // `%` is sent as %25

interface Parameter {
  readonly path: string;
  readonly name: string;
  readonly schema: JsonObject;
}

/** Query parameters of every GET whose path names nothing that has to exist. */
function parametersOf(document: JsonObject): readonly Parameter[] {
  return Object.entries(objectOf(document['paths'])).flatMap(([path, routes]) => {
    const real = path.replace('{orb_id}', ORB);
    const list = listOf(objectOf(objectOf(routes)['get'])['parameters']);
    return real.includes('{')
      ? []
      : list
          .filter((one) => one['in'] === 'query')
          .map((one) => ({ path: real, name: textOf(one['name']), schema: objectOf(one['schema']) }));
  });
}

describe('the parameters of /openapi.json', () => {
  let data: string;
  let running: Standalone;
  let parameters: readonly Parameter[];
  async function statusOf(path: string): Promise<number> {
    const answer = await running.get(path);
    await answer.arrayBuffer();
    return answer.status;
  }

  before(async () => {
    data = temporaryFolder();
    running = await startStandalone({ data });
    const all = parametersOf(objectOf(await (await running.get('/openapi.json')).json()));
    const paths = [...new Set(all.map(({ path }) => path))];
    const statuses = new Map(await Promise.all(paths.map(async (path) => [path, await statusOf(path)] as const)));
    // The others need a right that the key lacks, or a parameter.
    parameters = all.filter(({ path }) => statuses.get(path) === 200);
  });
  after(async () => {
    await running.stop();
    rmSync(data, { recursive: true, force: true });
  });

  /** Whether the server reads a value, whatever it then answers to it. */
  async function isRead({ path, name }: Pick<Parameter, 'path' | 'name'>, value: string): Promise<boolean> {
    const answer = await running.get(`${path}?${new URLSearchParams([[name, value]]).toString()}`);
    const faults = listOf(objectOf(await answer.json().catch(() => ({})))['errors']);
    return !faults.some((fault) => fault['parameter'] === name && fault['code'] === 'parameter-malformed');
  }

  it('give each cursor the form that the server reads', async () => {
    const cursors = parameters.filter(({ name }) => name === 'cursor');
    expect(cursors.length).to.be.greaterThan(4);
    for (const cursor of cursors) {
      const form = new RegExp(textOf(cursor.schema['pattern']));
      const texts = [...CHARACTERS, '', 'default/limits', 'x'.repeat(512), 'x'.repeat(513)];
      const read = await Promise.all(texts.map((text) => isRead(cursor, text)));
      expect([cursor.path, read]).to.deep.equal([cursor.path, texts.map((text) => form.test(text))]);
    }
  });

  it('give each number the bounds that the server has', async () => {
    const numbers = parameters.filter(
      ({ schema }) => schema['type'] === 'integer' && schema['maximum'] !== 2 ** 53 - 1,
    );
    expect(numbers.length).to.be.greaterThan(6);
    for (const number of numbers) {
      const [min, max] = [Number(number.schema['minimum']), Number(number.schema['maximum'])];
      const values = [min, max, min - 1, max + 1];
      const read = await Promise.all(values.map((value) => isRead(number, String(value))));
      expect([number.path, number.name, read]).to.deep.equal([number.path, number.name, [true, true, false, false]]);
    }
  });
});
