import type { Ledger } from '../../../adapters/ledger/port.ts';
import { problem } from '../../http/problem.ts';
import { conditional } from '../../http/reply.ts';
import { negotiate } from '../../http/accept.ts';
import type { Reply, Route, RouteRequest } from '../../http/route.ts';
import { shapes } from '../../http/schemas.ts';
import { sha256Hex } from '../../../adapters/keys/primitives.ts';
import { recordOf } from '../../run/receipt-summary.ts';
import type { Listings } from '../../reputation/listings.ts';

const JSON_TYPE = 'application/json';
const JOSE_TYPE = 'application/jose';

interface TestResultParts {
  readonly ledger: Pick<Ledger, 'publicTestReport'>;
  readonly listings: Pick<Listings, 'orb'>;
}

type Report = NonNullable<Awaited<ReturnType<Ledger['publicTestReport']>>>;

/** Suites may have a megabyte: their stored JSON goes out as it is, because everybody may ask for it, without a key. */
function bodyOf({ statement, suites, logIndex }: Report): string {
  const said = JSON.stringify({ statement: recordOf(statement), jws: statement });
  return `${said.slice(0, -1)},"suites":${suites ?? '[]'},"log":{"index":${logIndex}}}`;
}

/** The signed statement names the suites by their digest, so that it stands for the whole body. */
const etagOf = ({ statement, logIndex }: Report, type: string): string =>
  `"${sha256Hex(`${type} ${logIndex} ${statement}`).slice(0, 32)}"`;

/** `GET /marketplace/orbs/{orb_id}/test-result` (trust.md §8.4): the statement about the newest accepted report. */
export function testResultRoute({ ledger, listings }: TestResultParts): Route {
  const handle = async (request: RouteRequest): Promise<Reply> => {
    const { orb_id: orbId = '' } = request.params;
    const type = negotiate(request.header('accept'), [JSON_TYPE, JOSE_TYPE]);
    if (type === undefined)
      return problem(request, 'not-acceptable', { detail: `Accept ${JSON_TYPE} or ${JOSE_TYPE}.` });
    const report = listings.orb(orbId) === undefined ? undefined : await ledger.publicTestReport(orbId);
    if (report === undefined) return problem(request, 'orb-not-published');
    const headers = { 'content-type': type, 'cache-control': 'public, max-age=60', vary: 'Accept' };
    const body = (): string => (type === JOSE_TYPE ? report.statement : bodyOf(report));
    return conditional(request.header('if-none-match'), etagOf(report, type), { status: 200, headers, body });
  };
  return {
    method: 'get',
    path: '/marketplace/orbs/{orb_id}/test-result',
    scope: 'public',
    handle,
    operation: {
      operationId: 'getTestResult',
      summary: 'Signed result of the tests of a published version',
      tags: ['marketplace'],
      parameters: [{ name: 'orb_id', in: 'path', description: 'A published version.', schema: shapes.orbId }],
      responses: {
        '200': {
          description: 'in-toto statement, the same as JWS, and the suites.',
          content: {
            [JSON_TYPE]: { schema: { type: 'object', required: ['statement', 'jws', 'suites', 'log'] } },
            [JOSE_TYPE]: { schema: shapes.jws },
          },
        },
        '304': { description: 'Not changed.' },
      },
      problems: ['orb-not-published', 'not-acceptable', 'ledger-unavailable'],
    },
  };
}
