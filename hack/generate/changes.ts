/** An entry of `artifacthub.io/changes` (packaging.md §5). */
export interface Change {
  readonly kind: string;
  readonly description: string;
}

const KINDS = new Set(['added', 'changed', 'deprecated', 'removed', 'fixed', 'security']);

/** The lines below the heading of a version, up to the next heading. */
function sectionOf(changelog: string, version: string): readonly string[] {
  const lines = changelog.split('\n');
  const first = lines.findIndex((line) => line === `## ${version}` || line.startsWith(`## ${version} `));
  if (first === -1) throw new Error(`CHANGELOG.md has no section ## ${version}`);
  const rest = lines.slice(first + 1);
  const end = rest.findIndex((line) => line.startsWith('## '));
  return end === -1 ? rest : rest.slice(0, end);
}

function kindOf(heading: string): string {
  const kind = heading.slice('### '.length).toLowerCase();
  if (!KINDS.has(kind)) throw new Error(`CHANGELOG.md: "${heading}" is none of ${[...KINDS].join(', ')}`);
  return kind;
}

/**
 * The changes of a version, from a changelog in the format of Keep a Changelog.
 * @throws Error the version has no section, or an entry has no kind
 */
export function changesOf(changelog: string, version: string): readonly Change[] {
  const changes: Change[] = [];
  let kind: string | undefined;
  for (const line of sectionOf(changelog, version)) {
    const last = changes.at(-1);
    if (line.startsWith('### ')) kind = kindOf(line);
    else if (line.startsWith('- ')) {
      if (kind === undefined) throw new Error(`CHANGELOG.md: "${line}" stands below no kind, such as ### Added`);
      changes.push({ kind, description: line.slice(2) });
    } else if (line.startsWith('  ') && last !== undefined)
      changes[changes.length - 1] = { ...last, description: `${last.description} ${line.trim()}` };
  }
  return changes;
}
