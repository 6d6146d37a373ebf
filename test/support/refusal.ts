/** What a promise rejects with; fails when it does not. */
export async function refusal(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown;
  try {
    value = await promise;
  } catch (error) {
    return error;
  }
  throw new Error(`a refusal was expected, got ${JSON.stringify(value)}`);
}
