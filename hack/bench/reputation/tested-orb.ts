import { inputs, manifest } from '../bench-orbs.ts';

const SECRET = 'Authorization: "Bearer {{orbiset.secrets.BENCH_TOKEN}}", ';

/** The Orb of the benchmark under another id. A mock case sends no secret to plain HTTP, so it has none. */
export const manifestOf = (mock: number, orbId: string): string =>
  manifest(mock).replace('bench.send@1.0.0', orbId).replace(SECRET, '');

const answer = { provider: 'mock', status: 200, body: { message_id: 'm-1', status: 'queued' } };
const outputs = { message_id: { equals: 'm-1' }, status: { equals: 'queued' } };

/** A suite for an Orb of `manifestOf`. @param orb `org.name` */
export const suiteOf = (orb: string, mockCases: number, liveCases: number): string =>
  JSON.stringify({
    format: 'orbtest/1',
    name: 'bench',
    orb,
    cases: [
      ...Array.from({ length: mockCases }, (_, index) => ({
        id: `mock-${index}`,
        inputs,
        responses: [answer],
        expect: { status: 'completed', outputs },
      })),
      ...Array.from({ length: liveCases }, (_, index) => ({
        id: `live-${index}`,
        mode: 'live',
        inputs,
        expect: { status: 'completed' },
      })),
    ],
  });
