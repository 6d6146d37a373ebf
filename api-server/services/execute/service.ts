import { executeProblems } from '../../problems/execute.ts';
import { executeRoute } from './execute.ts';
import { executeSchemas } from './schemas.ts';
import type { Service } from '../service.ts';

/** Runs of Orbs. */
export const executeService: Service = {
  name: 'execute',
  group: 'runtime',
  routes: ({ runtime }) => [executeRoute(runtime)],
  scopes: ['orbs:execute'],
  problems: executeProblems,
  schemas: executeSchemas,
};
