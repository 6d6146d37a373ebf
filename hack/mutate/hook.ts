// `node --import hack/mutate/hook.ts`: gives a program a mutant in place of one of its files. The file itself stays.
import { registerHooks } from 'node:module';

const { ORB_MUTANT_URL: mutant, ORB_MUTANT_SOURCE: source = '' } = process.env;

if (mutant !== undefined)
  registerHooks({
    load: (url, context, next) =>
      url === mutant ? { format: 'module-typescript', source, shortCircuit: true } : next(url, context),
  });
