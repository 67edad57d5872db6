/**
 * Version of the price model. Another version gives other prices for the same seed, so a data folder records
 * its version.
 */
export const MARKET_MODEL = 1
