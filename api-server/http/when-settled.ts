/** Calls back when everything has run that is ready now: promises, and what they make ready. */
export const whenSettled = (callback: () => void): void => queueMicrotask(() => process.nextTick(callback));
