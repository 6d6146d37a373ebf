/** The platform could not run the cases of suites: it is stopping or overloaded. This says nothing about the suites. */
export class CasesNotRun extends Error {
  readonly code = 'cases-not-run';
  constructor(why: string) {
    super(`the cases were not run: ${why}`);
    this.name = 'CasesNotRun';
  }
}
