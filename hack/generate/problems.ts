import { problems } from '../../api-server/http/problems.ts';
import { generalProblems } from '../../api-server/problems/general.ts';
import type { Problem, ProblemPart } from '../../api-server/problems/problem-part.ts';
import { SERVICES } from '../../api-server/services/services.ts';
import type { Artefact } from './artefact.ts';
import { formatted } from './formatted.ts';
import { code, prose } from './reference.ts';

const PATH = 'docs/reference/problem-codes.md';

const INTRODUCTION = `# Problem codes

An answer of the API that is not 2xx is a problem of RFC 9457 with a \`code\`. Codes are public: a program branches on the
code, never on the text. A code never gets another meaning. A reserved code belongs to a part that does not exist yet:
nothing answers with it.

`;

const rowOf = (name: string, { status, title, next, reserved }: Problem): string => {
  const step = reserved === true ? `Reserved. ${next}` : next;
  return `| ${code(name)} | ${status} | ${prose(title)} | ${prose(step)} |\n`;
};

const rowsOf = (part: ProblemPart): string =>
  Object.entries(part)
    .map(([name, problem]) => rowOf(name, problem))
    .join('');

const tableOf = (heading: string, part: ProblemPart): string =>
  `## ${heading}\n\n| Code | Status | Meaning | What to do |\n| --- | --- | --- | --- |\n${rowsOf(part)}\n`;

/** The reference of error codes, from the table of the API. */
export async function problemArtefacts(root: string): Promise<readonly Artefact[]> {
  const named = SERVICES.filter((service) => Object.keys(service.problems).length > 0);
  const tables = [
    tableOf('Every service', generalProblems),
    ...named.map((service) => tableOf(`Service ${service.name}`, service.problems)),
  ];
  const text = `${INTRODUCTION}All ${Object.keys(problems).length} codes, by the service that answers them.\n\n${tables.join('')}`;
  return [{ path: PATH, text: await formatted(root, PATH, text) }];
}
