let last = 0

/**
 * The number of a market whose history never changes, given to no other in this process: what was read of one edition
 * may be kept for whoever reads the same edition again.
 */
export const nextEdition = (): number => ++last
