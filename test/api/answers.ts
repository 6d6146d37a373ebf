import { readFileSync } from 'node:fs';
import { EXECUTE } from './bodies.ts';

/** How often an operation answered with a status. */
interface Answers {
  readonly operation: string;
  readonly status: number;
  readonly count: number;
}

/** Reads what hooks.py has written. @throws TypeError it is not that */
export function readAnswers(file: string): readonly Answers[] {
  const parsed: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const rows: readonly unknown[] = Array.isArray(parsed) ? parsed : [];
  return rows.map((row) => {
    const values: readonly unknown[] = Array.isArray(row) ? row : [];
    const [operation, status, count] = values;
    if (typeof operation !== 'string' || typeof status !== 'number' || typeof count !== 'number')
      throw new TypeError(`${file} has a row that is not an answer`);
    return { operation, status, count };
  });
}

const sum = (answers: readonly Answers[]): number => answers.reduce((total, { count }) => total + count, 0);
const isSuccess = ({ status }: Answers): boolean => status >= 200 && status < 300;

/** Operations of these that never answered with success. */
export const neverAccepted = (answers: readonly Answers[], operations: readonly string[]): readonly string[] =>
  operations.filter((operation) => !answers.some((each) => each.operation === operation && isSuccess(each)));

/** One line for each operation, then the sums. */
export function answersTable(answers: readonly Answers[]): string {
  const operations = [...new Set(answers.map(({ operation }) => operation))];
  const lines = operations.map((operation) => {
    const own = answers.filter((each) => each.operation === operation);
    const statuses = own.map(({ status, count }) => `${status} × ${count}`).join(', ');
    return `| ${operation} | ${sum(own)} | ${statuses} |`;
  });
  const successes = answers.filter(isSuccess);
  const executed = successes.filter(({ operation }) => operation === EXECUTE);
  const faults = answers.filter(({ status }) => status === 500);
  return [
    '| Operation | Requests | Answers |',
    '|---|---|---|',
    ...lines,
    '',
    `${sum(answers)} requests, ${sum(successes)} accepted, ${sum(executed)} of them executions; ${sum(faults)} times 500`,
  ].join('\n');
}
