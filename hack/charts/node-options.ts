import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const TEMPLATES = join(import.meta.dirname, '../../charts/orb-platform/templates');
const SHARE = '--max-old-space-size-percentage=';

/**
 * The options of Node in the chart, which decide about CPU and memory. A process of this machine has no memory limit to take
 * a share of, so the share of the heap becomes MiB.
 * @param template file in the chart's templates @param limitMb memory limit of the pod, MiB
 * @throws Error the template names no options
 */
export function nodeOptionsOfChart(template: string, limitMb: number): readonly string[] {
  const text = readFileSync(join(TEMPLATES, template), 'utf8');
  const command = /\bcommand:\n((?: +- .*\n)+)/.exec(text)?.[1] ?? '';
  const options = command.split('\n').flatMap((line) => /^ +- (--\S+)$/.exec(line)?.[1] ?? []);
  if (options.length === 0) throw new Error(`${template} names no options of Node`);
  return options.map((option) =>
    option.startsWith(SHARE)
      ? `--max-old-space-size=${Math.floor((limitMb * Number(option.slice(SHARE.length))) / 100)}`
      : option,
  );
}
