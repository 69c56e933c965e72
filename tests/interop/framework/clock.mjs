// Milliseconds of the machine's monotonic clock, the same in every process of
// a run, so that records of one may be ordered by marks of another.
export const now = () => Number(process.hrtime.bigint()) / 1e6;
