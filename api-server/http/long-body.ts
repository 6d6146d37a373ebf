/** Reading a longer body takes up to 100 ms, and so does what is done with it. */
export const LONG_BYTES = 65_536;
