/**
 * The number of the rules by which prices are computed. Another number means other prices for the same seed, so a data
 * folder says which one its prices are of.
 */
export const MARKET_MODEL = 2
