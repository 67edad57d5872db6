let last = 0

/** A process-wide unique number for a market whose history never changes. Data of one edition may be cached. */
export const nextEdition = (): number => ++last
