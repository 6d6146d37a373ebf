import type { Scenario } from './scenario.ts';
import { s01, s02, s03 } from './scenarios/s01-s03.ts';
import { s04, s05, s06 } from './scenarios/s04-s06.ts';
import { s07, s08, s10 } from './scenarios/s07-s10.ts';
import { s09, s20 } from './scenarios/s09-s20.ts';
import { s11, s12, s14 } from './scenarios/s11-s14.ts';
import { s13 } from './scenarios/s13.ts';
import { s13Operator } from './scenarios/s13-operator.ts';
import { s15, s15RealTime, s16, s17 } from './scenarios/s15-s17.ts';
import { s18, s18RealTime } from './scenarios/s18.ts';
import { s19, s19RealTime } from './scenarios/s19.ts';
import { s19Operator } from './scenarios/s19-operator.ts';
import { s21 } from './scenarios/s21.ts';
import { s21Operator } from './scenarios/s21-operator.ts';
import { s22, s22RealTime } from './scenarios/s22.ts';
import { s23 } from './scenarios/s23.ts';

/** Ids of the scenarios in failover.md §13. */
export const IDS: readonly string[] = Array.from({ length: 23 }, (_, index) => `S${index + 1}`);

const ALL: readonly (Scenario | readonly Scenario[])[] = [
  [s01, s02, s03, s04, s05, s06, s07, s08].flat(),
  [s09, s10, s11, s12, s13, s13Operator, s14].flat(),
  [s15, s15RealTime, s16, s17].flat(),
  [s18, s18RealTime, s19, s19Operator, s19RealTime].flat(),
  [s20, s21, s21Operator, s22, s22RealTime, s23].flat(),
];

/** Every scenario of failover.md §13, in order. */
export const SCENARIOS: readonly Scenario[] = ALL.flat();
