/** How many timers keep this process alive. */
export const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
