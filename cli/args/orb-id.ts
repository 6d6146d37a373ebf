import { parseOrbId } from '../../core/manifest/orb-id.ts';
import { invalid } from '../io/failure.ts';
import { printable } from '../io/output.ts';

/** An Orb id given as an argument. @throws Failure */
export function orbIdOf(text: string): string {
  const parsed = parseOrbId(text);
  if (parsed.ok) return parsed.value;
  throw invalid(
    `${printable(text)}: an Orb id has the form org.name@1.0.0`,
    'orb list shows the ids that you can run, orb marketplace list those that are published',
  );
}
