import { command } from '../control-plane/command.ts';
import { ROOT } from './subjects.ts';

/** Compiles the checkout into `dist`, as the image holds it. @throws Error with what the compiler says */
export async function compile(): Promise<void> {
  const { code, stdout, stderr } = await command('npm', ['run', '-s', 'build'], { cwd: ROOT });
  if (code !== 0) throw new Error(`npm run build failed:\n${stdout}${stderr}`);
}
